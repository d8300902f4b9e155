package osproc_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
)

// envReader makes the test's program one that reads its clock; its value says how.
const envReader = "LOCKSTEP_TEST_CLOCK_READER"

// fine is what a reading in decimals and a float64 may lose.
const fine = time.Millisecond

func wall(t *testing.T) *osproc.Wall {
	t.Helper()
	if osproc.ErrNoWall != nil {
		t.Skip(osproc.ErrNoWall) // another kind of machine
	}
	w, err := osproc.NewWall()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func set(t *testing.T, w *osproc.Wall, step time.Duration, ppm int64) {
	t.Helper()
	if err := w.Set(step, ppm); err != nil {
		t.Fatal(err)
	}
}

// reader is a process that tells its clocks when it is asked.
type reader struct {
	t    *testing.T
	ask  io.Writer
	says *bufio.Scanner
}

func startReader(t *testing.T, w *osproc.Wall, cmd *exec.Cmd) *reader {
	t.Helper()
	stdin, ask, err1 := os.Pipe()
	says, stdout, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	p, err := osproc.StartWith(cmd, w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill(); ask.Close(); says.Close() })
	stdin.Close()
	stdout.Close()
	return &reader{t, ask, bufio.NewScanner(says)}
}

// line asks once and returns the words of the answer.
func (r *reader) line() []string {
	r.t.Helper()
	if _, err := io.WriteString(r.ask, "\n"); err != nil || !r.says.Scan() {
		r.t.Fatalf("the reader is gone: %v, %v", err, r.says.Err())
	}
	return strings.Fields(r.says.Text())
}

// span is between which two a clock is ahead of the host's.
type span struct{ least, most time.Duration }

func just(ahead time.Duration) func(time.Time) span {
	return func(time.Time) span { return span{ahead, ahead} }
}

// want looks that each reading is one that the clock can have shown between question and
// answer, however long a busy machine takes for that. ahead says how far the clock may be
// ahead at an instant of the host's; a clock does not run backwards.
func (r *reader) want(when string, ahead func(host time.Time) span) {
	r.t.Helper()
	asked := time.Now()
	words := r.line()
	answered := time.Now()
	for _, word := range words {
		wantReading(r.t, when, word, asked.Add(ahead(asked).least), answered.Add(ahead(answered).most))
	}
}

// wantReading looks that a reading, in seconds since 1970, is between two times. It may
// have whole seconds only.
func wantReading(t *testing.T, when, word string, least, most time.Time) {
	t.Helper()
	seconds, err := strconv.ParseFloat(word, 64)
	if err != nil {
		t.Fatalf("%s: not a reading: %q", when, word)
	}
	least, most = least.Add(-fine), most.Add(fine)
	if !strings.Contains(word, ".") {
		least = least.Add(-time.Second)
	}
	if shown := time.Unix(0, int64(seconds*1e9)); shown.Before(least) || shown.After(most) {
		t.Errorf("%s: the clock shows %v, want a time from %v to %v", when, shown.UTC(), least.UTC(), most.UTC())
	}
}

// readers are programs that are built in different ways. Each answers a line with
// readings.
func readers() map[string]*exec.Cmd {
	itself := exec.Command(os.Args[0])
	itself.Env = append(os.Environ(), envReader+"=tells")
	return map[string]*exec.Cmd{
		"Go": itself,
		// gettimeofday and time, in the process itself and in a fork of it
		"C": exec.Command("bash", "-c", `while read line; do
			printf '%s %(%s)T ' $EPOCHREALTIME -1; (printf '%s %(%s)T\n' $EPOCHREALTIME -1); done`),
	}
}

func TestAWallStepsAndDrifts(t *testing.T) {
	for name, cmd := range readers() {
		t.Run(name, func(t *testing.T) {
			w := wall(t)
			set(t, w, -time.Hour, 0)
			r := startReader(t, w, cmd)
			r.want("at the start", just(-time.Hour))
			set(t, w, 3*time.Hour, 0)
			r.want("after a step", just(2*time.Hour))

			began := setWithin(t, w, 9_000_000)
			faster := func(host time.Time) span {
				return span{2*time.Hour + 9*host.Sub(began.after), 2*time.Hour + 9*host.Sub(began.before)}
			}
			r.want("when the drift begins", faster)
			time.Sleep(300 * time.Millisecond)
			r.want("ten times as fast", faster)

			stopped := setWithin(t, w, -1_000_000)
			least, most := stopped.before.Add(faster(stopped.before).least), stopped.after.Add(faster(stopped.after).most)
			still := func(host time.Time) span { return span{least.Sub(host), most.Sub(host)} }
			r.want("when it stands still", still)
			time.Sleep(500 * time.Millisecond)
			r.want("standing still", still)
		})
	}
}

