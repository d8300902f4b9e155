// Package logcheck judges what a lock of one's own has done: logs of production, as CSV or as
// JSON lines, of any length. A log is no history of a run. Nobody has planned what is in it, its
// clocks differ, lines come late or never, and a client that has died says nothing more. So it is
// judged for itself, while it is read and in constant memory, and only the meaning of *overlap*
// is that of package checker: two clients believe they hold one lock for some time.
//
// The way of a line: lines reads it (bounded), a decoder makes an Event of it, an order puts it
// into the order of time, and a judge looks at it once. docs/check.md describes the formats and
// what each verdict means.
package logcheck

import "math"

// Kind is what a line tells of a client and a lock.
type Kind uint8

// The kinds of lines.
const (
	Acquired Kind = iota // the client has the lock from now on
	Released             // it has given the lock up
	Lost                 // it has been told, or has found out, that it lost the lock
	Extended             // it has the lock still: its lease begins anew
	Waiting              // it wants the lock and does not have it
	Crashed              // its process is dead
	Write                // it writes to what the lock guards
)

// kinds are the words of the formats, by Kind.
var kinds = [...]string{"acquired", "released", "lost", "extended", "waiting", "crashed", "write"}

func (k Kind) String() string { return kinds[k] }

// Event is one line of a log.
type Event struct {
	At     int64 // nanoseconds since the epoch of the log
	Line   int64 // counted from 1
	Token  int64 // NoToken when the line has none
	Client string
	Lock   string // "" for a client that has crashed: all its locks
	Kind   Kind
}

// NoToken stands for a token that a line does not have.
const NoToken = -1

// maxTime bounds times of either sign, in nanoseconds, so that nothing that is added to one
// overflows: from 1823 to 2116 when they count from 1970.
const maxTime = math.MaxInt64 / 2

// maxName is how long the name of a client or of a lock may be, in bytes.
const maxName = 256
