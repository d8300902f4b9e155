package report

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// premise is something that a lock may rest on, and whether the world of a run
// kept to it. Premises that held are the wrong answers to the question which
// assumption failed.
type premise struct {
	Text   string // as an assumption, in the present tense
	Held   bool
	Figure string // the numbers that show it
	topics []string
}

// about reports whether an assumption that failed is about the same thing.
func (p *premise) about(assumed string) bool {
	low := strings.ToLower(assumed)
	for _, t := range p.topics {
		if strings.Contains(low, t) {
			return true
		}
	}
	return false
}

// deeds are what the world of a run did to the lock.
type deeds struct {
	freeze                    time.Duration // longest of a client
	hold                      time.Duration // longest
	skew                      time.Duration // largest offset of a clock
	lost, timeouts, late      int           // messages; late: faults that hold some back
	forgotten, down, promoted int           // of stores
	died                      int           // clients
	foreign                   int           // removals of another's entry
}

func deedsOf(h *history.History, m *measures) deeds {
	var d deeds
	froze := make([]history.Instant, len(h.Header.Nodes)+1)
	frozen := make([]bool, len(froze))
	for i := range h.Events {
		e := &h.Events[i]
		if int(e.Node) >= len(froze) {
			continue
		}
		role := h.Role(e.Node)
		switch e.Kind {
		case history.Froze:
			froze[e.Node], frozen[e.Node] = e.At, role == history.RoleClient
		case history.Thawed, history.Crashed:
			if frozen[e.Node] {
				d.freeze = max(d.freeze, e.At.Sub(froze[e.Node]))
			}
			frozen[e.Node] = false
			if e.Kind == history.Crashed && role == history.RoleClient {
				d.died++
			} else if e.Kind == history.Crashed && role == history.RoleStore {
				d.down++
			}
		case history.RequestDropped, history.ReplyDropped:
			d.lost++
		case history.TimedOut:
			d.timeouts++
		case history.FaultBegan:
			if holdsBack(verbOf(h, e.Value)) {
				d.late++
			}
		case history.Forgotten:
			d.forgotten++
		case history.Promoted:
			d.promoted++
		case history.Removed:
			if e.Peer != 0 && e.Owner != 0 && e.Peer != e.Owner {
				d.foreign++
			}
		}
	}
	for id := range frozen {
		if frozen[id] {
			d.freeze = max(d.freeze, h.End().Sub(froze[id]))
		}
	}
	for _, hold := range m.holds {
		d.hold = max(d.hold, hold.End.Sub(hold.Start))
	}
	for _, s := range m.skews {
		d.skew = max(d.skew, s.off, -s.off)
	}
	return d
}

// holdsBack reports whether a fault makes messages arrive late.
func holdsBack(verb string) bool { return verb == "delay" || verb == "partition" || verb == "cut" }

// verbOf returns the verb of a fault of the header, "" for an unknown number.
func verbOf(h *history.History, number int64) string {
	for _, f := range h.Header.Faults {
		if int64(f.Number) == number {
			return f.Verb
		}
	}
	return ""
}

// premisesOf lists what a lock may rest on. All of them are facts about the run;
// which of them a lock does rest on is said by its own documentation.
func premisesOf(h *history.History, d deeds) []premise {
	lease := h.Header.Lease
	short := func(x time.Duration) string { return history.Instant(x).String() }
	ps := []premise{{
		Text: "No client stands still for longer than a lease.", Held: d.freeze <= lease,
		Figure: fmt.Sprintf("longest standstill %s, lease %s", short(d.freeze), short(lease)),
		topics: []string{"pause", "freez", "stand"},
	}, {
		Text: "Every holder is done within a lease.", Held: d.hold <= lease,
		Figure: fmt.Sprintf("longest hold %s, lease %s", short(d.hold), short(lease)),
		topics: []string{"work", "done", "pause"},
	}}
	if lease <= 0 {
		ps = nil // nothing to compare with
	}
	return append(ps, premise{
		Text: "Every message arrives, and in time.", Held: d.lost+d.timeouts+d.late == 0,
		Figure: fmt.Sprintf("%d lost, %d response timeouts, %d faults that hold messages back", d.lost, d.timeouts, d.late),
		topics: []string{"repl", "hears", "message"},
	}, premise{
		Text: "All clocks show the same time.", Held: d.skew == 0,
		Figure: "largest offset " + short(d.skew),
		topics: []string{"clock"},
	}, premise{
		Text: "The store forgets nothing that it has confirmed.", Held: d.forgotten+d.down+d.promoted == 0,
		Figure: fmt.Sprintf("%d entries forgotten, %d crashes, %d promotions", d.forgotten, d.down, d.promoted),
		topics: []string{"store", "primary", "replica", "restart", "confirm"},
	}, premise{
		Text: "No client dies.", Held: d.died == 0,
		Figure: fmt.Sprintf("%d deaths", d.died),
		topics: []string{"always comes", "dies"},
	}, premise{
		Text: "Nobody removes an entry but its owner.", Held: d.foreign == 0,
		Figure: fmt.Sprintf("%d foreign removals", d.foreign),
		topics: []string{"removes", "remove its"},
	})
}

// check is something that a history must satisfy before a verdict on it means
// anything.
type check struct {
	Text string
	OK   bool
	Note string // when it is not satisfied
}

// checksOf looks whether a history is fit to be judged. A verdict "kept" needs
// all of them; what was broken stays broken.
func checksOf(j *checker.Judgement) []check {
	h := j.History
	order, causes, healed := true, true, false
	for i := range h.Events {
		e := &h.Events[i]
		order = order && (i == 0 || h.Events[i-1].At <= e.At)
		causes = causes && e.Cause < int32(i)
		healed = healed || e.Kind == history.Healed
	}
	unfired, inVain := 0, 0
	for _, f := range j.Faults {
		if f.Times == 0 {
			unfired++
		}
		if f.InVain {
			inVain++
		}
	}
	return []check{
		{"True time never goes back.", order, "the events are not in order"},
		{"Every event comes after its cause.", causes, "an event precedes its cause"},
		{"Some client had to wait for another.", j.Waited, "nobody contended for the lock"},
		{"Every planned fault happened.", unfired == 0, fmt.Sprintf("%d never fired", unfired)},
		{"Every fault that happened had an effect.", inVain == 0, fmt.Sprintf("%d had none", inVain)},
		{"The run was played to its end.", !j.CutShort, "it was cut short"},
		{"The history has its end.", h.Whole || !h.Header.HasEnd(), "it was cut off"},
		{"All faults were over before progress was judged.", healed, "there is no quiet period"},
	}
}
