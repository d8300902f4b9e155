package history

import (
	"slices"
	"strings"
	"time"
)

// Effect is what a request can do to the entries of locks. The store's package declares it.
type Effect uint8

// The effects.
const (
	Anything     Effect = iota // not declared: it may make, renew or remove any entry
	NoEntry                    // about no entry: it opens a connection or subscribes, for instance
	Opens                      // begins a session or a lease
	KeepsAlive                 // extends its session or its lease
	Asks                       // neither makes nor removes an entry
	Makes                      // makes, renews or overwrites an entry
	MakesNew                   // makes an entry only if there is none
	Queues                     // puts its client into a queue; a later reply says when its turn has come
	TakesOver                  // puts its client's entry in the place of any other
	RemovesOwn                 // may remove an entry that its client has made, and no other
	Removes                    // removes the entry of any client
	EndsSession                // ends its client's session, and the entries of the session
	RevokesLease               // ends its client's lease, and the entry unless that is bound to another lease by now
	effectCount
)

var effectNames = [effectCount]string{
	"anything", "beside", "opens", "keeps-alive", "asks", "makes", "makes-new", "queues", "takes-over", "removes-own", "removes", "ends-session", "revokes-lease",
}

// String is the effect as the stored form has it.
func (e Effect) String() string { return effectNames[min(e, effectCount-1)] }

// Changes reports whether a request may change an entry.
func (e Effect) Changes() bool { return e == Anything || e > Asks }

// AboutEntry reports whether a request is about an entry at all.
func (e Effect) AboutEntry() bool { return e == Anything || e > KeepsAlive }

// MayRemoveOthers reports whether a request may remove another client's entry.
func (e Effect) MayRemoveOthers() bool { return e == Anything || e == Removes }

// Op is what a request is, apart from its text. Its sender sets it; it is not parsed from the text.
type Op struct {
	Name    string        `json:"op,omitempty"`      // as triggers know it: that of a script is its own
	Script  bool          `json:"script,omitempty"`  // the name is that of a script
	Frees   bool          `json:"frees,omitempty"`   // a script that only gives an entry back, and asks for none
	Trigger string        `json:"trigger,omitempty"` // its name in triggers, if that is another one: of a script without a name
	Key     string        `json:"key,omitempty"`     // that it is about; several have a blank between them
	Does    Effect        `json:"does,omitempty"`
	Owner   string        `json:"owner,omitempty"`   // the word by which the store knows whose entry it makes, or may remove
	Lease   time.Duration `json:"lease,omitempty"`   // the time to live of the entry that it makes, or how long that counts by its value; 0: it does not say
	Blocks  bool          `json:"blocks,omitempty"`  // the store is to keep it until something changes
	Watches bool          `json:"watches,omitempty"` // the store is to say when something changes
	Checks  bool          `json:"checks,omitempty"`  // it does nothing unless the key has the version that it names
	Bound   bool          `json:"bound,omitempty"`   // the entry that it makes lives as long as its connection
}

// About reports whether the request is about a key.
func (o *Op) About(key string) bool {
	return o.Key == key || slices.Contains(strings.Split(o.Key, " "), key)
}

// Called returns the name of the request in triggers.
func (o *Op) Called() string {
	if o.Trigger != "" {
		return o.Trigger
	}
	return o.Name
}

// Answer is what the answer to a request says, apart from its text.
type Answer struct {
	Refused    string `json:"refused,omitempty"`    // the sentence with which the store refuses; "" when it does not
	Unable     bool   `json:"unable,omitempty"`     // it would refuse any client: it is read-only, for instance
	Redirected bool   `json:"redirected,omitempty"` // a node of a cluster has not executed it: another one has to be asked
	Nil        bool   `json:"nil,omitempty"`        // there is nothing, or a condition was not met
	Numeric    bool   `json:"numeric,omitempty"`    // it is Number
	Number     int64  `json:"number,omitempty"`     // a number; how many rows were changed; 1 for done and 0 for not done
	Revision   int64  `json:"revision,omitempty"`   // of all keys, at the time of the answer; 0: it does not say
	Session    string `json:"session,omitempty"`    // the session or lease that was made, or has made what is there; "" when there is none
}

