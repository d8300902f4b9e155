package explore

import (
	"slices"

	"lockstep/internal/history"
)

// foresight is what a run without a fault says of the run with it. Until a fault changes something, the two are the
// same, so one that meets nobody in the first changes nothing in the second.
type foresight struct {
	p      *player
	sure   bool            // the run came to its end by itself, so that one that may last longer is no other
	begun  bool            // a fault has begun, so that another one lets nobody in
	missed history.Instant // when a fault of the run was over that had changed nothing; after all instants if none was
	healed history.Instant // see healedAt
}

// never is after all instants of a run.
const never = history.Instant(1<<63 - 1)

// foresee looks at the run of a schedule, which has just been watched and judged.
func (p *player) foresee(h *history.History, v *verdict, s schedule) foresight {
	f := foresight{p: p, begun: len(s) > 0, missed: never, healed: healedAt(h)}
	f.sure = v.whole && f.healed.Duration() < p.plan.Horizon()
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == history.FaultEnded && v.acted>>(e.Value-1)&1 == 0 {
			f.missed = min(f.missed, e.At)
		}
	}
	return f
}

// healedAt is when all faults of a run were over; never if they were not.
func healedAt(h *history.History) history.Instant {
	for i := range slices.Backward(h.Events) {
		if h.Events[i].Kind == history.Healed {
			return h.Events[i].At
		}
	}
	return never
}

// vain reports whether a fault of a schedule that has this run, or of the place that it goes on with, is known to change
// nothing: one that was over before or does not begin, and a partition or a lag that nobody would feel.
func (f *foresight) vain(s schedule, next *place) bool {
	if !f.sure || next.moment == endOfLast {
		return f.sure && f.healed < next.at
	}
	m, l := &f.p.moves.all[next.moment], &f.p.g.letters[next.Letter]
	if m.at > f.missed && !f.lasts(s, m.at) {
		return true
	}
	return (f.begun || m.open) && !f.p.w.Felt(&l.fault, m.at, min(f.p.ends(next), f.healed))
}

// lasts reports whether a schedule has a fault that is not over at an instant: in its run, that may be one of another schedule,
// which begins and ends earlier.
func (f *foresight) lasts(s schedule, at history.Instant) bool {
	return slices.ContainsFunc(s, func(x place) bool { return f.p.ends(&x) >= at })
}
