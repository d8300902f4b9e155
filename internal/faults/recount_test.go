package faults_test

import (
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
)

// wire is a moment on the wire, and step one of the workload.
func wire(who, command string) faults.Moment {
	return faults.Moment{Kind: faults.AboutToSend, Subject: who, Call: faults.Call{Command: command}}
}

func step(who string, kind faults.MomentKind) faults.Moment {
	return faults.Moment{Kind: kind, Subject: who}
}

// Recount counts from where the number is smallest, and the trigger still means the same moment.
func TestRecount(t *testing.T) {
	seen := []faults.Moment{
		step("A", faults.StartsWaiting), wire("A", "SET"), wire("B", "SET"), wire("A", "SET"), step("A", faults.InSection), // 0 to 4
		step("A", faults.StartsWaiting), wire("A", "SET"), wire("A", "GET"), wire("A", "SET"), step("A", faults.InSection), // 5 to 9
		wire("A", "SET"), // 10
	}
	for _, c := range []struct{ name, first, second, want string }{ // of the second
		{"the first stays", "A is in its critical section", "A is about to send SET", "A is about to send SET"},
		{"in a round", "A is in its critical section the 2nd time", "A is about to send SET the 3rd time", "A is about to send SET in its 2nd round"},
		{"in the first round nothing is smaller", "A is about to send GET", "A is about to send SET the 2nd time", "A is about to send SET the 2nd time"},
		{"after a fault", "A is in its critical section", "A is about to send SET the 4th time", "A is about to send SET in its 2nd round the 2nd time"},
		{"after a later fault", "A is about to send GET", "A is about to send SET the 4th time", "A is about to send SET after fault 1"},
		{"the moment of the fault itself does not count", "A is about to send SET the 4th time", "A is about to send SET the 5th time", "A is about to send SET after fault 1"},
		{"nor does a fault with the same moment", "A is about to send SET the 4th time", "A is about to send SET the 4th time", "A is about to send SET in its 2nd round the 2nd time"},
		{"never reached", "A is in its critical section", "A is about to send SET the 9th time", "A is about to send SET the 9th time"},
	} {
		two := read(t, "when: "+c.first+", pause: A, for: 1s", "when: "+c.second+", crash: B")
		got, was := faults.Recount(two, seen)[1], beginsWith(two, seen)
		must.Equalf(t, got.Text(), c.want, "%s", c.name)
		if two[1].Trigger = got; beginsWith(two, seen) != was {
			t.Errorf("%s: %s begins with moment %d, and %s with %d", c.name, c.second, was, got.Text(), beginsWith(two, seen))
		}
	}
}

// beginsWith is the moment with which the engine begins the second of two faults; -1 for none.
func beginsWith(two []faults.Fault, seen []faults.Moment) int {
	l := &lab{}
	e := faults.NewEngine(two, l, l)
	e.Start()
	for i, m := range seen {
		e.Observe(m)
		if strings.Contains(strings.Join(l.notes, ""), "crash B") {
			return i
		}
	}
	return -1
}
