package faults

import "lockstep/internal/say"

// MomentKind is what a client can reach and a trigger can wait for. Moments are reported by the
// ports and the workload, not by locks.
type MomentKind uint8

// The moments of the workload and of the wire; see momentDocs.
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

// momentTexts are the moments in a scenario, after the subject. %s stands for a command.
var momentTexts = [momentCount]string{
	StartsWaiting: "starts waiting",
	Acquires:      "acquires",
	Enters:        "enters",
	InSection:     "is in its critical section",
	AboutToWrite:  "is about to write",
	Writes:        "writes",
	Renews:        "renews",
	Releases:      "releases",
	LosesLease:    "loses its lease",
	Wakes:         "wakes",
	AboutToSend:   "is about to send %s",
	Sends:         "sends %s",
	HasExecuted:   "has %s executed",
	HasReply:      "has the reply of %s",
}

// momentDocs define the moments.
var momentDocs = [momentCount]say.Words{
	StartsWaiting: "The client asks for the lock: the first thing of every round.",
	Acquires:      "The lock's acquire has returned success: from now on the client believes it holds the lock.",
	Enters:        "The client enters its critical section; it has not read the resource yet.",
	InSection:     "The client has read the resource and starts its work.",
	AboutToWrite:  "The work is done, and the write to the resource comes next.",
	Writes:        "The resource has answered the write, whether it took it or refused it.",
	Renews:        "A renewal by the watchdog has its reply, whatever the reply says.",
	Releases:      "The client is about to call release: its belief ends here.",
	LosesLease:    "The design tells the client that its lock is lost; many designs never do.",
	Wakes:         "The process runs again after a pause.",
	AboutToSend:   "The client is about to send a command: both its request and its reply can still be tampered with.",
	Sends:         "A command is on its way to the store; its reply can still be tampered with.",
	HasExecuted:   "The store has executed a command, and its reply has not been delivered yet.",
	HasReply:      "The client has the reply to a command, but the lock has not seen it yet.",
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
		out = append(out, MomentPhrase{Kind: k, Text: momentTexts[k], Doc: momentDocs[k]})
	}
	return out
}
