package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
)

// Case is one story about a verb. A verb has several if a world implements its kinds of targets or
// values in different ways.
type Case struct {
	Verb string // its first fault in the story is what the case is about
	What string // whose, or which: "a client", "the reply"
	Lock string
	// Story has the faults and the settings that differ from case to case, as in
	// scenariotest.Story, between semicolons.
	Story string
	// Set changes what a scenario may not; may be nil.
	Set func(p *plan.Plan)
	// During says what is wrong while the fault is on, After what is wrong when it is over; "" if
	// nothing is. For a fault that is never undone, After checks that the others go on.
	During, After func(s *Seen) string
	// Refused is part of the error with which the live world refuses the case; "" if it plays it.
	Refused string
}

// Name is the name of the case in tests.
func (c *Case) Name() string { return c.Verb + " " + c.What }

// Cases returns all cases. A new one goes into the file for the targets of its verb.
func Cases() []Case {
	var all []Case
	for _, some := range [][]Case{processes, messages, partitions, servers, clocks} {
		all = append(all, some...)
	}
	return all
}

// Plan returns the plan of the case, which takes a second or two on real servers.
func (c *Case) Plan(t testing.TB) *plan.Plan {
	t.Helper()
	const frame = "lease=2s; " + // long enough not to expire on a busy machine
		"workload={repeat: 3 times, wait: up to 10s, work: 20ms..30ms, rest: 1ms..2ms, retry: 5ms}; network.latency=100us..200us; "
	p := scenariotest.Story(t, c.Lock, strings.Split(frame+c.Story, "; ")...)
	p.Redis.Failover.After = 20 * time.Millisecond
	if c.Set != nil {
		c.Set(p)
	}
	return p
}

// About returns the number of the fault that the case is about; 0 if its story has none.
func (c *Case) About(p *plan.Plan) int {
	for i := range p.Faults {
		if p.Faults[i].Verb.Name() == c.Verb {
			return p.Faults[i].Number
		}
	}
	return 0
}

// Judge says what is wrong with the history of the case: a fault did not begin, changed nothing or
// did not end, or During or After has a complaint.
func (c *Case) Judge(p *plan.Plan, h *history.History) []string {
	var wrong []string
	for i := range p.Faults {
		f := &p.Faults[i]
		s := See(h, f.Number)
		switch {
		case s.began < 0:
			wrong = append(wrong, f.Text+": it did not begin")
		case s.noEffect:
			wrong = append(wrong, f.Text+": the world says that it changed nothing")
		case f.End.Until != nil && s.ended > s.next(one{kind: history.Healed}, 0):
			wrong = append(wrong, f.Text+": what it was to last until did not come")
		}
	}
	if wrong != nil {
		return wrong
	}
	s := See(h, c.About(p))
	if why := c.During(s); why != "" {
		wrong = append(wrong, "while it is on: "+why)
	}
	if why := c.After(s); why != "" {
		wrong = append(wrong, "when it is over: "+why)
	}
	return wrong
}

// Seen is the history of a case, with the beginning and the end of one fault, and questions that
// the checks of cases ask.
type Seen struct {
	*history.History
	began    int  // the event of the fault's beginning; -1 if there is none
	ended    int  // the event of its end; the number of all events if there is none
	noEffect bool // the world reports that the fault changed nothing
}

// See finds the events of a fault in a history.
func See(h *history.History, fault int) *Seen {
	s := &Seen{History: h, began: -1, ended: len(h.Events)}
	for i, e := range h.Events {
		switch {
		case e.Value != int64(fault):
		case e.Kind == history.FaultBegan && s.began < 0:
			s.began = i
		case e.Kind == history.FaultEnded && s.ended == len(h.Events):
			s.ended = i
		case e.Kind == history.WithoutEffect:
			s.noEffect = true
		}
	}
	return s
}

// one describes events. An empty field fits all of them.
type one struct {
	kind history.Kind
	node string
	peer string // the other end, or the owner of the entry
}

func (s *Seen) fits(o one, i int) bool {
	e := &s.Events[i]
	return (o.kind == 0 || e.Kind == o.kind) && (o.node == "" || s.Name(e.Node) == o.node) &&
		(o.peer == "" || s.Name(e.Peer) == o.peer || s.Name(e.Owner) == o.peer)
}

// first returns the first such event in a range of events; -1 for none.
func (s *Seen) first(o one, from, before int) int {
	for i := max(from, 0); i < before; i++ {
		if s.fits(o, i) {
			return i
		}
	}
	return -1
}

// next returns the first such event at or after another; -1 for none, and if from is -1.
func (s *Seen) next(o one, from int) int {
	if from < 0 {
		return -1
	}
	return s.first(o, from, len(s.Events))
}

// count returns the number of such events in a range.
func (s *Seen) count(o one, from, before int) (n int) {
	for i := max(from, 0); i < min(before, len(s.Events)); i++ {
		if s.fits(o, i) {
			n++
		}
	}
	return n
}

// between returns the time from one event to another; 0 if one of them is -1.
func (s *Seen) between(from, to int) time.Duration {
	if from < 0 || to < 0 {
		return 0
	}
	return s.Events[to].At.Sub(s.Events[from].At)
}

// answered returns how many requests were sent and answered in a range of events. They may be
// limited to those of a client or to a server; "" is for all.
func (s *Seen) answered(client, server string, from, before int) (n int) {
	for i := max(from, 0); i < before; i++ {
		if s.fits(one{kind: history.Sent, node: client, peer: server}, i) && s.replyTo(i, before) >= 0 {
			n++
		}
	}
	return n
}

// replyTo returns the reply to a request; -1 if it was not received before an event.
func (s *Seen) replyTo(sent, before int) int {
	number := s.Events[sent].Value
	for i := sent + 1; i < before; i++ {
		e := &s.Events[i]
		if e.Kind == history.Replied && e.Node == s.Events[sent].Node && e.Value == number {
			return i
		}
	}
	return -1
}

// does reports whether an event is an action of a client, rather than something that happens to it.
func does(k history.Kind) bool { return k <= history.Finished || k == history.Sent }

// doings counts the actions of a client in a range of events.
func (s *Seen) doings(client string, from, before int) (n int) {
	for i := from + 1; i < before; i++ {
		if e := &s.Events[i]; does(e.Kind) && s.Name(e.Node) == client {
			n++
		}
	}
	return n
}

// quickest returns the shortest time from an event of one sort to the next of another sort; a year
// if there are none.
func (s *Seen) quickest(o, then one, from int) time.Duration {
	least := 365 * 24 * time.Hour
	for i := s.next(o, from); i >= 0; i = s.next(o, i+1) {
		if end := s.next(then, i); end >= 0 {
			least = min(least, s.between(i, end))
		}
	}
	return least
}

// unless returns a complaint if something is not ok.
func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
