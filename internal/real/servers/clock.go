package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"lockstep/internal/real/programs"
)

// clock makes the wall clock of one server wrong. The server runs under libfaketime, which
// reads a file at each reading of the clock that says how to change the host's time. The
// monotonic clock stays right: leases rest on the wall clock, and a step back would stop timers.
//
// libfaketime also translates system calls: MariaDB lets a statement wait until an instant of
// its own clock, which the kernel compares with the host's. (A preloaded library of our own
// would be simpler, but would need a C compiler on users' machines.)
type clock struct {
	file string
	setting
	base time.Time // when libfaketime began to count, by the host's clock
}

// setting is the error of a clock: an offset, and a drift since a certain time.
type setting struct {
	offset time.Duration
	ppm    int64
	since  time.Time
}

// ahead returns how far the clock is ahead of the host's at a time.
func (s *setting) ahead(at time.Time) time.Duration {
	return s.offset + drifted(at.Sub(s.since), s.ppm)
}

// drifted returns what a drift adds to a duration.
func drifted(d time.Duration, ppm int64) time.Duration {
	const million = 1_000_000
	return d/million*time.Duration(ppm) + d%million*time.Duration(ppm)/million
}

// request writes a setting in the format of libfaketime, which multiplies all the time since
// base by the rate. The time before the drift began is therefore subtracted from the offset.
func (s *setting) request(base time.Time) string {
	offset := s.offset - drifted(s.since.Sub(base), s.ppm)
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	rate := 1_000_000 + s.ppm
	return fmt.Sprintf("%s%d.%09d x%d.%06d\n", sign, offset/time.Second, offset%time.Second, rate/1_000_000, rate%1_000_000)
}

// doubled is the setting at a server's start. At twice the speed, one reading shows when
// libfaketime began to count.
const doubled = "+0 x2\n"

// begin prepares a start in a place, and returns the environment for libfaketime.
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

// Faketime finds libfaketime on this machine, and its C library. threads: many threads of the
// program read the clock.
func Faketime(threads bool) (library, libc string, err error) {
	if library, err = programs.Find(programs.Faketime); err != nil {
		return "", "", err
	}
	if threads {
		library = filepath.Join(filepath.Dir(library), "libfaketimeMT.so.1") // of the same package
	}
	if libc, err = programs.Find(programs.LibC); err != nil {
		return "", "", errors.New("the clock of a server cannot be set: the GNU C library is not where Debian keeps it")
	}
	return library, libc, nil
}

// Preload is the environment variable that preloads libfaketime. The C library comes before the
// allocator of Redis, which reads the clock while libfaketime asks it for memory: an endless
// recursion.
func Preload(library, libc string) string { return "LD_PRELOAD=" + library + " " + libc }

// write puts a setting in force, in one step, since the server may read it at any time.
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

// removeShared removes the names of the memory that libfaketime shares with child processes
// of a server, which has none. A killed server would leave them behind.
func removeShared(pid int) error {
	var errs []error
	for _, name := range []string{"faketime_shm_", "sem.faketime_sem_"} {
		if err := os.Remove("/dev/shm/" + name + strconv.Itoa(pid)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// calibrate measures when libfaketime began to count, and puts the setting of the clock in
// force, after a restart the previous one. ask returns the time of the server, read at some time
// between question and answer: together the readings leave the beginning a range, which has to be
// narrow, since a fast clock multiplies the error.
func (s *Server) calibrate(ctx context.Context, ask func(context.Context) (time.Time, error)) error {
	var seen pace
	var earliest, latest time.Time // shown = base + 2*(read-base)
	look := func() error {
		before := time.Now()
		shown, err := ask(ctx)
		after := time.Now()
		if err != nil {
			return err
		}
		seen.add(before, after, shown)
		if e := before.Add(before.Sub(shown)); e.After(earliest) {
			earliest = e
		}
		if l := after.Add(after.Sub(shown)); latest.IsZero() || l.Before(latest) {
			latest = l
		}
		return nil
	}
	if err := s.watchClock(ctx, &seen, look); err != nil {
		return err
	}
	for n := 0; n < mostLooks && latest.Sub(earliest) > exactly; n++ {
		if err := look(); err != nil {
			return err
		}
	}
	s.clock.base = earliest.Add(latest.Sub(earliest) / 2)
	return s.clock.write(s.clock.request(s.clock.base))
}

// On a busy machine, an answer takes many times as long as exactly, but not each of many.
const (
	exactly   = time.Millisecond
	mostLooks = 100
)

// looks is the least number of readings of a clock under libfaketime, and obeyTime the time
// until they have to show that it is wrong: on a busy machine, one reading may take long.
const (
	looks    = 5
	obeyTime = 30 * time.Second
)

// watchClock reads the clock of a server that was started with a fast one, until it is
// certain that the server uses it. A program of another C library ignores libfaketime, and
// at best logs that.
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

// pace decides from the readings of a clock whether it is at least twice as fast as the host's.
// A reading was taken at some time between its question and its answer, so slow answers only
// delay the decision.
type pace struct {
	asked, answered time.Time // when the first reading was asked for and arrived, by the host's clock
	first           time.Time // its value
	fast, right     bool      // what is certain by now; neither at first
}

// leastPace is the least time between two readings that can show that a clock is not fast.
const leastPace = 20 * time.Millisecond

// add adds a reading, with the times of its question and its answer.
func (p *pace) add(asked, answered, shown time.Time) {
	if p.asked.IsZero() {
		p.asked, p.answered, p.first = asked, answered, shown
	}
	went := shown.Sub(p.first)
	least, most := asked.Sub(p.answered), answered.Sub(p.asked) // the time that has passed on the host's clock
	p.fast = went > most
	p.right = least >= leastPace && went < least+least/2
}

// Time returns the wall clock of a Redis server.
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

// SetClock steps the server's wall clock, and sets its drift from the host's in millionths.
// The server must have been started with the option Clock. The clock of a dead server goes on,
// as that of its machine.
func (s *Server) SetClock(step time.Duration, ppm int64) error {
	if s.clock == nil {
		return fmt.Errorf("%s was started with the host's clock", s.Name)
	}
	now := time.Now().Round(0) // without the monotonic reading: libfaketime counts wall time
	s.clock.setting = setting{offset: s.clock.ahead(now) + step, ppm: ppm, since: now}
	return s.clock.write(s.clock.request(s.clock.base))
}
