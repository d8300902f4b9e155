package matrix

import (
	"fmt"
	"slices"

	"lockstep/internal/locks"
)

// Column is one kind of fault.
type Column struct {
	Code    string // GP
	Name    string // a few words
	Summary string // one sentence: what exactly is injected
	sketch  func(subject) []sketch
	// kinds are what the column stands for in the walk, "crash/hold" being a crash of one who
	// holds: see Kinds.
	kinds string
}

// subject is the lock that a script is made for.
type subject struct {
	locks.Variant
	*Profile
}

// Scripts returns the ways to bring the fault about for one lock; none when the
// lock has no step that the fault could hit.
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
func Columns() []Column {
	return []Column{
		{noFaultCode, "no fault", "Clients contend, nothing goes wrong.", noFault, ""},
		{"CC", "crash between commands", "The client dies after one command of its acquire, or between the steps of its release.", crashBetween, "crash/acquire crash/release"},
		{"CH", "crash while holding", "The client dies in its critical section.", crashHolding, "crash/hold"},
		{"HL", "host loss", "The machine of the holder, or of a client that waits, is gone: nobody closes its connections.", hostLoss, "host"},
		{"GP", "pause past the lease", "The whole process freezes for longer than the lease, its sockets stay open.", pausePast, "pause/acquire pause/hold"},
		{"GD", "pause in the release", "The whole process freezes for longer than the lease just before a command of its release is sent.", pauseInRelease, "pause/release"},
		{"SL", "slow task", "The work takes longer than the lease; the other tasks of the process run.", slowTask, "slow"},
		{"DR", "late reply to acquire", "A command of acquire is executed at once, its reply arrives after the lease is over, the client still waits for it.", lateReply, "late-reply/acquire late-reply-short/acquire"},
		{"LA", "lost reply to acquire", "A command of acquire is executed, its reply never arrives.", lostAcquire, "lost-reply/acquire"},
		{"LR", "lost reply to release", "A command of release is executed, its reply never arrives, the client repeats the release.", lostRelease, "lost-reply/release"},
		{"LD", "late release", "A command of release arrives late: when somebody else holds, when its client has come again, or after it was repeated.", lateRelease, "late-release late-release-short"},
		{"PT", "partition", "The holder, or those who wait for it, are cut off from the servers for longer than the lease and go on.", partitioned, "cut cut-short"},
		{"FO", "failover", "The primary dies before its replica has heard of the lock; the replica takes over. A cluster loses its leader.", failover, "fail-over"},
		{"SB", "split brain", "The primary and the holder are cut off from all others, who promote a replica.", splitBrain, "split split-short promote"},
		{"RS", "restart", "A server restarts with what its persistence has kept.", restart, "restart"},
		{"PS", "paused server", "The process of a server stands still, its sockets stay open.", serverPause, "server-pause server-pause-short"},
		{"CK", "clock skew of clients", "Wall clocks of clients differ by more than the lease, or are stepped.", clientClocks, "client-clock"},
		{"SJ", "clock jump of a server", "The wall clock of a server steps ahead by more than the lease.", serverClock, "server-clock"},
		{"CR", "clock rate", "A clock of a client or a server runs fast or slow by 15 %, and the work ends just within the lease.", clockRate, "clock-rate"},
		{"SX", "early drop", "The store drops the lock's entry early: an eviction, an operator's DEL, a revoked lease, a killed session.", earlyDrop, "evict"},
		{"HW", "hung worker", "The task that works is blocked for ever, the other tasks of its process live.", hungWorker, "hung"},
	}
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
		{name: "three clients, three rounds", workload: []string{"repeat: 3 times", "rest: 100ms"}},
		{name: "five clients at once", clients: "[A, B, C, D, E]", work: "1s", stagger: "100ms", workload: []string{"repeat: 2 times"}},
	}
	if s.Reentrant {
		out = append(out, sketch{name: "the holder takes the lock again", workload: []string{"nested: 1"}})
	}
	return out
}

// inAcquire is a trigger in the acquire: the i-th command that the client sends, whatever
// its name, unless commands of two names race.
func (s subject) inAcquire(client, moment string, i int) string {
	name, n := "any command", i+1
	if s.Races {
		name, n = occurrence(s.Acquire, min(i, len(s.Acquire)-1))
	}
	return fmt.Sprintf("when: %s %s the %s time", client, fmt.Sprintf(moment, name), ordinal(n))
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
		return fmt.Sprintf("%dth", n)
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// of names one step among several.
func of(what string, i, n int) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s, number %d of %d", what, i+1, n)
}

// inRelease is a trigger in the release: the i-th command of it. It goes by its name,
// since the number of renewals before it depends on the timing.
func (s subject) inRelease(moment string, i int) string {
	before := slices.Concat(s.Acquire, s.Hold)
	name, n := occurrence(slices.Concat(before, s.Release), len(before)+i)
	return fmt.Sprintf("when: A %s the %s time", fmt.Sprintf(moment, name), ordinal(n))
}
