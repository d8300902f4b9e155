package explore

import (
	"lockstep/internal/history"
)

// foresight is what a run without a fault says of the run with it. Until a fault changes something, the two are the
// same, so one that meets nobody in the first changes nothing in the second.
type foresight struct {
	p      *player
	sure   bool            // the run came to its end by itself, so that one that may last longer is no other
	begun  bool            // a fault has begun, so that another one lets nobody in
	missed history.Instant // when a fault of the run was over that had changed nothing; after all instants if none was
}

// never is after all instants of a run.
const never = history.Instant(1<<63 - 1)

// foresee looks at the run of a schedule, which has just been watched and judged.
func (p *player) foresee(h *history.History, v *verdict, s schedule) foresight {
	f := foresight{p: p, begun: len(s) > 0, missed: never}
	for i := range h.Events {
		switch e := &h.Events[i]; {
		case e.Kind == history.Healed:
			f.sure = v.whole && e.At.Duration() < p.plan.Horizon()
		case e.Kind == history.FaultEnded && v.acted>>(e.Value-1)&1 == 0:
			f.missed = min(f.missed, e.At)
		}
	}
	return f
}

// vain reports whether a fault of the schedule that goes on with a place is known to change nothing: one that was
// over before, or a client's partition from a server with which it does not deal while that lasts.
func (f *foresight) vain(next *place) bool {
	if !f.sure || next.moment == endOfLast {
		return false
	}
	m, l := &f.p.moves.all[next.moment], &f.p.g.letters[next.Letter]
	if m.at > f.missed {
		return true
	}
	return l.from != "" && (f.begun || m.open) && !f.p.w.Met(f.p.g.plan.Clients[l.who], l.from, m.at, m.at.Add(l.fault.End.For))
}
