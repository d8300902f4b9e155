package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"lockstep/internal/real/programs"
)

// clock makes the wall clock of one server wrong. The server runs under
// libfaketime, which reads from a file, at each look at the clock, what to make of
// the host's time. The monotonic clock stays right: a server's leases rest on its
// wall clock, and a step back would stop its timers.
//
// It also translates what a server asks the kernel for: MariaDB lets a statement wait until
// an instant of its own clock, which the kernel compares with the host's. (A preloaded
// library of our own would be simpler, but users would need a C compiler for it.)
type clock struct {
	file string
	setting
	base time.Time // when libfaketime began to count, as the host's clock shows it
}

// setting is what a clock shows: the host's time, an offset, and what a rate has
// added to it since a certain time.
type setting struct {
	offset time.Duration
	ppm    int64
	since  time.Time
}

// ahead returns by how much the clock is ahead of the host's at a time.
func (s *setting) ahead(at time.Time) time.Duration {
	return s.offset + drifted(at.Sub(s.since), s.ppm)
}

// drifted returns what a rate adds to a time.
func drifted(d time.Duration, ppm int64) time.Duration {
	const million = 1_000_000
	return d/million*time.Duration(ppm) + d%million*time.Duration(ppm)/million
}

// request writes a setting in the words of libfaketime. It multiplies all the time
// since base by the rate, so what was not yet drifted then is taken back.
func (s *setting) request(base time.Time) string {
	offset := s.offset - drifted(s.since.Sub(base), s.ppm)
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	rate := 1_000_000 + s.ppm
	return fmt.Sprintf("%s%d.%09d x%d.%06d\n", sign, offset/time.Second, offset%time.Second, rate/1_000_000, rate%1_000_000)
}

// doubled is the setting under which a server starts. At twice the speed, one
// reading tells when libfaketime began to count.
const doubled = "+0 x2\n"

// begin prepares a start in a place, and returns what libfaketime has to be told.
func (c *clock) begin(p Place) (map[string]string, error) {
	here, there, err := p.Shared()
	if err != nil {
		return nil, err
	}
	c.file = filepath.Join(here, clockFile)
	return map[string]string{
		"FAKETIME_TIMESTAMP_FILE": path.Join(there, clockFile), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
	}, c.write(doubled)
}

const clockFile = "clock"

// Faketime finds libfaketime on this machine, and the C library that it belongs to; mt:
// for a program of which many threads look at the clock.
func Faketime(mt bool) (library, libc string, err error) {
	if library, err = programs.Find(programs.Faketime); err != nil {
		return "", "", err
	}
	if mt {
		library = filepath.Join(filepath.Dir(library), "libfaketimeMT.so.1") // of the same package
	}
	if libc, err = programs.Find(programs.LibC); err != nil {
		return "", "", errors.New("the clock of a server cannot be set: the GNU C library is not where Debian keeps it")
	}
	return library, libc, nil
}

// underFaketime puts libfaketime before a child whose environment says what to make of
// the time; mt: as for Faketime.
func underFaketime(child *exec.Cmd, mt bool) error {
	library, libc, err := Faketime(mt)
	child.Env = append(child.Env, Preload(library, libc))
	return err
}

