package servers

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

func TestSettingsInTheFormatOfLibfaketime(t *testing.T) {
	base := time.Unix(1000, 0)
	tests := map[string]setting{
		"+0.000000000 x1.000000\n":  {},
		"+12.500000000 x1.000000\n": {offset: 12500 * time.Millisecond, since: base.Add(time.Second)},
		"-0.250000000 x1.000000\n":  {offset: -250 * time.Millisecond, since: base.Add(time.Second)},
		// 10 s at the wrong rate before it was set: 5 s have to be taken back.
		"-5.000000000 x1.500000\n": {ppm: 500_000, since: base.Add(10 * time.Second)},
		"+6.000000000 x0.500000\n": {offset: time.Second, ppm: -500_000, since: base.Add(10 * time.Second)},
	}
	for want, give := range tests {
		must.Equalf(t, give.request(base), want, "%+v", give)
	}
}

func TestAClockWithADriftIsAhead(t *testing.T) {
	s := setting{offset: time.Second, ppm: 100_000, since: time.Unix(1000, 0)}
	must.Equalf(t, s.ahead(time.Unix(1010, 0)), 2*time.Second, "ahead by")
}

func clocked(t *testing.T) *Server {
	t.Helper()
	for _, program := range []string{"redis-server", programs.Faketime} {
		realtest.Need(t, program)
	}
	t.Setenv("TMPDIR", t.TempDir())
	s := must.Get(StartRedis(context.Background(), RedisOptions{Clock: true}))(t)
	t.Cleanup(func() { s.Stop() })
	return s
}

func wantAhead(t *testing.T, s *Server, when string, want time.Duration) {
	t.Helper()
	redisClock(s).Want(t, when, realtest.Steady(want))
}

func redisClock(s *Server) *realtest.Clock {
	return &realtest.Clock{Shows: func() (time.Time, error) { return s.Time(context.Background()) }}
}

func set(t *testing.T, s *Server, step time.Duration, ppm int64) {
	t.Helper()
	must.Do(t, s.SetClock(step, ppm))
}

func do(t *testing.T, s *Server, args ...string) string {
	t.Helper()
	return must.Get(s.Command(context.Background(), args...))(t).String()
}

func TestAClockStepsAndEntriesRunOut(t *testing.T) {
	s := clocked(t)
	wantAhead(t, s, "at first", 0)
	do(t, s, "SET", "k", "v", "PX", "10000")
	set(t, s, 12*time.Second, 0)
	wantAhead(t, s, "after a step", 12*time.Second)
	must.Equalf(t, do(t, s, "GET", "k"), "(nil)",
		"an entry of ten seconds is … after a step of twelve")
	do(t, s, "SET", "k", "v", "PX", "1000")
	set(t, s, -15*time.Second, 0)
	wantAhead(t, s, "after a step back", -3*time.Second)
	if left, err := strconv.Atoi(trimInt(do(t, s, "PTTL", "k"))); err != nil || left < 15_000 {
		t.Errorf("an entry of one second lives for another %d ms after a step back of fifteen", left)
	}
}

// trimInt takes the decoration from an integer reply as redis-cli shows it.
func trimInt(shown string) string { return shown[len("(integer) "):] }

// The readings do not jump when the rate changes, even if the server has been running for a while.
func TestAClockDriftsAndStops(t *testing.T) {
	s := clocked(t)
	time.Sleep(300 * time.Millisecond)
	set(t, s, 0, 2_000_000)
	wantAhead(t, s, "when the drift begins", 0)
	time.Sleep(500 * time.Millisecond)
	began := s.clock.since
	redisClock(s).Want(t, "some time at three times the speed", func(now time.Time) (least, most time.Duration) {
		return 2 * now.Sub(began), 2 * now.Sub(began)
	})
	set(t, s, 0, 0)
	ended := s.clock.offset
	time.Sleep(300 * time.Millisecond)
	wantAhead(t, s, "after the drift", ended)
}

func TestAClockOutlivesItsServer(t *testing.T) {
	s := clocked(t)
	set(t, s, time.Hour, 0)
	must.Do(t, s.Kill())
	set(t, s, time.Hour, 0)
	must.Do(t, s.Restart(context.Background(), ""))
	wantAhead(t, s, "after a restart", 2*time.Hour)
}

func TestAClockLeavesNoSharedMemory(t *testing.T) {
	s := clocked(t)
	if left, _ := filepath.Glob("/dev/shm/*faketime_*_" + strconv.Itoa(s.Pid())); len(left) != 0 {
		t.Errorf("left in shared memory: %v", left)
	}
}

func TestTheHostsClockIsNotSet(t *testing.T) {
	s := &Server{Name: "redis-1"}
	if err := s.SetClock(time.Second, 0); err == nil || err.Error() != "redis-1 was started with the host's clock" {
		t.Errorf("got %v", err)
	}
}

// A reading is from some time between its question and its answer, so a slow answer proves nothing.
func TestTheSpeedOfAClockIsMeasured(t *testing.T) {
	type reading struct{ asked, told, at time.Duration }
	quick := []reading{{0, 1, 0}, {30, 31, 31}, {60, 61, 60}}
	slow := []reading{{0, 1000, 900}, {1001, 2000, 1001}} // 101 ms lie between the two, and 1 at least
	for _, tt := range []struct {
		name        string
		speed       time.Duration
		readings    []reading
		fast, right bool
	}{
		{"the host's", 1, quick, false, true},
		{"twice as fast", 2, quick, true, false},
		{"ten times as fast", 10, quick, true, false},
		{"the host's on a busy machine", 1, slow, false, false},
		{"twice as fast on a busy machine", 2, slow, false, false},
	} {
		began, p := time.Unix(1000, 0), pace{}
		for _, r := range tt.readings {
			p.add(began.Add(r.asked*time.Millisecond), began.Add(r.told*time.Millisecond), began.Add(tt.speed*r.at*time.Millisecond))
		}
		if p.fast != tt.fast || p.right != tt.right {
			t.Errorf("%s: fast is %v, right is %v", tt.name, p.fast, p.right)
		}
	}
}

// A program with another C library, as in some images, ignores libfaketime.
func TestAServerThatIgnoresLibfaketimeIsRefused(t *testing.T) {
	for _, program := range []string{"redis-server", programs.Faketime} {
		realtest.Need(t, program)
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	actual := must.Get(programs.Find("redis-server"))(t)
	script := "#!/bin/sh\nunset LD_PRELOAD\nexec " + actual + " \"$@\"\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "redis-server"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	want := " goes by the clock of this machine, though it was started under libfaketime"
	_, err := StartRedis(context.Background(), RedisOptions{Name: "redis-1", Clock: true})
	must.Fail(t, err, "redis-1"+want)
	_, err = StartSentinel(context.Background(), SentinelOptions{
		Name: "sentinel-1", Primary: "127.0.0.1:7001", Quorum: 1, DownAfter: time.Second, Speed: 5,
	})
	must.Fail(t, err, "sentinel-1"+want)
}
