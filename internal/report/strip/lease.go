package strip

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// entries adds the entries of servers and the time for which they were promised.
func (r *reader) entries() {
	for _, l := range r.leases {
		if until := int64(l.Until(l.Over)); until > int64(l.Over) && !l.Released() {
			r.bar(l.Node, Bar{From: int64(l.Over), To: until, Look: Promised, Client: r.colour(l.Owner)})
		}
		if row := r.rowOf(l.Node); row != nil {
			for _, p := range l.Promises[1:] {
				row.Marks = append(row.Marks, Mark{At: int64(p.At), Look: Renewed, Client: r.colour(l.Owner)})
			}
		}
	}
	labelled := map[[2]history.NodeID]bool{}
	for _, b := range r.bars.Grants {
		if r.h.Role(b.Owner) == history.RoleProbe {
			continue
		}
		from, to := r.lasts(b)
		bar := Bar{From: from, To: to, Look: Has, Client: r.colour(b.Owner), Letter: r.letter(b.Owner), Slot: b.Lane}
		if b.Copy {
			bar.Look = Copy
		}
		if pair := [2]history.NodeID{b.Node, b.Owner}; !labelled[pair] {
			labelled[pair] = true
			bar.Label = say.ServerSays.With(say.Verbatim(r.name(b.Node)), say.Name(r.name(b.Owner))).In(r.language)
		}
		r.bar(b.Node, bar)
	}
}

// mostLines limits the ends of leases that cross the rows.
const mostLines = 3

// lines adds the ends that matter: of leases that ran out while the client believed it held the
// lock, else the promised end of the first lease. The promise is in the row of its client.
func (r *reader) lines() {
	var ran []*timeline.Entry
	beliefs := map[history.NodeID][]bundle.Bar{} // of each client in the order of time, without overlap
	for _, b := range r.bars.Beliefs {
		beliefs[b.Node] = append(beliefs[b.Node], b)
	}
	for _, l := range r.leases {
		if l.RanOut() && len(ran) < mostLines && r.during(beliefs[l.Owner], int64(l.Over), int64(l.Over)+1) {
			ran = append(ran, l)
		}
	}
	if len(ran) == 0 && len(r.leases) > 0 {
		ran = append(ran, r.leases[0])
	}
	for _, l := range ran {
		end := int64(l.Over)
		if !l.RanOut() {
			end = int64(l.Until(l.Over))
		}
		ends := r.ends(l)
		r.strip.Lines = append(r.strip.Lines, Line{At: end, Ends: ends})
		if row := r.rowOf(l.Owner); row != nil {
			row.Bars = slices.Insert(row.Bars, 0, Bar{From: int64(l.From), To: end, Look: Promised, Client: r.colour(l.Owner), Ends: ends})
		}
	}
	r.now(beliefs)
	slices.SortFunc(r.strip.Lines, func(a, b Line) int { return cmp.Compare(a.At, b.At) })
	if len(ran) > 0 {
		r.strip.Lines[0].Label = say.LeaseEnd.With().In(r.language)
	}
}

// ends are the promised ends of a lease. After it ran out, its end stays the one in the past; after
// it was released or lost, it has none.
func (r *reader) ends(l *timeline.Entry) (all []Promise) {
	if !r.cursor {
		return nil
	}
	for _, p := range l.Promises {
		all = append(all, Promise{int64(p.At), int64(p.Until)})
	}
	over := Promise{int64(l.Over), None}
	if l.RanOut() {
		over.Until = over.At
	}
	return append(all, over)
}

// now computes the end of the current lease at each instant. Of several leases of clients that
// believe they hold the lock, it is the one granted last.
func (r *reader) now(beliefs map[history.NodeID][]bundle.Bar) {
	type change struct {
		Promise
		lease int
	}
	var changes []change
	for i, l := range r.leases {
		if r.during(beliefs[l.Owner], int64(l.From), int64(l.Over)) {
			for _, p := range r.ends(l) {
				if p.At == int64(l.Over) {
					p.Until = None
				}
				changes = append(changes, change{p, i})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.At, b.At) })
	line, until, living := &r.strip.Now, map[int]int64{}, []int(nil)
	for _, c := range changes {
		n, found := slices.BinarySearch(living, c.lease)
		switch {
		case c.Until == None && found:
			living = slices.Delete(living, n, n+1)
		case c.Until != None && !found:
			living = slices.Insert(living, n, c.lease)
		}
		until[c.lease] = c.Until
		now := Promise{c.At, None}
		if len(living) > 0 {
			now.Until = until[living[len(living)-1]]
		}
		line.Ends = append(line.Ends, now)
	}
	line.Label = say.LeaseEnd.With().In(r.language)
}

// during reports whether one of a client's beliefs overlaps a stretch of time.
func (r *reader) during(beliefs []bundle.Bar, from, to int64) bool {
	n, _ := slices.BinarySearchFunc(beliefs, to, func(b bundle.Bar, at int64) int {
		begins, _ := r.lasts(b)
		return cmp.Compare(begins, at)
	})
	if n == 0 {
		return false
	}
	_, ends := r.lasts(beliefs[n-1])
	return from < ends
}

// cause explains the outcome in numbers: how long a client slept, and how much of its lease was
// left; else the false assumption.
func (r *reader) cause() say.Phrase {
	wrong := &r.wrong
	nap, slept := r.bars.Timeline.LongestFreezeOfHolder()
	broken := r.strip.Impact != checker.ImpactKept && wrong.Proved()
	harmless := r.strip.Impact == checker.ImpactKept || nap.Slept > nap.Left // else it may be irrelevant
	switch who := say.Client(r.h.Name(nap.Client)); {
	case slept && (!broken && harmless || broken && slices.ContainsFunc(wrong.Events, func(i int32) bool { return r.h.Events[i].At == nap.From })):
		if nap.Left <= 0 {
			return say.SleptPast.With(who, say.Span(nap.Slept.Round(10*time.Millisecond)))
		}
		return say.SleptFor.With(who, say.Span(nap.Slept.Round(10*time.Millisecond)), say.Span(nap.Left.Round(10*time.Millisecond)))
	case broken:
		return say.CauseWas.With(wrong.Formula)
	}
	return say.Phrase{}
}
