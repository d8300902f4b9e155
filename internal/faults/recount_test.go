package faults

import (
	"testing"
	"time"
)

// wire is a moment on the wire, and step one of the workload.
func wire(who, command string) Moment {
	return Moment{Kind: AboutToSend, Subject: who, Call: Call{Command: command}}
}

func step(who string, kind MomentKind) Moment { return Moment{Kind: kind, Subject: who} }

// Recount counts from where the number is smallest, and the trigger still means the same moment.
func TestRecount(t *testing.T) {
	seen := []Moment{
		step("A", StartsWaiting), wire("A", "SET"), wire("B", "SET"), wire("A", "SET"), step("A", InSection), // 0 to 4
		step("A", StartsWaiting), wire("A", "SET"), wire("A", "GET"), wire("A", "SET"), step("A", InSection), // 5 to 9
		wire("A", "SET"), // 10
	}
	at := func(kind MomentKind, command string, nth int) Trigger {
		return Trigger{Moment: kind, Subject: "A", Command: command, Nth: nth}
	}
	for _, c := range []struct {
		name          string
		first, second Trigger
		want          string // of the second
	}{
		{"the first stays", at(InSection, "", 1), at(AboutToSend, "SET", 1), "A is about to send SET"},
		{"in a round", at(InSection, "", 2), at(AboutToSend, "SET", 3), "A is about to send SET in its 2nd round"},
		{"in the first round nothing is smaller", at(AboutToSend, "GET", 1), at(AboutToSend, "SET", 2), "A is about to send SET the 2nd time"},
		{"after a fault", at(InSection, "", 1), at(AboutToSend, "SET", 4), "A is about to send SET in its 2nd round the 2nd time"},
		{"after a later fault", at(AboutToSend, "GET", 1), at(AboutToSend, "SET", 4), "A is about to send SET after fault 1"},
		{"the moment of the fault itself does not count", at(AboutToSend, "SET", 4), at(AboutToSend, "SET", 5), "A is about to send SET after fault 1"},
		{"nor does a fault with the same moment", at(AboutToSend, "SET", 4), at(AboutToSend, "SET", 4), "A is about to send SET in its 2nd round the 2nd time"},
		{"never reached", at(InSection, "", 1), at(AboutToSend, "SET", 9), "A is about to send SET the 9th time"},
	} {
		fs := []Fault{{Number: 1, Trigger: c.first}, {Number: 2, Trigger: c.second}}
		got := Recount(fs, seen)
		if text := got[1].Text(); text != c.want {
			t.Errorf("%s: %s", c.name, text)
		}
		if was, is := beginsWith(c.first, c.second, seen), beginsWith(c.first, got[1], seen); was != is {
			t.Errorf("%s: %s begins with moment %d, and %s with %d", c.name, c.second.Text(), was, got[1].Text(), is)
		}
	}
}

// beginsWith is the moment with which the engine begins the second of two faults; -1 for none.
func beginsWith(first, second Trigger, seen []Moment) int {
	l := &lab{}
	two := []Fault{fault("pause", "A", first, End{For: time.Second}), fault("crash", "B", second, End{})}
	two[1].Number = 2
	e := NewEngine(two, l, l)
	e.Start()
	for i, m := range seen {
		e.Observe(m)
		if e.state[1].begun {
			return i
		}
	}
	return -1
}
