package claims

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/world"
)

// Run is one judged run, with the questions that experiments ask about it.
type Run struct{ checker.Judgement }

// Events returns the events of a kind, in order; of all nodes when node is "".
func (r *Run) Events(kind history.Kind, node string) []history.Event {
	var out []history.Event
	for _, e := range r.History.Events {
		if e.Kind == kind && (node == "" || r.History.Name(e.Node) == node) {
			out = append(out, e)
		}
	}
	return out
}

// Count returns how many events of a kind there are; of all nodes when node is "".
func (r *Run) Count(kind history.Kind, node string) int { return len(r.Events(kind, node)) }

// First returns the first event of a kind, or false.
func (r *Run) First(kind history.Kind, node string) (history.Event, bool) {
	events := r.Events(kind, node)
	if len(events) == 0 {
		return history.Event{}, false
	}
	return events[0], true
}

// Commands returns what a client has sent, the Sent events: all of it when name is
// "", all clients' when client is "". A script is called by its own name.
func (r *Run) Commands(client, name string) []history.Event {
	var out []history.Event
	for _, e := range r.Events(history.Sent, client) {
		if name == "" || r.Command(e) == name {
			out = append(out, e)
		}
	}
	return out
}

// Command is the name of a Sent event's command: SET, or of a script its own.
func (r *Run) Command(sent history.Event) string { return world.ReadRequest(r.Text(sent)).Name }

// Text returns the text of an event.
func (r *Run) Text(e history.Event) string { return r.History.Text(e.Text) }

// Name returns the name of a node, "nobody" for 0.
func (r *Run) Name(id history.NodeID) string { return r.History.Name(id) }

// ReplyTo returns the Replied event of a Sent event, or false: none came.
func (r *Run) ReplyTo(sent history.Event) (history.Event, bool) {
	for _, e := range r.History.Events {
		if e.Kind == history.Replied && r.cause(e) == sent {
			return e, true
		}
	}
	return history.Event{}, false
}

// cause returns the Sent event that an event of the wire goes back to; the zero
// event when the history does not have it.
func (r *Run) cause(e history.Event) history.Event {
	for e.Cause != history.NoCause {
		if e = r.History.Events[e.Cause]; e.Kind == history.Sent {
			return e
		}
	}
	return history.Event{}
}

// clients returns how many clients the story has, without the probe.
func (r *Run) clients() int {
	n := 0
	for _, node := range r.History.Header.Nodes {
		if node.Role == history.RoleClient {
			n++
		}
	}
	return n
}

// Holds returns the hold intervals in the order of their starts; of all clients
// when client is "".
func (r *Run) Holds(client string) []history.Hold {
	var out []history.Hold
	for _, hold := range history.Holds(r.History) {
		if client == "" || r.Name(hold.Client) == client {
			out = append(out, hold)
		}
	}
	return out
}

// Between returns the events of the list that happened from one instant until
// before another.
func Between(events []history.Event, from, to history.Instant) []history.Event {
	var out []history.Event
	for _, e := range events {
		if e.At >= from && e.At < to {
			out = append(out, e)
		}
	}
	return out
}

// Overlapped reports whether two clients believed at once that they held the lock.
func (r *Run) Overlapped() bool { return r.Broken(checker.MutualExclusionID) }

// firstOverlap tells of the first two holds that overlap: "A from 0.006 s to 16.5 s and B
// from 11.2 s to 14.2 s", "none" when none do.
func (r *Run) firstOverlap() say.Both {
	holds := r.Holds("")
	said := func(h history.Hold) say.Both {
		return both("%s from %s to %s", "%s 从 %s到 %s", r.Name(h.Client), Seconds(h.Start.Duration()), Seconds(h.End.Duration()))
	}
	for i, h := range holds {
		for _, later := range holds[i+1:] {
			if later.Client != h.Client && later.Start < h.End {
				return both("%s and %s", "%s，%s", said(h), said(later))
			}
		}
	}
	return none
}

// Robbed reports whether a release removed the entry of another client. Where no client's
// command removed any, none did.
func (r *Run) Robbed() bool {
	return !r.Finding(checker.OwnerOnlyReleaseID).NoOccasion && r.Broken(checker.OwnerOnlyReleaseID)
}

// Stuck reports whether nobody could acquire for ten leases after all faults.
func (r *Run) Stuck() bool { return r.Broken(checker.ProgressID) }

// Broken reports whether a property broke. What is not broken must have been kept: a run
// that did not put the property to the test ends the experiment with the reason.
func (r *Run) Broken(property string) bool {
	f := r.Finding(property)
	if f.Verdict == checker.Unknown {
		h := &r.History.Header
		panic(failure{fmt.Errorf("%s, seed %d: whether %s was kept is unknown: %s", h.Lock, h.Seed, property, f.Reason.English())})
	}
	return f.Verdict == checker.Broken
}

// HowMany counts the runs of which something is true.
func HowMany(runs []*Run, is func(*Run) bool) int {
	n := 0
	for _, r := range runs {
		if is(r) {
			n++
		}
	}
	return n
}

// Verdict is True or False.
func Verdict(holds bool) string {
	if holds {
		return True
	}
	return False
}

// Split is the verdict of a claim that makes a condition matter: True when it
// holds both with and without it, False when it holds in neither case.
func Split(under, otherwise bool) string {
	if under != otherwise {
		return Depends
	}
	return Verdict(under)
}

// OfAll is True when all of so many cases are as the claim says, False when none is, else Depends.
func OfAll(cases, of int) string {
	switch cases {
	case 0:
		return False
	case of:
		return True
	}
	return Depends
}

// Seconds prints a duration in seconds with as many decimals as it needs, three
// at most: "10 s", "2.05 s".
func Seconds(d time.Duration) say.Both {
	return both("%s s", "%s 秒", decimals(int64(d), int64(time.Second)))
}

// Millis prints a duration in milliseconds with three decimals at most.
func Millis(d time.Duration) say.Both {
	return both("%s ms", "%s 毫秒", decimals(int64(d), int64(time.Millisecond)))
}

// Ratio prints a / b with three decimals at most, "none" when b is 0.
func Ratio(a, b int64) string {
	if b == 0 {
		return "none"
	}
	return decimals(a, b)
}

// decimals prints a / b, rounded to three decimals, without zeros at the end. It
// reckons in integers, so that every machine prints the same.
func decimals(a, b int64) string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	whole, rest := a/b, a%b
	thousandths := (rest*1000 + b/2) / b
	if thousandths == 1000 {
		whole, thousandths = whole+1, 0
	}
	text := strings.TrimRight(fmt.Sprintf("%d.%03d", whole, thousandths), "0")
	return sign + strings.TrimSuffix(text, ".")
}
