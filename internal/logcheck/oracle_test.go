package logcheck

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/logcheck/logline"
	"lockstep/internal/must"
)

// closed is a hold as it is drawn: the truth behind its lines.
type closed struct {
	client   string
	from, to int64
	end      Kind // Released, Lost or Crashed; Waiting for one of which no more is heard
}

// drawHolds draws holds of a few clients; those of one client do not overlap.
func drawHolds(t *rapid.T, ends ...Kind) (holds []closed) {
	for c := range rapid.IntRange(2, 3).Draw(t, "clients") {
		client := string(rune('A' + c))
		at := int64(0)
		for i := range rapid.IntRange(1, 2).Draw(t, "holds") {
			if i > 0 { // by equal times, nothing tells the next hold of a client from a second one
				at++
			}
			h := closed{client: client, from: at + rapid.Int64Range(0, 6).Draw(t, "rest")}
			h.to = h.from + rapid.Int64Range(0, 6).Draw(t, "held")
			h.end = rapid.SampledFrom(ends).Draw(t, "end")
			holds = append(holds, h)
			at = h.to
			if h.end == Waiting {
				break // its silence is the last that is seen of it
			}
		}
	}
	return holds
}

// logged returns the lines of holds, in the order of their times.
func logged(holds []closed) (events []Event) {
	for _, h := range holds {
		events = append(events, Event{At: h.from, Kind: Acquired, Client: h.client, Lock: "l", Token: NoToken})
		if h.end != Waiting {
			events = append(events, Event{At: h.to, Kind: h.end, Client: h.client, Lock: "l", Token: NoToken})
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.At - b.At) })
	for i := range events {
		events[i].Line = int64(i + 2)
	}
	return events
}

// judged judges events in the order of their times.
func judged(events []Event, rules Rules) *Result {
	events = slices.Clone(events)
	slices.SortFunc(events, func(a, b Event) int { return compare(&a, &b) })
	j := newJudge(rules, nil)
	all := instant{judge: j}
	for i := range events {
		all.add(&events[i])
	}
	all.flush()
	return j.close(int64(len(events)))
}

// With right clocks, an end for each hold and no two lines of one time, an overlap means the same
// as in a history.
func TestOverlapMeansTheSameInAHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := logged(drawHolds(t, Released, Lost))
		for i := 1; i < len(events); i++ {
			events[i].At = max(events[i].At, events[i-1].At+1)
		}
		var x checker.Exclusion
		kinds := map[Kind]history.Kind{Acquired: history.Acquired, Released: history.Releasing, Lost: history.LostLease}
		for i, e := range events {
			x.Observe(int32(i), &history.Event{At: history.Instant(e.At), Kind: kinds[e.Kind], Node: history.NodeID(e.Client[0] - 'A' + 1)})
		}
		finding := x.Finish(history.Instant(events[len(events)-1].At))
		got := judged(events, Rules{})
		if got.Overlaps != (Count{Certain: int64(finding.Count)}) {
			t.Fatalf("%+v, the history has %d: %+v", got.Overlaps, finding.Count, events)
		}
	})
}

// world is one possible truth behind a log.
type world struct {
	clock, late, grain, lease int64
}

// half is how many instants a unit of time has here, so that several non-empty holds fit into one
// grain.
const half = 2

// between returns the possible instants of an event with the time of its line.
func (w world) between(at int64) (from, to int64) {
	return half * (at - w.clock), half*(at+w.grain+w.clock) - 1
}

// ends returns the possible ends of a hold by its beginning.
func (w world) ends(h closed, began int64) (from, to int64) {
	last := began + 1 // of a client that says no more, or is dead: it held then
	switch h.end {
	case Released:
		from, to = w.between(h.to)
		from -= half * w.late
	case Lost:
		from, to = w.between(h.to)
	case Crashed:
		from = last
		_, to = w.between(min(h.to, h.from+w.lease))
	case Waiting:
		from = last
		_, to = w.between(h.from + w.lease)
	}
	return max(from, last), max(to, last)
}

// instants returns all instants of a range, or a sample of a long range.
func instants(from, to int64) (all []int64) {
	step := max((to-from)/5, 1)
	for at := from; at <= to; at += step {
		all = append(all, at)
	}
	if to > from {
		all = append(all, to-1, to)
	}
	return all
}

