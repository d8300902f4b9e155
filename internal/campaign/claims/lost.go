package claims

import (
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Lost counts the writes that the resource has accepted, and those that were lost: the last version
// does not derive from them, directly or indirectly. It is what a client counts that adds one
// element to a set with each write and looks for them at the end; one outdated write may lose many.
// It is not for runs with several resources.
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
