package matrix

import (
	"fmt"
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Column is one kind of fault.
type Column struct {
	Code    string     // GP
	Name    say.Phrase // a few words
	Summary say.Phrase // one sentence: what exactly is injected
	sketch  func(subject) []sketch
}

// subject is the lock for which a script is made.
type subject struct {
	locks.Variant
	*Profile
}

// Kinds returns what the column stands for in the walk; none for the column without a fault.
func (c *Column) Kinds() []faultkind.Hit { return faultkind.InColumn(c.Code) }

// Scripts returns the ways to bring the fault about for one lock.
func (c *Column) Scripts(v locks.Variant, p *Profile) ([]Script, error) {
	var out []Script
	sketches := c.sketch(subject{v, p})
	if len(sketches) > 0 && !sketches[0].repeats() {
		sketches = append(sketches, sketches[0].twice())
	}
	for _, s := range sketches {
		script, err := s.script(v, c.Code)
		if err != nil {
			return nil, err
		}
		out = append(out, script)
	}
	return out, nil
}

// noFaultCode is the column without a fault.
const noFaultCode = "N0"

// Columns returns all kinds of faults, in the order of the catalogue.
func Columns() []Column { return slices.Clone(catalogue) }

var catalogue = []Column{
	{noFaultCode, say.Text("no fault"),
		say.Text("Clients contend, nothing goes wrong."),
		noFault},
	{"CC", say.Text("crash between commands"),
		say.Text("The client dies after one command of its acquire, or between the steps of its release."),
		crashBetween},
	{"CH", say.Text("crash while holding"),
		say.Text("The client dies in its critical section."),
		crashHolding},
	{"HL", say.Text("host loss"),
		say.Text("The machine of the holder, or of a waiting client, is gone, and its connections stay open."),
		hostLoss},
	{"GP", say.Text("pause past the lease"),
		say.Text("The whole process freezes for longer than the lease; its sockets stay open."),
		pausePast},
	{"GD", say.Text("pause in the release"),
		say.Text("The whole process freezes for longer than the lease just before a command of its release is sent."),
		pauseInRelease},
	{"SL", say.Text("slow task"),
		say.Text("The work takes longer than the lease; the other tasks of the process go on."),
		slowTask},
	{"DR", say.Text("late reply to acquire"),
		say.Text("A command of acquire is executed at once, but its reply arrives after the lease has ended, while the client still waits for it."),
		lateReply},
	{"LA", say.Text("lost reply to acquire"),
		say.Text("A command of acquire is executed, but its reply never arrives."),
		lostAcquire},
	{"LR", say.Text("lost reply to release"),
		say.Text("A command of release is executed, but its reply never arrives; the client repeats the release."),
		lostRelease},
	{"LD", say.Text("late release"),
		say.Text("A command of release arrives late: when another client holds the lock, when its client is back for the next round, or after the client repeated it."),
		lateRelease},
	{"PT", say.Text("partition"),
		say.Text("The holder, or the waiting clients, are cut off from the servers for longer than the lease and keep running."),
		partitioned},
	{"FO", say.Text("failover"),
		say.Text("The primary dies before its replica has the lock's entry; the replica takes over. A cluster loses its leader."),
		failover},
	{"SB", say.Text("split brain"),
		say.Text("The primary and the holder are cut off from all others, who promote a replica."),
		splitBrain},
	{"RS", say.Text("restart"),
		say.Text("A server restarts with what its persistence kept."),
		restart},
	{"PS", say.Text("paused server"),
		say.Text("The process of a server stands still; its sockets stay open."),
		serverPause},
	{"CK", say.Text("clock skew of clients"),
		say.Text("Wall clocks of clients differ by more than the lease, or are stepped."),
		clientClocks},
	{"SJ", say.Text("clock jump of a server"),
		say.Text("The wall clock of a server steps ahead by more than the lease."),
		serverClock},
	{"CR", say.Text("clock rate"),
		say.Text("A clock of a client or a server runs fast or slow by 15 %, and the work ends just within the lease."),
		clockRate},
	{"SX", say.Text("early drop"),
		say.Text("The store drops the lock's entry early: an eviction, an operator's DEL, a revoked lease, a killed session."),
		earlyDrop},
	{"HW", say.Text("hung worker"),
		say.Text("The working task is blocked for ever; the other tasks of its process live on."),
		hungWorker},
}

// Lookup returns the column with that code.
func Lookup(code string) (Column, bool) {
	for _, c := range Columns() {
		if c.Code == code {
			return c, true
		}
	}
	return Column{}, false
}

func noFault(s subject) []sketch {
	out := []sketch{
		{name: say.Text("three clients, three rounds"), workload: []string{"repeat: 3 times", "rest: 100ms"}},
		{name: say.Text("five clients at once"), clients: "[A, B, C, D, E]", work: "1s", stagger: "100ms", workload: []string{"repeat: 2 times"}},
	}
	if s.Reentrant {
		out = append(out, sketch{name: say.Text("the holder takes the lock again"), workload: []string{"nested: 1"}})
	}
	return out
}

// inAcquire is a trigger at the i-th command that the client sends, by any name unless commands of
// two names race. Where commands are unknown it is the first one.
func (s subject) inAcquire(client, moment string, i int) string {
	name, n := "any command", max(i, 0)+1
	if s.Races {
		name, n = occurrence(s.Acquire, min(i, len(s.Acquire)-1))
	}
	return fmt.Sprintf("when: %s %s the %s time", client, fmt.Sprintf(moment, name), faults.Ordinal(n))
}

// inRelease is a trigger at the i-th command of the release, by its name.
func (s subject) inRelease(moment string, i int) string {
	before := slices.Concat(s.Acquire, s.Hold)
	name, n := occurrence(slices.Concat(before, s.Release), len(before)+i)
	return fmt.Sprintf("when: A %s the %s time", fmt.Sprintf(moment, name), faults.Ordinal(n))
}
