// Package logcheck judges what a lock of one's own has done: logs of production, as CSV or as
// JSON lines, of any length. A log is no history of a run. It has no plan, its
// clocks differ, lines come late or never, and a client that has died says nothing more. So it is
// judged for itself, while it is read and in constant memory, and only the meaning of *overlap*
// is that of package checker: two clients believe they hold one lock for some time.
//
// The way of a line: lines reads it (bounded), a decoder makes an Event of it, an order puts it
// into the order of time, and a judge looks at it once, with the others of its time.
// docs/check.md describes the formats and what each verdict means.
package logcheck

import (
	"cmp"
	"math"
	"time"

	"lockstep/internal/say"
)

// Kind is what a line tells of a client and a lock.
type Kind uint8

// The kinds of lines.
const (
	Acquired Kind = iota // the client has the lock from now on
	Released             // it has given the lock up
	Lost                 // it has been told, or has found out, that it lost the lock
	Extended             // it has the lock still: its lease begins again
	Waiting              // it wants the lock and does not have it
	Crashed              // its process is dead, as another one says
	Write                // it writes to what the lock guards
)

// kinds are the words of the formats, by Kind.
var kinds = [...]string{"acquired", "released", "lost", "extended", "waiting", "crashed", "write"}

func (k Kind) String() string { return kinds[k] }

// Event is one line of a log.
type Event struct {
	At     int64 // nanoseconds since the epoch of the log
	Line   int64 // where it stands: see placed
	Token  int64 // NoToken when the line has none
	Client string
	Lock   string // "" for a client that has crashed: all its locks
	Kind   Kind
	Shared bool          // with others that share; see Hold
	Lease  time.Duration // for how long the grant lasts; 0: not stated here
	Sum    uint64        // of its line, to find those that stand there twice
	Fine   int8          // its time is cut off to this power of ten in nanoseconds
}

// grain is by how much the event may be later than its time says.
func (e *Event) grain() int64 { return powers[e.Fine] }

// powers are those of ten.
var powers = [...]int64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// compare orders events by time. Those of one time have an order that does not depend on their lines, as
// far as they differ: what one client says of one lock stands together, then who has died, then who waits.
func compare(a, b *Event) int {
	if a.At != b.At {
		return cmp.Compare(a.At, b.At)
	}
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Lock, b.Lock),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Token, b.Token), cmp.Compare(a.Sum, b.Sum), cmp.Compare(a.Line, b.Line))
}

// again reports whether the event is that of an equal line.
func (e *Event) again(other *Event) bool {
	return e.Sum != 0 && e.Sum == other.Sum && e.Kind == other.Kind && e.Token == other.Token && e.Client == other.Client && e.Lock == other.Lock
}

func (e *Event) rank() int {
	switch e.Kind {
	case Crashed:
		return 1
	case Waiting:
		return 2
	}
	return 0
}

// fileBits is where the number of a file begins in the place of a line.
const fileBits = 40

// placed is the place of a line of one of several files.
func placed(file int, line int64) int64 { return int64(file)<<fileBits | line }

// lineOf is the number of a line in its file.
func lineOf(place int64) int64 { return place & (1<<fileBits - 1) }

// files are the names of those that a log is made of.
type files []string

// name is that of the file with a line; "" when there is but one.
func (f files) name(place int64) string {
	if len(f) < 2 {
		return ""
	}
	return f[place>>fileBits]
}

// at says where a line stands.
func (f files) at(place int64) say.Phrase {
	return say.LogAt.With(say.Number(lineOf(place)), say.Verbatim(f.name(place)))
}

// NoToken stands for a token that a line does not have.
const NoToken = -1

// maxTime bounds times of either sign, in nanoseconds, so that nothing that is added to one
// overflows: from 1823 to 2116 when they count from 1970.
const maxTime = math.MaxInt64 / 2

// maxName is how long the name of a client or of a lock may be, in bytes.
const maxName = 256