// Number is an answer that is a number.
func Number(n int64) Answer { return Answer{Numeric: true, Number: n} }

// Is reports whether the answer is a number, and that one.
func (a *Answer) Is(n int64) bool { return a.Numeric && a.Number == n }

// meaning is the meaning of a text as a request and as an answer: indices into ops and answers.
// Requests with the same text have one meaning; where they differ (two scripts of one name), that
// is unknown.
type meaning struct{ op, answer uint32 }

// The first two of ops and answers are zero: not known, and known to be empty.
const saysNothing = 1

// SetOp sets what the request with a text is. It is not generic with SetAnswer: op would escape.
func (h *History) SetOp(id TextID, op Op) {
	m := h.meaningOf(id)
	if m == nil {
		return
	}
	if m.op != 0 {
		if h.ops[m.op] == op {
			return
		}
		op = h.ops[m.op].and(&op)
	}
	m.op = mean(&h.ops, op)
}

// SetAnswer sets what the answer with a text says.
func (h *History) SetAnswer(id TextID, a Answer) {
	m := h.meaningOf(id)
	if m == nil {
		return
	}
	if m.answer != 0 {
		if h.answers[m.answer] == a {
			return
		}
		a = h.answers[m.answer].and(&a)
	}
	m.answer = mean(&h.answers, a)
}

func mean[T comparable](all *[]T, one T) uint32 {
	if one == *new(T) {
		return saysNothing
	}
	*all = append(*all, one)
	return uint32(len(*all) - 1)
}

func (h *History) meaningOf(id TextID) *meaning {
	if id == 0 || int(id) >= len(h.meant) {
		return nil
	}
	return &h.meant[id]
}

// Request returns the Sent event that led to event i, and its index; nil when it is unknown.
func (h *History) Request(i int32) (int32, *Event) {
	for range 4 { // longer than any chain of causes; a damaged history may have cycles
		if i < 0 || int(i) >= len(h.Events) {
			break
		}
		e := &h.Events[i]
		if e.Kind == Sent {
			return i, e
		}
		i = e.Cause
	}
	return NoCause, nil
}

// HasOp reports whether the Op of a text is known.
func (h *History) HasOp(id TextID) bool {
	m := h.meaningOf(id)
	return m == nil || m.op != 0
}

// HasAnswer reports whether the Answer of a text is known.
func (h *History) HasAnswer(id TextID) bool {
	m := h.meaningOf(id)
	return m == nil || m.answer != 0
}

// Op returns what the request with a text is, the zero Op when it was not set. It is valid until
// the next is set.
func (h *History) Op(id TextID) *Op {
	if m := h.meaningOf(id); m != nil {
		return &h.ops[m.op]
	}
	return new(Op)
}

// Answer returns what the answer with a text says, the zero Answer when it was not set. It is valid
// until the next is set.
func (h *History) Answer(id TextID) *Answer {
	if m := h.meaningOf(id); m != nil {
		return &h.answers[m.answer]
	}
	return new(Answer)
}

// and is what two requests have in common.
func (o Op) and(other *Op) Op {
	return Op{
		Name: common(o.Name, other.Name), Script: o.Script && other.Script, Frees: o.Frees && other.Frees, Trigger: common(o.Trigger, other.Trigger),
		Key: common(o.Key, other.Key), Does: common(o.Does, other.Does), Owner: common(o.Owner, other.Owner), Lease: common(o.Lease, other.Lease),
		Blocks: o.Blocks && other.Blocks, Watches: o.Watches && other.Watches, Checks: o.Checks && other.Checks, Bound: o.Bound && other.Bound,
	}
}

// and is what two answers have in common.
func (a Answer) and(other *Answer) Answer {
	out := Answer{
		Refused: common(a.Refused, other.Refused), Unable: a.Unable && other.Unable, Redirected: a.Redirected && other.Redirected, Nil: a.Nil && other.Nil,
		Revision: common(a.Revision, other.Revision), Session: common(a.Session, other.Session),
	}
	if a.Numeric && other.Is(a.Number) {
		out.Numeric, out.Number = true, a.Number
	}
	return out
}

func common[T comparable](a, b T) T {
	if a == b {
		return a
	}
	return *new(T)
}
