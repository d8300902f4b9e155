package checker

import (
	"math"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// ProgressID names the property that the lock comes back.
const ProgressID = "progress"

// ProgressFactor times the lease is how long the lock may stay unavailable after
// all faults are over. Worlds give the probe that much patience at least.
const ProgressFactor = 10

func init() {
	Register(Property{
		ID:      ProgressID,
		Summary: "Once the faults are over, a client that asks for the lock gets it within ten leases.",
		Source:  "Lamport 1977, on liveness; the bound makes it testable",
		Core:    true,
		Check:   checkProgress,
	})
}

// checkProgress asks whether the probe, a client that comes when all faults are
// over, acquires within ProgressFactor leases.
//
// The clock starts when the quiet period begins (Healed), and again whenever
// another client acquires, since a lock that changes hands is not stuck:
//
//	100 healed
//	101 P waits         the probe
//	150 A acquired      A had been frozen and plays its last round
//	155 A releasing
//	210 P acquired      60 after 150: kept with a lease of 10
//
// It does not ask whether a client holds the lock. A worker that hangs
// for ever while its watchdog renews the lease holds it rightfully, and
// still no other client can acquire until an operator kills the process:
//
//	  5 A acquired      A never releases
//	100 healed
//	101 P waits
//	201 P gave-up       stuck from 100 until 201: broken
//
// The probe's failure is an answer only if it was given its time: a history that
// ends earlier, say because someone pressed Ctrl-C, leaves the property unknown.
//
// The violation is the interval in which the lock was unavailable. Its first
// client is the probe; those who believed to hold at its end follow.
func checkProgress(h *history.History) Finding {
	f := Finding{Property: ProgressID, Verdict: Unknown}
	q := watchQuiet(h)
	switch {
	case q.healed == history.NoCause:
		f.Reason = say.NoQuietPeriod.With()
		return f
	case q.probe == 0:
		f.Reason = say.NoProbe.With()
		return f
	case h.Header.Lease <= 0:
		f.Reason = say.LeaseUnknown.With()
		return f
	}
	bound, length := ProgressBound(h.Header.Lease), q.to.Sub(q.from)
	if q.got && length <= bound {
		f.Verdict = Kept
		return f
	}
	if length < bound {
		f.Reason = say.ProbeTooShort.With(ProgressFactor)
		return f
	}
	f.Verdict = Broken
	f.add(Violation{
		From: q.from, To: q.to,
		Clients: append([]history.NodeID{q.probe}, without(q.holders, q.probe)...),
		Events:  evidence(q.healed, q.moved, q.waits, q.last),
	})
	return f
}

// ProgressBound returns how long the lock may stay unavailable in the quiet
// period.
func ProgressBound(lease time.Duration) time.Duration {
	if lease > math.MaxInt64/ProgressFactor {
		return math.MaxInt64
	}
	return ProgressFactor * lease
}

// quiet is what happened in the quiet period, until the probe's fate was sealed.
type quiet struct {
	healed   int32            // the Healed event
	waits    int32            // the probe's first Waits after it
	moved    int32            // the last Acquired of another client after healed
	last     int32            // what ended the wait, or the last event of the history
	probe    history.NodeID   // 0: no probe ran
	holders  []history.NodeID // others who believed to hold at the end
	got      bool             // whether the probe acquired
	from, to history.Instant  // since when it was unavailable, until when
}

func watchQuiet(h *history.History) quiet {
	q := quiet{healed: history.NoCause, waits: history.NoCause, moved: history.NoCause}
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case history.Acquired:
			q.holders = append(without(q.holders, e.Node), e.Node)
		case history.Releasing, history.LostLease, history.Crashed:
			q.holders = without(q.holders, e.Node)
		}
		if e.Kind == history.Healed && q.healed == history.NoCause {
			q.healed, q.from = i, e.At
		}
		if q.healed == history.NoCause {
			continue
		}
		q.last, q.to = i, e.At
		isProbe := h.Role(e.Node) == history.RoleProbe
		switch {
		case e.Kind == history.Waits && isProbe && q.waits == history.NoCause:
			q.waits, q.probe = i, e.Node
		case e.Kind == history.Acquired && isProbe:
			q.probe, q.got = e.Node, true
			return q
		case e.Kind == history.GaveUp && isProbe:
			q.probe = e.Node
			return q
		case e.Kind == history.Acquired:
			q.moved, q.from = i, e.At
		}
	}
	if q.healed != history.NoCause {
		q.last, q.to = int32(len(h.Events)-1), h.End()
	}
	return q
}
