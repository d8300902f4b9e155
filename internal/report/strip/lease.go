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

// entries are what servers have, and up to when they have promised it.
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
	type pair struct{ node, owner history.NodeID }
	labelled := map[pair]bool{}
	for _, b := range r.bars.Grants {
		if r.h.Role(b.Owner) == history.RoleProbe {
			continue
		}
		from, to := r.lasts(b)
		bar := Bar{From: from, To: to, Look: Has, Client: r.colour(b.Owner), Slot: b.Lane}
		if b.Copy {
			bar.Look = Copy
		}
		if is := (pair{b.Node, b.Owner}); !labelled[is] {
			labelled[is] = true
			bar.Label = say.ServerSays.With(say.Verbatim(r.name(b.Node)), say.Name(r.name(b.Owner))).In(r.language)
		}
		r.bar(b.Node, bar)
	}
}

// mostLines is how many ends of leases cross the rows.
const mostLines = 3

// lines are the ends that matter: where a lease ran out while its client went on, else where the
// first one was promised to end. The promise lies in the row of its client.
func (r *reader) lines() {
	var ran []*timeline.Entry
	believers := r.believers()
	for i := range r.leases {
		l := r.leases[i]
		if l.RanOut() && len(ran) < mostLines && r.during(believers[l.Owner], int64(l.Over), int64(l.Over)+1) {
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
	r.now(believers)
	slices.SortFunc(r.strip.Lines, func(a, b Line) int { return cmp.Compare(a.At, b.At) })
	if len(ran) > 0 {
		r.strip.Lines[0].Label = say.LeaseEnd.With().In(r.language)
	}
}

// ends are the ends that one lease was promised. One that ran out has its end behind it from then on; of
// one that was given back, or lost, none is left.
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

// now is the end of the present lease at each instant: of those that clients with the lock have, the one
// that was granted last.
func (r *reader) now(believers map[history.NodeID][]bundle.Bar) {
	type change struct {
		Promise
		lease int
	}
	var changes []change
	for i := range r.leases {
		if l := r.leases[i]; r.during(believers[l.Owner], int64(l.From), int64(l.Over)) {
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

// Diverges marks where the run leaves the one that it is compared with.
func (s *Strip) Diverges(at history.Instant, l say.Language) {
	s.Lines = append(s.Lines, Line{At: int64(at), Label: say.DivergesHere.With().In(l)})
}

// believers lists the beliefs by client, in the order of time: those of one client do not overlap.
func (r *reader) believers() map[history.NodeID][]bundle.Bar {
	of := map[history.NodeID][]bundle.Bar{}
	for _, b := range r.bars.Beliefs {
		of[b.Node] = append(of[b.Node], b)
	}
	return of
}

// during reports whether one of these beliefs lasts at some time between two instants.
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

// cause says in numbers what decided the run: of a client that slept, for how long, and what its
// lease had left; else the assumption that was false.
func (r *reader) cause() say.Phrase {
	wrong := &r.wrong
	nap, slept := r.bars.Timeline.LongestNap()
	broken := r.strip.Impact != checker.ImpactKept && wrong.Proved()
	harmless := r.strip.Impact == checker.ImpactKept || nap.Slept > nap.Left // else it may have nothing to do with it
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