// underClock makes a child with a clock that can be set. Many threads of a server that has one look at it.
func (s *Server) underClock(child func(context.Context) (*exec.Cmd, error)) func(context.Context) (*exec.Cmd, error) {
	return func(ctx context.Context) (*exec.Cmd, error) {
		settings, err := s.clock.begin(s.place)
		if err != nil {
			return nil, err
		}
		cmd, err := child(ctx)
		if err != nil {
			return nil, err
		}
		cmd.Env = os.Environ()
		for name, value := range settings {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		return cmd, underFaketime(cmd, true)
	}
}

// Preload is the line of an environment that puts libfaketime before a program. The C
// library comes before the allocator of Redis, which looks at the clock while libfaketime
// asks it for memory, for ever.
func Preload(library, libc string) string { return "LD_PRELOAD=" + library + " " + libc }

// write puts a setting in force: as a whole, since the server reads it at any time.
func (c *clock) write(text string) error {
	fresh := c.file + ".new"
	err := os.WriteFile(fresh, []byte(text), 0o600)
	if err == nil {
		err = os.Chmod(fresh, 0o644) // in a container, the server runs as another user
	}
	if err == nil {
		err = os.Rename(fresh, c.file)
	}
	if err != nil {
		return fmt.Errorf("the clock cannot be set: %w: free some space, or set TMPDIR to a directory that can be written", err)
	}
	return nil
}

// removeShared removes the names of the memory that libfaketime shares with programs
// which a server might start; it starts none. A server that is killed would leave
// them behind.
func removeShared(pid int) error {
	var errs []error
	for _, name := range []string{"faketime_shm_", "sem.faketime_sem_"} {
		if err := os.Remove("/dev/shm/" + name + strconv.Itoa(pid)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// calibrate finds out when libfaketime began to count, and puts the setting in
// force that the clock has: the one from before, after a restart. tell asks the server
// what its clock shows.
func (s *Server) calibrate(ctx context.Context, tell func(context.Context) (time.Time, error)) error {
	best := time.Hour // the quickest answer is the most exact one
	var seen pace
	err := s.watchClock(ctx, &seen, func() error {
		before := time.Now()
		shown, err := tell(ctx)
		if err != nil {
			return err
		}
		seen.add(before, time.Now(), shown)
		if took := time.Since(before); took < best {
			best = took
			read := before.Add(took / 2)
			s.clock.base = read.Add(-shown.Sub(read)) // shown = base + 2*(read-base)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.clock.write(s.clock.request(s.clock.base))
}

// looks is how often a clock is read at least that has just begun to be wrong, and obeyTime
// how long at most until the readings have told that it is, or is not: on a busy machine
// a single one may take long.
const (
	looks    = 5
	obeyTime = 30 * time.Second
)

// watchClock reads the clock of a server that was started with a fast one, until it is
// certain that the server goes by it. Another C library than the one that libfaketime was
// made for goes on without it, and says so in a log at best.
func (s *Server) watchClock(ctx context.Context, seen *pace, look func() error) error {
	ctx, cancel := context.WithTimeout(ctx, obeyTime)
	defer cancel()
	for n := 0; n < looks || !seen.fast; n++ {
		if seen.right {
			return fmt.Errorf("%s goes by the clock of this machine, though it was started under libfaketime: that takes a program with the C library of GNU, as new as the one here; choose another one (--image redis=NAME for a container)", s.Name)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s was asked for its clock %d times, and the answers took too long to tell how fast it is: %w: is the machine overloaded?", s.Name, n, err)
		}
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}

// pace tells from the readings of a clock whether it is twice as fast as the host's, or
// more, or not. A reading was taken at some time between its question and its answer, so
// both may take as long as they like.
type pace struct {
	asked, told time.Time // when the first reading was asked for and was there, by the host's clock
	first       time.Time // what it was
	fast, right bool      // what is certain by now; neither at first
}

// leastPace is how much time has to lie between two readings for them to tell that a
// clock is not fast.
const leastPace = 20 * time.Millisecond

// add takes note of a reading that was asked for at one time and was there at another.
func (p *pace) add(asked, told, shown time.Time) {
	if p.asked.IsZero() {
		p.asked, p.told, p.first = asked, told, shown
	}
	went := shown.Sub(p.first)
	least, most := asked.Sub(p.told), told.Sub(p.asked) // what has gone by on the host's clock
	p.fast = went > most
	p.right = least >= leastPace && went < least+least/2
}

// Time returns what the wall clock of a Redis server shows.
func (s *Server) Time(ctx context.Context) (time.Time, error) {
	reply, err := s.Command(ctx, "TIME")
	if err != nil {
		return time.Time{}, err
	}
	var parts [2]int64
	for i := range min(len(reply.Elements()), 2) {
		if parts[i], err = strconv.ParseInt(reply.Elements()[i].Str, 10, 64); err != nil {
			return time.Time{}, fmt.Errorf("%s does not tell the time: %s", s.Name, reply)
		}
	}
	return time.Unix(parts[0], parts[1]*1000), nil
}

// SetClock steps the server's wall clock, and makes it run faster by so many
// millionths than the host's from now on. The server must have been started with the
// option Clock. A dead server's clock goes on: it is that of its machine.
func (s *Server) SetClock(step time.Duration, ppm int64) error {
	if s.clock == nil {
		return fmt.Errorf("%s was started with the host's clock", s.Name)
	}
	now := time.Now().Round(0) // without the monotonic reading: libfaketime counts wall time
	s.clock.setting = setting{offset: s.clock.ahead(now) + step, ppm: ppm, since: now}
	return s.clock.write(s.clock.request(s.clock.base))
}
