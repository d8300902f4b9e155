package claims

import (
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Lost counts the writes that the resource has accepted, and how many of them were lost: the last
// version does not come from them, however many writes lie between. It is what a client counts that has
// added one element with each write to a set, and looks for them at the end; one outdated write may lose
// many. A run with several resources is none of this kind.
func Lost(h *history.History) (lost, accepted int) {
	from := map[int64]int64{} // the version that each version was computed from
	var last int64
	for _, e := range timeline.Of(h).Each(history.WriteAccepted) {
		if e.Cause == history.NoCause {
			continue
		}
		from[e.Value] = h.Events[e.Cause].Value
		last = e.Value
	}
	kept := 0
	for v, written := last, len(from) > 0; written && kept < len(from); kept++ {
		v = from[v]
		_, written = from[v]
	}
	return len(from) - kept, len(from)
}
