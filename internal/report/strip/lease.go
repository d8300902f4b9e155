package strip

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
)

// entries are what servers have, and up to when they have promised it.
func (r *reader) entries() {
	for _, l := range r.leases {
		if until := int64(l.Until(l.Over)); until > int64(l.Over) && !l.Released {
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
	var ran []*explain.Lease
	believers := r.believers()
	for i := range r.leases {
		l := &r.leases[i]
		if l.RanOut && len(ran) < mostLines && r.during(believers[l.Owner], int64(l.Over)) {
			ran = append(ran, l)
		}
	}
	if len(ran) == 0 && len(r.leases) > 0 {
		ran = append(ran, &r.leases[0])
	}
	for _, l := range ran {
		end := int64(l.Over)
		if !l.RanOut {
			end = int64(l.Until(l.Over))
		}
		r.strip.Lines = append(r.strip.Lines, Line{At: end})
		if row := r.rowOf(l.Owner); row != nil {
			row.Bars = slices.Insert(row.Bars, 0, Bar{From: int64(l.From()), To: end, Look: Promised, Client: r.colour(l.Owner)})
		}
	}
	slices.SortFunc(r.strip.Lines, func(a, b Line) int { return cmp.Compare(a.At, b.At) })
	if len(ran) > 0 {
		r.strip.Lines[0].Label = say.LeaseEnd.With().In(r.language)
	}
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

// during reports whether one of these beliefs lasts at an instant.
func (r *reader) during(beliefs []bundle.Bar, at int64) bool {
	n, _ := slices.BinarySearchFunc(beliefs, at+1, func(b bundle.Bar, at int64) int {
		from, _ := r.lasts(b)
		return cmp.Compare(from, at)
	})
	if n == 0 {
		return false
	}
	_, to := r.lasts(beliefs[n-1])
	return at < to
}

// cause says in numbers what decided the run: of a client that slept, for how long, and what its
// lease had left; else the assumption that was false.
func (r *reader) cause() say.Phrase {
	wrong := explain.Assumption(r.h, r.j.Findings, r.lag)
	nap, slept := explain.LongestNap(r.h)
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
