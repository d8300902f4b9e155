package logcheck

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/say"
)

// witness measures the memory in use while a log is read: at the middle, and near the end.
type witness struct {
	generated
	lines  int64
	middle uint64
	end    uint64
}

func (w *witness) Read(p []byte) (int, error) {
	for at, to := range map[int64]*uint64{w.lines / 2: &w.middle, w.lines - w.lines/20: &w.end} {
		if w.n >= at && *to == 0 {
			*to = live()
		}
	}
	return w.generated.Read(p)
}

// live returns the bytes of the heap in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Memory does not grow with the lines of a log, with its names of clients and locks, or with clients that die.
// Set LOGCHECK_LINES for a longer log.
func TestMemoryHasABound(t *testing.T) { memoryHasABound(t, 250_000) }

// The same with ten million lines of the most demanding kind.
func TestMemoryOfALongLogHasABound(t *testing.T) {
	realtest.SecondTier(t)
	memoryHasABound(t, 10_000_000, "locks and clients that die", "application text")
}

func memoryHasABound(t *testing.T, lines int64, only ...string) {
	const most = 120 << 20
	if n, err := strconv.ParseInt(os.Getenv("LOGCHECK_LINES"), 10, 64); err == nil {
		lines = n
	}
	for name, g := range map[string]generated{
		"few locks":                  {locks: 20},
		"a lock for each four lines": {locks: 20, always: true},
		"clients that die":           {locks: 20, dying: true},
		"locks and clients that die": {locks: 20, always: true, dying: true},
		"application text":           {locks: 20, form: "app"},
	} {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		g.lines = lines
		before := live()
		w := &witness{generated: g, lines: lines}
		o := Options{Window: time.Second, Rules: Rules{ClockError: time.Millisecond}}
		events := lines
		if g.form == "app" {
			o.Format, events = mapped(t, generatedFormat), (lines+9)/10
		}
		r, err := Check(context.Background(), o, Source{In: w})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Events != events || w.end == 0 {
			t.Fatalf("%s: %d of %d events, %d bytes", name, r.Events, lines, w.end)
		}
		if used := int64(w.end) - int64(before); used > most {
			t.Errorf("%s: %d MiB are in use, want at most %d", name, used>>20, most>>20)
		}
		t.Logf("%s: %d KiB in the middle, %d at the end; %s", name, (int64(w.middle)-int64(before))>>10, (int64(w.end)-int64(before))>>10, r.Verdict())
	}
}

// With too many locks to remember, the verdict has a doubt.
func TestWhatIsForgottenIsSaid(t *testing.T) {
	j := newJudge(Rules{}, nil)
	at := int64(0)
	for i := range maxLocks + 10 {
		at++
		j.hear(at, Acquired, "A", fmt.Sprint("l", i))
	}
	if r := j.close(at); len(r.Doubts) == 0 || r.Verdict() != Unknown || r.Locks != maxLocks+10 {
		t.Errorf("%s, %q", r.Verdict(), english(r.Doubts))
	}
	j = newJudge(Rules{}, nil)
	for i := range maxLocks + 10 {
		at += 10
		token := int64(i)
		if i == maxLocks+9 {
			i = 0 // it comes again
		}
		for k, kind := range []Kind{Acquired, Released} {
			e := line(at+int64(k), kind, fmt.Sprint("c", i%2), fmt.Sprint("l", i))
			e.Token = token
			j.observe(&e)
		}
	}
	if r := j.close(at); !said(r.Doubts, say.LogTokensForgotten) || r.Locks != maxLocks+9 {
		t.Errorf("%d locks, %q", r.Locks, english(r.Doubts))
	}
	j = newJudge(Rules{}, nil)
	for i := range maxHolds + 10 {
		j.hear(int64(i), Acquired, fmt.Sprint("c", i), "l")
	}
	if r := j.close(1); r.Verdict() != Possible || len(r.Doubts) == 0 {
		t.Errorf("%s, %+v, %q", r.Verdict(), r.Overlaps, english(r.Doubts))
	}
	j = newJudge(Rules{}, nil)
	for i := range int64(maxAllHolds + 1000) {
		j.hear(i, Acquired, fmt.Sprint("c", i), fmt.Sprint("l", i%20_000))
		if j.holds > maxAllHolds || j.pairs > maxAllPairs {
			t.Fatalf("%d holds and %d pairs are remembered", j.holds, j.pairs)
		}
	}
	if r := j.close(1); r.Verdict() != Possible || len(r.Doubts) == 0 || j.pairs != 0 || j.holds != 0 {
		t.Errorf("%s, %q; %d pairs, %d holds are left", r.Verdict(), english(r.Doubts), j.pairs, j.holds)
	}
	// All acquisitions during the silence of a client that still holds are intruders.
	for _, intruders := range []int64{maxPairs, maxPairs + 1, 100} {
		j = newJudge(Rules{}, nil)
		j.hear(0, Acquired, "A", "l")
		for i := range intruders {
			j.turn(10*i, "B", "l", Released)
		}
		j.hear(5000, Released, "A", "l")
		must.Equalf(t, j.close(1).Overlaps, Count{Certain: maxPairs, AtLeast: intruders > maxPairs},
			"%d intruders", intruders)
	}
}

// Sorting on disk gives the same order as sorting in memory, with several files and their merger.
func TestSorting(t *testing.T) {
	s := &sorter{dir: t.TempDir()}
	defer s.close()
	const n = 20_000
	for i := range int64(n) {
		e := Event{At: (i * 7919) % 5000, Line: i, Token: i - 1, Kind: Kind(i % 7), Client: fmt.Sprint("c", i%10), Lock: ""}
		must.Do(t, s.add(&e))
		if i%100 == 99 { // more chunks than may be open at once
			must.Do(t, s.spill())
		}
	}
	last, count := Event{At: -1}, 0
	err := s.each(func(e *Event) error {
		i := e.Line
		want := Event{At: (i * 7919) % 5000, Line: i, Token: i - 1, Kind: Kind(i % 7), Client: fmt.Sprint("c", i%10)}
		if compare(&last, e) >= 0 || *e != want {
			return fmt.Errorf("%+v behind %+v, want %+v", *e, last, want)
		}
		last = *e
		count++
		return nil
	})
	if err != nil || count != n || len(s.chunks) > maxChunks {
		t.Errorf("%d events, %d files: %v", count, len(s.chunks), err)
	}
}
