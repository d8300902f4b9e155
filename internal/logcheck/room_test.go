package logcheck

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/say"
)

// hear judges an event, whose time is also its line.
func (j *judge) hear(at int64, kind Kind, client, lock string, token ...int64) {
	e := Event{At: at, Line: at, Kind: kind, Client: client, Lock: lock, Token: NoToken}
	if len(token) > 0 {
		e.Token = token[0]
	}
	j.observe(&e)
}

// turn lets a client acquire a lock and, at the next instant, release it or die.
func (j *judge) turn(at int64, client, lock string, end Kind) {
	j.hear(at, Acquired, client, lock)
	j.hear(at+1, end, client, lock)
}

// Only unused holds are dropped without a doubt; the verdicts on the others do not change.
func TestRoomIsMadeByWhatIsNotInUse(t *testing.T) {
	j := newJudge(Rules{}, nil)
	j.hear(1, Acquired, "A", "held")
	j.hear(2, Waiting, "B", "held")
	at := int64(10)
	for i := range maxLocks + 10 { // each of them is free again
		j.turn(at, "A", fmt.Sprint("l", i), Released)
		at += 10
	}
	if len(j.locks) > maxLocks {
		t.Errorf("%d locks are remembered", len(j.locks))
	}
	if j.locks["held"] == nil || j.locks["l0"] != nil || j.locks[fmt.Sprint("l", maxLocks)] == nil {
		t.Error("what is held or was used last was dropped, or the oldest was not")
	}
	j.hear(at, Acquired, "B", "held")
	j.hear(at+5, Released, "A", "held")
	r := j.close(at)
	if r.Overlaps != (Count{Certain: 1}) || len(r.Doubts) > 0 {
		t.Errorf("%+v, %q", r.Overlaps, english(r.Doubts))
	}
	// An overlap in a dropped lock counts.
	j = newJudge(Rules{}, nil)
	j.hear(1, Acquired, "A", "first")
	j.turn(2, "B", "first", Released)
	j.hear(4, Released, "A", "first")
	for i := range maxLocks + 10 {
		j.hear(int64(10+i), Acquired, "A", fmt.Sprint("l", i))
	}
	if r := j.close(at); r.Overlaps.Certain != 1 || r.Verdict() != Certain || r.Findings[0].Lock != "first" || len(r.Doubts) == 0 {
		t.Errorf("%+v, %+v", r.Overlaps, r.Findings[0])
	}
}

// Too many holds of one lock are a doubt as long as an acquisition may overlap them.
func TestManyHoldsAreADoubtWhileTheyMatter(t *testing.T) {
	for _, tt := range []struct {
		clockError time.Duration
		doubt      bool
	}{{0, false}, {maxHolds * 2, true}} {
		j := newJudge(Rules{ClockError: tt.clockError}, nil)
		for i := range maxHolds + 2 {
			j.turn(int64(2*i+1), fmt.Sprint("c", i), "l", Released)
		}
		if r := j.close(2*maxHolds + 4); said(r.Doubts, say.LogManyHold) != tt.doubt {
			t.Errorf("clocks off by %d: %q", tt.clockError, english(r.Doubts))
		}
	}
	// The overlaps of a dropped hold are judged.
	j := newJudge(Rules{Lease: 2}, nil)
	for i := range maxHolds + 2 {
		at := int64(10 * i)
		if i == 1 {
			at = 2
		}
		j.hear(at, Acquired, fmt.Sprint("c", i), "l")
	}
	must.Equal(t, j.close(1).Overlaps, Count{Possible: 1})
	// The last clients that were reported dead are remembered; a line of an earlier one is a doubt.
	for first, want := range map[string]Verdict{"c0": Unknown, fmt.Sprint("c", maxHolds+1): Certain} {
		j := newJudge(Rules{}, nil)
		at := int64(0)
		for i := range maxHolds + 2 {
			j.turn(at, fmt.Sprint("c", i), "l", Crashed)
			at += 10
		}
		j.hear(at, Acquired, "B", "l")
		j.hear(at+5, Released, first, "l")
		j.hear(at+9, Released, "B", "l")
		if r := j.close(at); r.Verdict() != want {
			t.Errorf("%s acts: %s, %+v, %q", first, r.Verdict(), r.Overlaps, english(r.Doubts))
		}
	}
}