// overlapping reports whether two holds overlap in some of the worlds, and in all of them, by
// trying each.
func (w world) overlapping(x, y closed) (some, all bool) {
	all = true
	xFrom, xUntil := w.between(x.from)
	yFrom, yUntil := w.between(y.from)
	for _, a := range instants(xFrom, xUntil) {
		for _, b := range instants(yFrom, yUntil) {
			for _, c := range instants(w.ends(x, a)) {
				for _, d := range instants(w.ends(y, b)) {
					overlap := max(a, b) < min(c, d)
					some, all = some || overlap, all && overlap
				}
			}
		}
	}
	return some, all
}

// verdict returns the verdict on all pairs.
func (w world) verdict(holds []closed) (worst Verdict, intruders int64) {
	worst = None
	for i, y := range holds {
		intrudes := false
		for k, x := range holds {
			if x.client == y.client || x.from > y.from || x.from == y.from && k >= i {
				continue
			}
			some, all := w.overlapping(x, y)
			intrudes = intrudes || all
			switch {
			case all:
				worst = Certain
			case some && worst == None:
				worst = Possible
			}
		}
		if intrudes {
			intruders++
		}
	}
	return worst, intruders
}

// An overlap is certain or possible by brute force over all worlds that may have written the log:
// each time within the error of the clocks and truncated to its grain, each release before its
// line, each silent client until the end of its lease.
func TestOverlapsByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := world{
			clock: rapid.Int64Range(0, 1).Draw(t, "clock error"), late: rapid.SampledFrom([]int64{0, 0, 2}).Draw(t, "released after"),
			grain: rapid.SampledFrom([]int64{1, 10}).Draw(t, "grain"), lease: rapid.Int64Range(1, 5).Draw(t, "lease"),
		}
		holds := drawHolds(t, Released, Released, Lost, Crashed, Waiting)
		unit, fine := int64(1), int8(0)
		if w.grain == 10 { // times are cut off to tens
			unit, fine = 10, 1
			w.clock = 0 // else there are too many worlds
			for i := range holds {
				h := &holds[i]
				h.from, h.to = h.from/3*unit, h.to/3*unit
				if i > 0 && holds[i-1].client == h.client { // see drawHolds
					h.from = max(h.from, holds[i-1].to+unit)
					h.to = max(h.to, h.from)
				}
			}
		}
		events := logged(holds)
		for i := range events {
			events[i].Fine = fine
		}
		want, intruders := w.verdict(holds)
		rules := Rules{ClockError: time.Duration(w.clock), ReleasedAfter: time.Duration(w.late), Lease: time.Duration(w.lease)}
		got := judged(events, rules)
		if overlap := got.Overlaps.verdict(false); overlap != want || got.Overlaps.Certain != intruders {
			t.Fatalf("%s, %+v; want %s and %d for certain: %+v, %+v", overlap, got.Overlaps, want, intruders, w, holds)
		}
		// Each assumption is tried with and without it.
		rules.Assumed = Assumed{ClockError: true, ReleasedAfter: true}
		for _, s := range judged(events, rules).Settings {
			w.clock, w.late = int64(s.ClockError), int64(s.ReleasedAfter)
			if want, _ := w.verdict(holds); s.Overlap != want && !(want == None && s.Overlap == Unknown) {
				t.Fatalf("%+v, want %s: %+v", s, want, holds)
			}
		}
	})
}

// A log has one verdict, whatever the order of lines of one time.
func TestOrderOfLinesByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := []string{}
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			// By less than a second, else some orders look like a clock that is set back.
			at := time.Unix(1772359200, 1e8*rapid.Int64Range(0, 2).Draw(t, "at")).UTC().Format("2006-01-02T15:04:05.0Z07:00")
			token := rapid.SampledFrom([]string{"", "", "1", "2"}).Draw(t, "token")
			lines = append(lines, at+","+rapid.SampledFrom([]string{"A", "B"}).Draw(t, "client")+",l,"+rapid.SampledFrom(logline.EventWords).Draw(t, "kind")+","+token+"\n")
		}
		oneVerdict(t, lines)
	})
	for _, lines := range [][]string{ // those of one time in the order of the file had two verdicts
		{"00,A,l,acquired,", "00,A,l,extended,2", "02,B,l,acquired,", "02,A,l,write,2"},
		{"00,A,l,waiting,", "01,B,l,waiting,", "01,A,l,acquired,"},
	} {
		for i := range lines {
			lines[i] = "2026-03-01T10:00:" + strings.Replace(lines[i], ",", "Z,", 1) + "\n"
		}
		oneVerdict(t, lines)
	}
}

