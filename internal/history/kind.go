package history

// Kind says what an event is. The names (see String) are part of the stored form: kinds may be
// added, but never changed.
type Kind uint8

// The kinds of events.
const (
	_ Kind = iota

	// Belief: what a client does and thinks. Node is the client.

	Waits         // starts waiting for the lock; Value is the round, counted from 1
	Acquired      // acquire returned success: the client believes it holds the lock; Token
	AcquireFailed // one acquire returned an error, its outcome is unknown; Text is the error
	GaveUp        // stopped waiting for the lock: the patience of the scenario is over
	Entered       // is in its critical section
	LostLease     // the design told the client that the lock is lost; it stops its work
	Releasing     // invoked release: from here on the client does not believe any more
	Released      // release returned: the store confirmed that it removed an entry
	NotHeld       // release returned: the store had no entry of this client's
	ReleaseFailed // release returned an error, its outcome is unknown; Text is the error
	Finished      // the client has played all its rounds

	// The guarded resource. Node is the resource, Peer the client.

	ReadDone      // Value is the version that the client has seen; Token
	WriteAccepted // Value is the new version; Cause: the ReadDone that the client computed it from; Token
	WriteRefused  // a fence refused the write; Value is the highest token seen so far; Token

	// The wire.

	Sent           // Node: client, Peer: server; Text: the command as typed
	Executed       // Node: server, Peer: client; Cause: Sent; Text: the reply as redis-cli prints it
	Replied        // Node: client, Peer: server; Cause: Executed; Text: the reply
	TimedOut       // Node: client, Peer: server; Cause: Sent; Text: the error that the client got instead of a reply, or KeptWaiting
	RequestDropped // Node: client, Peer: server; Cause: Sent; the request never arrives
	ReplyDropped   // Node: server, Peer: client; Cause: Executed; the reply never arrives

	// Grant: the entries of a server. Node is the server, Owner the creator of the entry, Peer the
	// sender of the command (0: the server itself), Text the key, and Value the time to live in
	// nanoseconds on the server's clock (0: none).

	Granted    // an entry was created for Owner
	Extended   // the entry's time to live was set again; Peer may differ from Owner
	Removed    // Peer's command removed Owner's entry
	Expired    // the server dropped Owner's entry because its time was up
	Replicated // Node, a replica, has applied the creation of Owner's entry; Peer is the primary
	Forgotten  // the server lost Owner's entry in a restart, resync or promotion

	// Faults and processes. Value is the number of the fault (Header.Faults), 0 for none.

	FaultBegan   // Node: the target, if there is one; Text: what was done
	FaultEnded   // Node: the target, if there is one; Text: what was undone
	Froze        // Node: a process stopped running; its sockets stay open
	Thawed       // Node: the process runs again
	Crashed      // Node: a process died
	Restarted    // Node: a process runs again with what its persistence kept
	Promoted     // Node: a replica became the primary; Peer: the primary before it
	ClockChanged // Node; Value: nanoseconds that its wall clock was stepped by
	Healed       // all faults are over: the final quiet period begins

	CutShort // the run was stopped before its end: what is not in the history may still have happened; Text: why, if it is known

	// Re-entry: the client takes the lock again while it holds it. Node is the
	// client, Value how deep: 1 for the first time. Its belief stays what it was.

	Reenters      // asks for the lock again
	Reentered     // was given it again; Token
	ReenterFailed // was not; Text is the error, of the last attempt when its patience is over
	Left          // gave it back once; Text is the error of a release that did not confirm it

	Demoted // Node: a primary became a replica; Peer: the primary that it follows now

	// MayHaveRemoved: it is not known whose entry Peer's command has removed, if any. Node is the
	// server, Cause the Sent; the command may have been executed at any time after that. Of real
	// servers only.
	MayHaveRemoved

	// WithoutEffect, recorded at the end of the run: a fault that has begun changed nothing, for
	// instance since the client to pause was dead. Value is its number.
	WithoutEffect

	kindCount
)

var kindNames = [kindCount]string{
	Waits: "waits", Acquired: "acquired", AcquireFailed: "acquire-failed", GaveUp: "gave-up",
	Entered: "entered", LostLease: "lost-lease", Releasing: "releasing", Released: "released",
	NotHeld: "not-held", ReleaseFailed: "release-failed", Finished: "finished",
	ReadDone: "read", WriteAccepted: "write-accepted", WriteRefused: "write-refused",
	Sent: "sent", Executed: "executed", Replied: "replied", TimedOut: "timed-out",
	RequestDropped: "request-dropped", ReplyDropped: "reply-dropped",
	Granted: "granted", Extended: "extended", Removed: "removed", Expired: "expired",
	Replicated: "replicated", Forgotten: "forgotten",
	FaultBegan: "fault-began", FaultEnded: "fault-ended", Froze: "froze", Thawed: "thawed",
	Crashed: "crashed", Restarted: "restarted", Promoted: "promoted",
	ClockChanged: "clock-changed", Healed: "healed", CutShort: "cut-short",
	Reenters: "reenters", Reentered: "reentered", ReenterFailed: "reenter-failed", Left: "left",
	Demoted: "demoted", MayHaveRemoved: "may-have-removed",
	WithoutEffect: "without-effect",
}

// KeptWaiting is the text of TimedOut when the server has kept the request waiting for another
// client, as a blocking statement. Only the simulator knows that, and only of a user's own lock.
const KeptWaiting = "the server keeps the request waiting"

// OnWire reports whether the event is one of a message, as most are.
func (k Kind) OnWire() bool { return k >= Sent && k <= ReplyDropped }

// OfProcess reports whether the event is one of a fault or a process.
func (k Kind) OfProcess() bool {
	return k >= FaultBegan && k <= CutShort || k == Demoted || k == WithoutEffect
}

// ofFault reports whether Value is the number of a fault, and never 0.
func (k Kind) ofFault() bool { return k == FaultBegan || k == FaultEnded || k == WithoutEffect }

// String returns the stored name of the kind.
func (k Kind) String() string {
	if k == 0 || k >= kindCount {
		return "unknown"
	}
	return kindNames[k]
}

// kinds are the kinds by their stored names.
var kinds = func() map[string]Kind {
	out := make(map[string]Kind, kindCount)
	for k := Kind(1); k < kindCount; k++ {
		out[kindNames[k]] = k
	}
	return out
}()

// ParseKind returns the kind with that stored name, or false.
func ParseKind(name string) (Kind, bool) {
	k, ok := kinds[name]
	return k, ok
}