// However many holds may overlap, an overlap of others is found.
func TestManyPairsHideNoOverlap(t *testing.T) {
	j := newJudge(Rules{}, nil)
	j.pairs = maxAllPairs
	j.hear(1, Acquired, "A", "l")
	j.hear(5, Acquired, "B", "l")
	j.hear(7, Acquired, "C", "l")
	j.hear(9, Released, "A", "l")
	if r := j.close(4); r.Overlaps.Certain != 1 || !r.Findings[0].Overlaps.AtLeast {
		t.Errorf("%+v", r.Overlaps)
	}
}

// Ended holds are forgotten one by one: a second end is then a doubt instead of a repetition.
func TestEndsAreForgottenOneByOne(t *testing.T) {
	for client, doubt := range map[string]bool{"c0": true, "c1": false, fmt.Sprint("c", maxEnded): false} {
		j := newJudge(Rules{}, nil)
		at := int64(1)
		for i := range maxEnded + 1 {
			j.turn(at, fmt.Sprint("c", i), "l", Released)
			at += 2
		}
		j.hear(at, Released, client, "l")
		if r := j.close(at); said(r.Doubts, say.LogEndUnheld) != doubt || said(r.Remarks, say.LogRepeated) == doubt {
			t.Errorf("%s: %q, %q", client, english(r.Doubts), english(r.Remarks))
		}
	}
}

// The tokens within the error of the clocks are limited. Dropping one neither makes an older one
// look newer nor hides one that was certainly seen before.
func TestManyTokensWithinTheClocks(t *testing.T) {
	for n := range 2 * maxMarks {
		for _, middle := range []bool{false, true} {
			j := newJudge(Rules{ClockError: 50}, nil)
			j.hear(1, Acquired, "old", "l", 1)
			if middle {
				j.hear(500, Acquired, "middle", "l", 5)
			}
			at := int64(1000)
			for i := range n {
				client := fmt.Sprint("c", i)
				j.hear(at, Acquired, client, "l", int64(10+i))
				j.hear(at+1, Lost, client, "l")
				at += 2
			}
			j.hear(at, Write, "old", "l", 1) // for the last tokens, too early to be certain
			j.hear(at+200, Write, "old", "l", 1)
			want := Count{Possible: 1, Certain: 1}
			switch {
			case middle:
				want = Count{Certain: 2}
			case n == 0:
				want = Count{}
			}
			must.Equalf(t, j.close(at).StaleWrites, want,
				"%d newer tokens, one before: %v", n, middle)
		}
	}
}

// Very many lines of one time give no certain verdict.
func TestManyLinesOfOneTime(t *testing.T) {
	const at = "2026-03-01T10:00:00.000Z"
	var log strings.Builder
	const begin = "time,client,lock,event,number\n" + at + ",X,l,acquired,0\n" + at + ",Y,l,waiting,0\n" + at + ",X,l,released,0\n"
	log.WriteString(begin)
	for i := range maxSame/2 + 1 {
		fmt.Fprintf(&log, "%s,A,m,acquired,%d\n%s,A,m,released,%d\n", at, i, at, i)
	}
	if r := checked(t, log.String(), Options{}); r.Verdict() != Unknown || !said(r.Doubts, say.LogManyAtOnce) {
		t.Errorf("%s, %q", r.Verdict(), english(r.Doubts))
	}
	log.Reset()
	log.WriteString(begin)
	for i := range maxInstant {
		fmt.Fprintf(&log, "%s,c%d,l%d,waiting,%d\n", at, i%1000, i%100, i)
	}
	for _, in := range []Source{source("log", log.String()), piped(log.String())} {
		r := must.Get(Check(t.Context(), Options{}, in))(t)
		if r.Verdict() != Unknown || !said(r.Doubts, say.LogCrowded) || r.Events != maxInstant+3 {
			t.Errorf("%s, %q, %d events", r.Verdict(), english(r.Doubts), r.Events)
		}
	}
	if _, err := Check(t.Context(), Options{Window: time.Second}, piped(log.String())); err == nil {
		t.Error("a window that is too long is no error")
	}
}

// An unread part of a log is a doubt.
func TestMissingPart(t *testing.T) {
	for _, why := range []say.Phrase{{}, say.LogEmpty.With()} {
		r := checked(t, handMade, Options{Missing: func() say.Phrase { return why }})
		must.Equalf(t, (r.Verdict() == None), why.Empty(), "%s: %q", r.Verdict(), english(r.Doubts))
	}
}

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

// Memory does not grow with the lines of a log, with its names of clients and locks, or with
// clients that die. Set LOGCHECK_LINES for a longer log.
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
			j.hear(at+int64(k), kind, fmt.Sprint("c", i%2), fmt.Sprint("l", i), token)
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
