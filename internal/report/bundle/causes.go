package bundle

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
)

// maxCauses limits the length of the chain of causes.
const maxCauses = 6

// CausesOf picks the steps that lead to the first violation: the clients involved acquire the lock,
// something happens to them or to the store, an entry ends, and the property breaks. It returns
// indices of steps; nil when there is no chain.
func CausesOf(h *history.History, findings []checker.Finding, steps []explain.Step) []int {
	first, _ := FirstBreach(findings)
	end := FirstViolation(steps)
	if first == nil || end < 1 {
		return nil
	}
	involved := func(id history.NodeID) bool { return id != 0 && slices.Contains(first.Clients, id) }
	start := end
	for _, client := range first.Clients {
		for i := end - 1; i >= 0; i-- {
			if e := &h.Events[steps[i].Event]; e.Node == client && e.Kind == history.Acquired {
				start = min(start, i)
				break
			}
		}
	}
	var out []int
	for i := start; i < end; i++ {
		e := &h.Events[steps[i].Event]
		switch e.Kind {
		case history.Acquired, history.LostLease, history.TimedOut, history.RequestDropped, history.ReplyDropped, history.ReleaseFailed:
			if !involved(e.Node) && !involved(e.Peer) {
				continue
			}
		case history.Expired, history.Removed, history.Forgotten:
			if !involved(e.Owner) {
				continue
			}
		case history.Froze, history.Crashed, history.FaultBegan, history.ClockChanged, history.Promoted, history.Demoted, history.Restarted:
		default:
			continue
		}
		out = append(out, i)
	}
	if len(out) == 0 {
		return nil
	}
	if len(out) > maxCauses-1 {
		out = append(out[:2], out[len(out)-maxCauses+3:]...)
	}
	return append(out, end)
}

// FirstBreach returns the earliest violation and its property.
func FirstBreach(findings []checker.Finding) (first *checker.Violation, property string) {
	for _, id := range Properties(findings) {
		for i := range findings {
			f := &findings[i]
			if f.Property != id || f.Verdict != checker.Broken || len(f.Violations) == 0 {
				continue
			}
			if v := &f.Violations[0]; first == nil || v.From < first.From {
				first, property = v, id
			}
		}
	}
	return first, property
}
