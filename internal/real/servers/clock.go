package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
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
// (A preloaded library of our own would be simpler, but whoever wants to play
// would need a C compiler for it.)
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

// begin prepares a start, and returns the environment that it needs.
func (c *clock) begin(dir string) ([]string, error) {
	c.file = filepath.Join(dir, "clock")
	env, err := underFaketime("FAKETIME_TIMESTAMP_FILE="+c.file, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1")
	if err != nil {
		return nil, err
	}
	return env, c.write(doubled)
}

// underFaketime returns the environment of a process with wrong clocks.
func underFaketime(settings ...string) ([]string, error) {
	library, err := programs.Find(programs.Faketime)
	if err != nil {
		return nil, err
	}
	libc, err := programs.Find(programs.LibC)
	if err != nil {
		return nil, errors.New("the clock of a server cannot be set: the GNU C library is not where Debian keeps it")
	}
	// The C library comes before the allocator of Redis, which looks at the clock
	// while libfaketime asks it for memory, for ever.
	settings = append(settings, "LD_PRELOAD="+library+" "+libc)
	return append(os.Environ(), settings...), nil
}

// write puts a setting in force: as a whole, since the server reads it at any time.
func (c *clock) write(text string) error {
	fresh := c.file + ".new"
	if err := os.WriteFile(fresh, []byte(text), 0o600); err != nil {
		return fmt.Errorf("the clock cannot be set: %w: free some space, or set TMPDIR to a directory that can be written", err)
	}
	return os.Rename(fresh, c.file)
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

// looks is how often the clock is read to find out where it begins; the quickest
// answer is the most exact one.
const looks = 5

// calibrate finds out when libfaketime began to count, and puts the setting in
// force that the clock has: the one from before, after a restart.
func (s *Server) calibrate(ctx context.Context) error {
	best := time.Hour
	for range looks {
		before := time.Now()
		shown, err := s.Time(ctx)
		if err != nil {
			return err
		}
		if took := time.Since(before); took < best {
			best = took
			read := before.Add(took / 2)
			s.clock.base = read.Add(-shown.Sub(read)) // shown = base + 2*(read-base)
		}
	}
	return s.clock.write(s.clock.request(s.clock.base))
}

// Time returns what the server's wall clock shows.
func (s *Server) Time(ctx context.Context) (time.Time, error) {
	reply, err := s.Command(ctx, "TIME")
	if err != nil {
		return time.Time{}, err
	}
	var parts [2]int64
	for i := range min(len(reply.Array), 2) {
		if parts[i], err = strconv.ParseInt(reply.Array[i].Str, 10, 64); err != nil {
			return time.Time{}, fmt.Errorf("%s does not tell the time: %s", s.Name, reply)
		}
	}
	return time.Unix(parts[0], parts[1]*1000), nil
}

// SetClock steps the server's wall clock, and makes it run faster by so many
// millionths than the host's from now on. The server must have been started with
// RedisOptions.Clock. A dead server's clock goes on: it is that of its machine.
func (s *Server) SetClock(step time.Duration, ppm int64) error {
	if s.clock == nil {
		return fmt.Errorf("%s was started with the host's clock", s.Name)
	}
	now := time.Now().Round(0) // without the monotonic reading: libfaketime counts wall time
	s.clock.setting = setting{offset: s.clock.ahead(now) + step, ppm: ppm, since: now}
	return s.clock.write(s.clock.request(s.clock.base))
}