// oneVerdict checks a log in each order of its lines.
func oneVerdict(t rapid.TB, lines []string) {
	want := ""
	permute(lines, 0, func() {
		r := must.Get(Check(context.Background(), Options{Rules: plausible}, source("log", "time,client,lock,event,token\n"+strings.Join(lines, ""))))(t)
		got := string(r.Overlap()) + " " + string(r.StaleWrite())
		if want = cmp.Or(want, got); got != want {
			t.Fatalf("%s, and %s in another order: %q", got, want, lines)
		}
	})
}

// permute calls f with the lines in each order, or in a sample of the orders.
func permute(lines []string, from int, f func()) {
	if len(lines) > 4 {
		r := rand.New(rand.NewPCG(1, uint64(len(lines))))
		for range 8 {
			f()
			r.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
		}
		slices.Sort(lines)
		f()
		slices.Reverse(lines)
		f()
		return
	}
	if from == len(lines) {
		f()
		return
	}
	for i := from; i < len(lines); i++ {
		lines[from], lines[i] = lines[i], lines[from]
		permute(lines, from+1, f)
		lines[from], lines[i] = lines[i], lines[from]
	}
}

// stale reports whether a write of a hold is stale in some of the worlds, and in all: a newer
// holder acquired the lock between the acquisition of the hold and the write. Tokens define which
// holder is newer.
func (w world) stale(own, other closed, at int64, tokens bool) (some, all bool) {
	all = true
	for _, a := range instants(w.between(own.from)) {
		for _, b := range instants(w.between(other.from)) {
			for _, c := range instants(w.between(at)) {
				if c >= a {
					is := (tokens || a < b) && b < c
					some, all = some || is, all && is
				}
			}
		}
	}
	return some, all
}

// A write is stale by brute force over all worlds, unless the writer still held: then the newer
// hold is an overlap.
func TestStaleWritesByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := world{clock: rapid.Int64Range(0, 1).Draw(t, "clock error"), grain: 1}
		tokens := rapid.Bool().Draw(t, "tokens")
		holds := drawHolds(t, Released, Lost)
		slices.SortStableFunc(holds, func(a, b closed) int { return int(a.from - b.from) })
		events := logged(holds)
		want, _ := w.verdict(holds)
		for i, own := range holds {
			next := int64(20)
			for _, h := range holds[i+1:] {
				if h.client == own.client {
					next = min(next, h.from-1)
				}
			}
			if next < own.from || !rapid.Bool().Draw(t, "writes") {
				continue
			}
			at := rapid.Int64Range(own.from, min(next, own.to+4)).Draw(t, "write")
			e := Event{At: at, Line: 100, Kind: Write, Client: own.client, Lock: "l", Token: NoToken}
			if tokens {
				e.Token = int64(i)
			}
			events = append(events, e)
			for k, other := range holds {
				if other.client == own.client || tokens && k < i {
					continue
				}
				switch some, all := w.stale(own, other, at, tokens); {
				case all:
					want = Certain
				case some && want == None:
					want = Possible
				}
			}
		}
		if tokens {
			for i := range events {
				if e := &events[i]; e.Kind == Acquired {
					e.Token = int64(slices.IndexFunc(holds, func(h closed) bool { return h.client == e.Client && h.from == e.At }))
				}
			}
		}
		r := judged(events, Rules{ClockError: time.Duration(w.clock)})
		if got := worse(r.Overlaps.verdict(false), r.StaleWrites.verdict(false)); got != want {
			t.Fatalf("%s, want %s, tokens %v: %+v, %+v", got, want, tokens, w, events)
		}
	})
}
