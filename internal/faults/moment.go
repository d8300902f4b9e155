package faults

import "lockstep/internal/say"

// MomentKind is what a client can reach and a trigger can wait for. Moments are reported by the
// ports and the workload, not by locks.
type MomentKind uint8

// The moments of the workload and of the wire; see moments.
const (
	NoMoment MomentKind = iota

	StartsWaiting
	Acquires
	Enters
	InSection
	AboutToWrite
	Writes
	Renews
	Releases
	LosesLease
	Wakes

	AboutToSend
	Sends
	HasExecuted
	HasReply

	momentCount
)

// moments are all of them.
var moments = [momentCount]struct {
	text     string // in a scenario, after the subject; %s stands for a command
	sentence func(subject, command) say.Phrase
	doc      say.Words
}{
	StartsWaiting: {"starts waiting", ofClient("{who} starts waiting"),
		"The client asks for the lock: the first step of every round."},
	Acquires: {"acquires", ofClient("{who} gets the lock"),
		"The lock's acquire has returned success: from now on the client believes it holds the lock."},
	Enters: {"enters", ofClient("{who} enters (before its read)"),
		"The client enters its critical section; it has not read the resource yet."},
	InSection: {"is in its critical section", ofClient("{who} enters"),
		"The client has read the resource and starts its work."},
	AboutToWrite: {"is about to write", ofClient("{who} is about to write"),
		"The work is done, and the write to the resource comes next."},
	Writes: {"writes", ofClient("{who} has written"),
		"The resource has answered the write, whether it took it or refused it."},
	Renews: {"renews", ofClient("{who} renews"),
		"A renewal by the watchdog has its reply, whatever the reply says."},
	Releases: {"releases", ofClient("{who} releases"),
		"The client is about to call release: its belief ends here."},
	LosesLease: {"loses its lease", ofClient("{who} is told that its lock is lost"),
		"The design tells the client that its lock is lost; many designs never do."},
	Wakes: {"wakes", ofClient("{who} wakes"),
		"The process runs again after a pause."},
	AboutToSend: {"is about to send %s", ofCommand("{who} is about to send {command}"),
		"The client is about to send a command: both its request and its reply can still be tampered with."},
	Sends: {"sends %s", ofCommand("{who} sends {command}"),
		"A command is on its way to the store; its reply can still be tampered with."},
	HasExecuted: {"has %s executed", executed("the store has executed {command} for {who}"),
		"The store has executed a command, and its reply has not been delivered yet."},
	HasReply: {"has the reply of %s", ofCommand("{who} gets the reply to {command}"),
		"The client has the reply to a command, but the lock has not seen it yet."},
}

func ofClient(english string) func(subject, command) say.Phrase {
	t := say.New1[subject](english)
	return func(who subject, _ command) say.Phrase { return t.With(who) }
}

func ofCommand(english string) func(subject, command) say.Phrase {
	return say.New2[subject, command](english).With
}

// executed is a moment whose sentence has the command first.
func executed(english string) func(subject, command) say.Phrase {
	t := say.New2[command, subject](english)
	return func(who subject, c command) say.Phrase { return t.With(c, who) }
}

// OnWire reports whether the moment belongs to one command.
func (m MomentKind) OnWire() bool { return m >= AboutToSend && m < momentCount }

// Moment is one occurrence.
type Moment struct {
	Kind    MomentKind
	Subject string // the client
	Call    Call   // on the wire
	Script  string // on the wire: the script's name, "" for plain commands
	Part    Part   // on the wire: of its lock
}

// MomentPhrase is a moment in a scenario.
type MomentPhrase struct {
	Kind MomentKind
	Text string    // the words after the subject; "%s" stands for a command
	Doc  say.Words // its definition
}

// MomentPhrases returns all moments in the order of their kinds.
func MomentPhrases() []MomentPhrase {
	out := make([]MomentPhrase, 0, momentCount)
	for k := NoMoment + 1; k < momentCount; k++ {
		out = append(out, MomentPhrase{Kind: k, Text: moments[k].text, Doc: moments[k].doc})
	}
	return out
}
