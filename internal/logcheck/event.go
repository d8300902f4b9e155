// Package logcheck judges logs of locks in production by rules of their own (DESIGN.md), while they
// are read and in constant memory.
//
// The path of a line: lines reads it (bounded), a decoder turns it into an Event, an order sorts
// it by time, and a judge looks at it once, together with the other events of its time.
// docs/check.md describes the formats and the verdicts.
package logcheck

import (
	"cmp"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// Kind is the kind of an event of a client and a lock.
type Kind uint8

// The kinds of events, in the order of logline.EventWords.
const (
	Acquired Kind = iota // the client has the lock from now on
	Released             // it has released the lock
	Lost                 // it has been told, or has found out, that it lost the lock
	Extended             // it still has the lock: its lease begins again
	Waiting              // it wants the lock and does not have it
	Crashed              // its process is dead, as another process logs
	Write                // it writes to the guarded resource
)

func (k Kind) String() string { return logline.EventWords[k] }

// Event is one line of a log.
type Event struct {
	At       int64 // nanoseconds since the epoch of the log
	Line     int64 // its position: see placed
	Token    int64 // NoToken when the line has none
	Client   string
	Lock     string // "" for a crash: all locks of the client
	Kind     Kind
	Shared   bool          // with others that share: readers
	HasMode  bool          // its line says whether it is shared
	Unproven bool          // it may not have happened; of a later line, it does not prove the hold
	Fine     int8          // its time is truncated to this power of ten in nanoseconds
	Lease    time.Duration // of the grant; 0: not in the line
	Sum      uint64        // of its line, to find duplicates; 0: none
}

// grain returns the upper bound of the time that truncation has cut off.
func (e *Event) grain() int64 { return powers[e.Fine] }

var powers = [...]int64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// before reports whether the event certainly came before a time.
func (e *Event) before(at int64, s *Setting) bool { return s.before(e.At, e.grain(), at) }

// compare orders events by time. Different events of one time have an order that does not depend on
// their lines: first the events of each client and lock together, then crashes, then waiting
// clients.
func compare(a, b *Event) int {
	if a.At != b.At {
		return cmp.Compare(a.At, b.At)
	}
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Lock, b.Lock),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Token, b.Token), cmp.Compare(a.Sum, b.Sum), cmp.Compare(a.Line, b.Line))
}

// again reports whether the event comes from a duplicate of the other's line.
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

// fileBits is the position of the file's number in the place of a line.
const fileBits = 40

// placed returns the place of a line of one of several files.
func placed(file int, line int64) int64 { return int64(file)<<fileBits | line }

func lineOf(place int64) int64 { return place & (1<<fileBits - 1) }

// files are the names of the files of a log.
type files []string

// name returns the name of the file with a line; "" when the log has only one.
func (f files) name(place int64) string {
	if len(f) < 2 {
		return ""
	}
	return f[place>>fileBits]
}

// rotation is what a rotated file's name has more: at its end or, with a date, before its extension.
// worker.1.log may be another worker's.
var rotation = regexp.MustCompile(`(?:[-.]\d{4}-?\d\d-?\d\d(?:\.\d+)?(\.[a-z]+)??|\.\d+)?(?:\.gz)?$`)

// short returns the name of a file without its folder; with it when another file has the same: each
// stands for a client. A rotated file has the name of the one that follows it, if that is here,
// too.
func (f files) short(n int) string {
	if i := slices.Index(f, rotation.ReplaceAllString(f[n], "$1")); i >= 0 {
		n = i
	}
	base := func(name string) string { return path.Base(filepath.ToSlash(name)) }
	for i, name := range f {
		if i != n && base(name) == base(f[n]) {
			return filepath.ToSlash(f[n])
		}
	}
	return base(f[n])
}

func (f files) at(place int64) say.Phrase {
	return say.LogAt.With(say.Number(lineOf(place)), say.Verbatim(f.name(place)))
}

// NoToken is the token of a line without one.
const NoToken = -1

// maxTime bounds times of either sign, so that no sum overflows: from 1823 to 2116 for dates.
const maxTime = math.MaxInt64 / 2

const maxName = 256