// within is between which two instants something was done.
type within struct{ before, after time.Time }

func setWithin(t *testing.T, w *osproc.Wall, ppm int64) within {
	t.Helper()
	before := time.Now()
	set(t, w, 0, ppm)
	return within{before, time.Now()}
}

// date asks clock_gettime, as most C programs do.
func TestDateShowsAWall(t *testing.T) {
	w := wall(t)
	set(t, w, 24*time.Hour, 0)
	out, err := os.CreateTemp(t.TempDir(), "date")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command("date", "+%s.%N")
	cmd.Stdout = out
	asked := time.Now()
	p, err := osproc.StartWith(cmd, w)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	said, _ := os.ReadFile(out.Name())
	wantReading(t, "date", strings.TrimSpace(string(said)), asked.Add(24*time.Hour), time.Now().Add(24*time.Hour))
}

// The monotonic clock is right, and a timer takes its time.
func TestAWallLeavesTheMonotonicClockAlone(t *testing.T) {
	w := wall(t)
	set(t, w, time.Hour, 3_000_000)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envReader+"=sleeps")
	r := startReader(t, w, cmd)
	before := osproc.Now()
	for i, word := range r.line() {
		took, err := time.ParseDuration(word)
		if err != nil || took < 100*time.Millisecond || took > osproc.Now()-before {
			t.Errorf("measure %d of a sleep of 100 ms: %v, %v", i, word, err)
		}
	}
}

// A thread that reads while the clock is set sees one setting or the other.
func TestASettingIsReadAsAWhole(t *testing.T) {
	w := wall(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envReader+"=races")
	r := startReader(t, w, cmd)
	var stop atomic.Bool
	var setter sync.WaitGroup
	sets := 0
	setter.Go(func() {
		for step := time.Hour; !stop.Load(); step = -step {
			if err := w.Set(step, int64(step/time.Hour)); err != nil {
				t.Error(err)
				return
			}
			sets++
		}
	})
	got := r.line()
	stop.Store(true)
	setter.Wait()
	if len(got) != 2 || got[1] != "0" {
		t.Errorf("readings, and among them wrong ones: %v, with %d settings", got, sets)
	}
	if n, err := strconv.Atoi(got[0]); err != nil || n < 10_000 || sets < 1000 {
		t.Errorf("only %s readings and %d settings", got[0], sets)
	}
}

func TestCanSetWall(t *testing.T) {
	if osproc.ErrNoWall != nil {
		t.Skip(osproc.ErrNoWall)
	}
	if err := osproc.CanSetWall(); err != nil {
		t.Error(err)
	}
}

func TestAWallThatIsClosedCannotBeSet(t *testing.T) {
	w := wall(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Set(time.Second, 0); err == nil {
		t.Error("it was set")
	}
}

// What stands in the way of a start is told, and nothing is left that waits for it.
func TestAProgramThatIsNotThereGetsNoWall(t *testing.T) {
	if _, err := osproc.StartWith(exec.Command("/nowhere/program"), wall(t)); err == nil {
		t.Error("it was started")
	}
}

// readClocks answers each line that it reads.
func readClocks(how string) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch how {
		case "tells":
			now := time.Now()
			fmt.Printf("%d.%09d\n", now.Unix(), now.Nanosecond())
		case "sleeps":
			began, counted := osproc.Now(), time.Now()
			time.Sleep(100 * time.Millisecond)
			fmt.Println(osproc.Now()-began, time.Since(counted))
		case "races":
			fmt.Println(race())
		}
	}
}

// race reads the clock in some threads at once and counts the readings that are those
// of neither clock: the host's at its beginning, or an hour ahead of it.
func race() (readings, wrong int64) {
	begin := time.Now()
	var n, bad atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n.Load() < 20_000 || time.Since(begin) < 300*time.Millisecond {
				off := time.Now().Round(0).Sub(begin.Round(0)) - time.Since(begin)
				for off > 30*time.Minute {
					off -= time.Hour
				}
				for off < -30*time.Minute {
					off += time.Hour
				}
				if off.Abs() > 2*time.Second {
					bad.Add(1)
				}
				n.Add(1)
			}
		})
	}
	all.Wait()
	return n.Load(), bad.Load()
}
