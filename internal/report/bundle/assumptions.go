package bundle

import (
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Assumption is a property of the world that a lock may rely on, and whether it held in a run.
// Those that held are wrong answers to the question of which assumption failed.
type Assumption struct {
	Text   say.Phrase // in the present tense, without full stop
	Held   bool
	Figure say.Phrase     // the numbers that show it
	topics []say.Template // the wordings of the same assumption in findings
}

// About reports whether a failed assumption of a finding is about the same thing.
func (p *Assumption) About(assumed say.Phrase) bool { return slices.ContainsFunc(p.topics, assumed.Is) }

// faultSummary counts the disturbances of a run.
type faultSummary struct {
	freeze                    time.Duration // longest of a client
	hold                      time.Duration // longest
	skew                      time.Duration // largest offset of a clock
	lost, timeouts, late      int           // messages; late: faults that hold some back
	forgotten, down, promoted int           // of stores
	died                      int           // clients
	foreign                   int           // removals of another client's entry
}

// FaultSummaryOf sums up the faults of a history.
func FaultSummaryOf(t *timeline.Timeline, m *timeline.Measures) faultSummary {
	d := faultSummary{
		lost: t.Count(history.RequestDropped) + t.Count(history.ReplyDropped), timeouts: t.Count(history.TimedOut),
		forgotten: t.Count(history.Forgotten), promoted: t.Count(history.Promoted),
	}
	for _, s := range t.Freezes {
		if t.Role(s.Node) == history.RoleClient {
			d.freeze = max(d.freeze, s.To.Sub(s.From))
		}
	}
	for _, e := range t.Each(history.Crashed, history.FaultBegan, history.Removed) {
		switch role := t.Role(e.Node); {
		case e.Kind == history.Crashed && role == history.RoleClient:
			d.died++
		case e.Kind == history.Crashed && role == history.RoleStore:
			d.down++
		case e.Kind == history.FaultBegan:
			if verb := verbOf(t.History, e.Value); verb.Delays || verb.Cuts() {
				d.late++
			}
		case e.Kind == history.Removed && e.Peer == 0 && e.Owner != 0: // evicted
			d.forgotten++
		case e.Kind == history.Removed && e.Owner != 0 && e.Peer != e.Owner:
			d.foreign++
		}
	}
	for _, hold := range m.Holds {
		d.hold = max(d.hold, hold.End.Sub(hold.Start))
	}
	for _, s := range m.Skews {
		d.skew = max(d.skew, s.Off, -s.Off)
	}
	return d
}

// AssumptionsOf lists the assumptions that a lock may make, and whether they held in this run. The
// documentation of a lock says which of them it makes.
func AssumptionsOf(h *history.History, d faultSummary) []Assumption {
	lease := h.Header.Lease
	ps := []Assumption{{
		Text: say.Text("No client pauses for longer than a lease"), Held: d.freeze <= lease,
		Figure: say.LongestStandstill.With(say.Seconds(d.freeze), say.Seconds(lease)),
		topics: []say.Template{say.NeverPausesLonger},
	}, {
		Text: say.Text("Every holder finishes within a lease"), Held: d.hold <= lease,
		Figure: say.LongestHold.With(say.Seconds(d.hold), say.Seconds(lease)),
		topics: []say.Template{say.IsDoneInTime, say.NeverPausesLonger},
	}}
	if lease <= 0 {
		ps = nil // nothing to compare with
	}
	return append(ps, Assumption{
		Text: say.Text("Every message arrives, and on time"), Held: d.lost+d.timeouts+d.late == 0,
		Figure: say.MessagesLost.With(say.Number(d.lost), say.Number(d.timeouts), say.Number(d.late)),
		topics: []say.Template{say.HearsInTime, say.DemotedKeepsAll},
	}, Assumption{
		Text: say.Text("All clocks show the same time"), Held: d.skew == 0,
		Figure: say.LargestOffset.With(say.Seconds(d.skew)),
		topics: []say.Template{say.StoreClockIsRight},
	}, Assumption{
		Text: say.Text("The store forgets nothing that it has confirmed"), Held: d.forgotten+d.down+d.promoted == 0,
		Figure: say.EntriesLost.With(say.Number(d.forgotten), say.Number(d.down), say.Number(d.promoted)),
		topics: []say.Template{
			say.OutlivesThePrimary, say.OnePrimary, say.PrimaryKnowsAll, say.StoreKeepsEntries, say.OutlivesARestart,
			say.DemotedKeepsAll, say.StoreClockIsRight,
		},
	}, Assumption{
		Text: say.Text("No client dies"), Held: d.died == 0,
		Figure: say.Deaths.With(say.Number(d.died)),
		topics: []say.Template{say.AlwaysRemovesItsOwn},
	}, Assumption{
		Text: say.Text("Only its owner removes an entry"), Held: d.foreign == 0,
		Figure: say.ForeignRemovals.With(say.Number(d.foreign)),
		topics: []say.Template{say.RemovesOnlyItsOwn, say.AlwaysRemovesItsOwn},
	})
}

// Check is a condition for a meaningful verdict on a history.
type Check struct {
	Text string
	OK   bool
	Note say.Phrase // why not
}

// ChecksOf checks whether a history can be judged. A verdict "kept" needs all checks to pass;
// "broken" needs none.
func ChecksOf(j *checker.Judgement) []Check {
	h := j.History
	order, causes, healed := true, true, false
	for i := range h.Events {
		e := &h.Events[i]
		order = order && (i == 0 || h.Events[i-1].At <= e.At)
		causes = causes && e.Cause < int32(i)
		healed = healed || e.Kind == history.Healed
	}
	unfired := each.Count(j.Faults, func(f *checker.FiredFault) bool { return f.Times == 0 })
	ineffective := each.Count(j.Faults, func(f *checker.FiredFault) bool { return f.NoEffect })
	return []Check{
		{"True time never goes back.", order, say.Text("the events are not in order")},
		{"Every event comes after its cause.", causes, say.Text("an event precedes its cause")},
		{"At least one client waited for another.", j.Waited, say.Text("no clients competed for the lock")},
		{"Every planned fault happened.", unfired == 0, say.SomeUnfired.With(say.Number(unfired))},
		{"Every fault that happened had an effect.", ineffective == 0, say.SomeWithoutEffect.With(say.Number(ineffective))},
		{"The run was played to its end.", !j.CutShort, say.Text("it was cut short")},
		{"The history is complete.", h.Whole || !h.Header.HasEnd(), say.Text("it was cut off")},
		{"All faults that end were over before progress was judged.", healed, say.Text("there is no quiet period")},
	}
}
