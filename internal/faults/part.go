package faults

// Words that a trigger may put in the place of a command.
const (
	AnyCommand = "any command" // scripts included
	ItsAcquire = "its acquire" // see Acquire
	ItsRelease = "its release" // see Release
)

// CommandWords are all of them.
func CommandWords() []string { return []string{AnyCommand, ItsAcquire, ItsRelease} }

// CommandDoc says what a moment of the wire may name, in Markdown.
const CommandDoc = "COMMAND is a command such as `SET`, the name of a script such as `unlock`, or one of three words " +
	"that mean the same for every lock. `any command`: whatever it is. `its acquire`: what the client sends from the " +
	"moment on at which it starts waiting until it has the lock or gives up. `its release`: what it sends while it " +
	"gives the lock back at the end of its round. Of these two, renewals do not count, nor does what only opens a session, " +
	"a lease, a transaction or a subscription: the entry of the lock is not in it. A request to each of five servers is five commands."

// Part says which part of its lock a command belongs to. It depends only on when the command is
// sent and on its name, so it needs no knowledge of the lock.
type Part uint8

// The parts of a lock.
const (
	NoPart  Part = iota
	Acquire      // from the start of the wait until the client has the lock or gives up
	Release      // while a call of release lasts, the last one of a nested lock
)

// openers are the commands about no entry: they open something, subscribe, or keep it alive.
var openers = map[string]bool{
	"CONNECT": true, "SESSION": true, "GRANT": true, "BEGIN": true, "SUBSCRIBE": true, "WATCH": true, "SETWATCHES": true,
	"PING": true, "KEEPALIVE": true, "RENEW": true,
}

// Of returns the part of a command that is sent in p: p or NoPart. A SET of another store than
// Redis is a setting of an SQL session.
func (p Part) Of(command string, redis bool) Part {
	if openers[command] || command == "SET" && !redis {
		return NoPart
	}
	return p
}

// String returns its word in a trigger, "" for NoPart.
func (p Part) String() string {
	switch p {
	case Acquire:
		return ItsAcquire
	case Release:
		return ItsRelease
	}
	return ""
}
