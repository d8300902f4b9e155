package conformance

import (
	"cmp"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// Case is one story about a verb. A verb with several kinds of targets or values, each of which a
// world does in a way of its own, has several.
type Case struct {
	Verb string // its first fault in the story is what the case is about
	What string // whose, or which: "a client", "the reply"
	Lock string
	// Story is the part of a scenario file that differs from case to case: faults, servers.
	Story string
	// Set changes what the plan has besides; nil for nothing.
	Set func(p *plan.Plan)
	// During says what is not as it has to be while the fault is on, After what is not when it is
	// over; "" when all is. Of a fault that is never undone After asks whether the others go on.
	During, After func(s *Seen) string
	// Refused are words of the sentence with which the live world refuses the case, as it cannot
	// do such a thing; "" when it plays it.
	Refused string
}

// Name is what tests call the case.
func (c *Case) Name() string { return c.Verb + " " + c.What }

// Cases returns all cases. A new one goes into the file of what its verb acts on.
func Cases() []Case {
	var all []Case
	for _, some := range [][]Case{processes, messages, partitions, servers, clocks} {
		all = append(all, some...)
	}
	return all
}

const frame = `
scenario: A fault is on, and over
locks: [%s]
clients: [A, B]
%s
`

// Plan is the plan of the case, which takes a second or two on real servers. The error says what is
// wrong with its story.
func (c *Case) Plan() (*plan.Plan, error) {
	p, err := scenario.Parse(c.Name(), fmt.Appendf(nil, frame, c.Lock, c.Story))
	if err != nil {
		return nil, err
	}
	p.Lease = 2 * time.Second // long enough not to expire on a busy machine
	p.Workload.Repeat, p.Workload.Wait = 3, 10*time.Second
	p.Workload.Work = plan.Range{Min: 20 * time.Millisecond, Max: 30 * time.Millisecond}
	p.Workload.Rest = plan.Range{Min: time.Millisecond, Max: 2 * time.Millisecond}
	p.Workload.Retry = 5 * time.Millisecond
	p.Network.Latency = plan.Range{Min: 100 * time.Microsecond, Max: 200 * time.Microsecond}
	p.Redis.Failover.After = 20 * time.Millisecond
	if c.Set != nil {
		c.Set(p)
	}
	return p, nil
}

// About is the number of the fault that the case is about; 0 when its story has none.
func (c *Case) About(p *plan.Plan) int {
	for i := range p.Faults {
		if p.Faults[i].Verb.Name() == c.Verb {
			return p.Faults[i].Number
		}
	}
	return 0
}

// Judge says what is wrong with the history of the case: that a fault did not begin, changed
// nothing or was not ended, what was not different meanwhile and what not as before.
func (c *Case) Judge(p *plan.Plan, h *history.History) []string {
	var wrong []string
	for i := range p.Faults {
		f := &p.Faults[i]
		s := See(h, f.Number)
		switch {
		case s.began < 0:
			wrong = append(wrong, f.Text+": it did not begin")
		case s.vain:
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

// Seen is the history of a case, with what its checks ask of it. The events of the fault that it is
// about are what they count from.
type Seen struct {
	*history.History
	began, ended int  // the events that say so; -1 for none, and the number of events
	vain         bool // the world says that it changed nothing
}

// See returns a history with the events of one of its faults.
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
			s.vain = true
		}
	}
	return s
}

// one describes events: what is empty fits all.
type one struct {
	kind  history.Kind
	node  string
	peer  string // who is at the other end, or whose the entry is
	cause int    // the event that it is the consequence of, plus one
}

func (s *Seen) fits(o one, i int) bool {
	e := &s.Events[i]
	return (o.kind == 0 || e.Kind == o.kind) && (o.node == "" || s.Name(e.Node) == o.node) &&
		(o.peer == "" || s.Name(e.Peer) == o.peer || s.Name(e.Owner) == o.peer) && (o.cause == 0 || int(e.Cause) == o.cause-1)
}

// first is the first such event of those from one on and before another; -1 for none.
func (s *Seen) first(o one, from, before int) int {
	for i := max(from, 0); i < before; i++ {
		if s.fits(o, i) {
			return i
		}
	}
	return -1
}

// next is the first such event from one on; -1 for none, also when that one is none.
func (s *Seen) next(o one, from int) int {
	if from < 0 {
		return -1
	}
	return s.first(o, from, len(s.Events))
}

// count is how many there are.
func (s *Seen) count(o one, from, before int) (n int) {
	for i := max(from, 0); i < min(before, len(s.Events)); i++ {
		if s.fits(o, i) {
			n++
		}
	}
	return n
}

// between is how much time has gone by from one event to another; 0 when either is none.
func (s *Seen) between(from, to int) time.Duration {
	if from < 0 || to < 0 {
		return 0
	}
	return s.Events[to].At.Sub(s.Events[from].At)
}

// answered is how many of the requests that were sent to a server (or by a client, or both; "" for
// all) from one event on and before another have had an answer before that.
func (s *Seen) answered(client, server string, from, before int) (n int) {
	for i := max(from, 0); i < before; i++ {
		if s.fits(one{kind: history.Sent, node: client, peer: server}, i) && s.replyTo(i, before) >= 0 {
			n++
		}
	}
	return n
}

// replyTo is the reply to a request, if it has come before an event; -1 when it has not.
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

// does is what a client does by itself, and not what happens to it.
func does(k history.Kind) bool { return k <= history.Finished || k == history.Sent }

// doings is how much a client does from one event on and before another.
func (s *Seen) doings(client string, from, before int) (n int) {
	for i := from + 1; i < before; i++ {
		if e := &s.Events[i]; does(e.Kind) && s.Name(e.Node) == client {
			n++
		}
	}
	return n
}

// quickest is the shortest time from such an event to the next of another kind, of those from one
// on; a year when there is none.
func (s *Seen) quickest(o, then one, from int) time.Duration {
	least := 365 * 24 * time.Hour
	for i := s.next(o, from); i >= 0; i = s.next(o, i+1) {
		if end := s.next(then, i); end >= 0 {
			least = min(least, s.between(i, end))
		}
	}
	return least
}

// unless is a sentence, but for what is as it has to be.
func unless(ok bool, format string, args ...any) string {
	if ok {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// both is what is wrong with one thing or another.
func both(why ...string) string { return cmp.Or(why...) }
