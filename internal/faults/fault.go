// Package faults has the faults of scenarios: a trigger (an instant or a moment), a verb with
// parameters, and an end. Verbs register themselves, one per file, and act on a world only through
// the port World, so a scenario means the same in every world. The Engine begins and ends faults by
// the moments that a world reports.
package faults

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/rng/spread"
)

// Fault is one line of a scenario's list of faults. Make builds it.
type Fault struct {
	Number  int // 1-based, in the order of the file
	Trigger Trigger
	Args    Args
	End     End
	Line    int // in the scenario file; 0 without one

	Verb   Verb
	Target string // the node that the verb names ("A", "the holder"), or ""
	Text   string // as a scenario states it, for histories: "pause A for 15s when A is in its critical section"

	// Values is the same for the header of a history, see Of.
	Values history.Values

	Open *Open // what each run draws; nil for nothing
	// Drawn is the number of the listed fault that this one was drawn from, or 0. A drawn fault
	// need not have an effect.
	Drawn int
}

// Open is what a fault leaves open, for package chaos to draw before a run. The fault's own fields
// have the longest durations.
type Open struct {
	// Ranges are the durations to draw, by their keys in a file: at, every, after, for, or a
	// parameter of the verb.
	Ranges map[string]spread.Range
	// ChancePPM is the probability of each occurrence, in millionths.
	ChancePPM int64
}

// Always is the chance of a fault that happens each time.
const Always = 1_000_000

// MayCome reports whether chance decides if, or how often, the fault happens.
func (f *Fault) MayCome() bool { return f.Open != nil && (f.Repeats() || f.Open.ChancePPM < Always) }

// scaled is nil for nil.
func (o *Open) scaled(scale func(time.Duration) time.Duration) *Open {
	if o == nil {
		return nil
	}
	out := &Open{Ranges: map[string]spread.Range{}, ChancePPM: o.ChancePPM}
	for key, r := range o.Ranges { // order: each key on its own
		out.Ranges[key] = r.Map(scale)
	}
	return out
}

// Repeats reports whether a fault may begin more than once.
func (f *Fault) Repeats() bool {
	t := &f.Trigger
	return t.Every > 0 || t.Moment != NoMoment && t.Nth == 0
}

// Make builds a fault from checked parts.
func Make(number int, s Spec, a Args, t Trigger, end End) Fault {
	if text := a.Text(s.Value); text != "" {
		a.Value = text
	}
	v := values{s.Name, a, t, end}
	f := v.fault()
	f.Number, f.Text, f.Values = number, f.text(), v.stored()
	return f
}

// Renumbered numbers faults by their places. A trigger that counts from a fault that does not
// precede it counts from the beginning.
func Renumbered(list []Fault) []Fault {
	places := map[int]int{} // by number; of the first one if several were drawn from one
	out := make([]Fault, 0, len(list))
	for i, f := range list {
		t, end := f.Trigger, f.End
		t.AfterFault = places[t.AfterFault]
		if end.Until != nil {
			until := *end.Until
			until.AfterFault = places[until.AfterFault]
			end.Until = &until
		}
		out = append(out, f.remade(i+1, f.Args, t, end, f.Open))
		if places[f.Number] == 0 {
			places[f.Number] = i + 1
		}
	}
	return out
}

// Verb is what a fault does. The zero Verb is none.
type Verb struct{ spec *Spec }

// Name is the verb's key in a scenario file: pause.
func (v Verb) Name() string { return v.spec.Name }

// Activation is one beginning of a fault.
type Activation struct {
	Fault   int        // number of the fault
	Subject string     // the client whose moment triggered it; "" for an instant
	Call    Call       // the command of a moment on the wire
	Target  string     // the resolved target: "A" for "the holder"
	Sides   [][]string // the resolved sides
}

// Trigger says when a fault begins, or ends.
type Trigger struct {
	// At is an instant of the run, used when Moment is NoMoment.
	At time.Duration `json:"at_ns,omitzero"`
	// Every repeats an instant: at Every, 2*Every, ...; 0 for once.
	Every time.Duration `json:"every_ns,omitzero"`

	// Moment that Subject must reach.
	Moment  MomentKind `json:"moment,omitzero"`
	Subject string     `json:"subject,omitzero"` // a client's name, or one of the constants below
	Command string     `json:"command,omitzero"` // for moments on the wire: GET, the name of a script, or one of CommandWords

	// Round is the client's round in which the moment counts, from 1; 0 for all. A round begins
	// when a client starts waiting.
	Round int `json:"round,omitzero"`
	// AfterFault is the number of an earlier fault, or 0: occurrences count only after the moment
	// at which it begins.
	AfterFault int `json:"after_fault,omitzero"`
	// Nth is the occurrence that counts, from 1; 0 means every time.
	Nth int `json:"nth,omitzero"`
	// After is the delay from the moment to the fault.
	After time.Duration `json:"after_ns,omitzero"`
}

// Words for nodes that are resolved when a fault begins.
const (
	AnyClient  = "any client"
	TheHolder  = "the holder"
	NextHolder = "the next holder"
	// ThatClient is the client whose moment began the fault. In a trigger, and for a fault at an
	// instant, it is the client of the latest fault.
	ThatClient = "that client"

	ThePrimary = "the primary"
)

// End says when a fault ends. The zero End is that of a verb that is over at once (a crash).
type End struct {
	For     time.Duration `json:"for_ns,omitzero"`  // > 0: that long
	Until   *Trigger      `json:"until,omitzero"`   // non-nil: at that moment
	Forever bool          `json:"forever,omitzero"` // never, not even before the final quiet period
}

// Call identifies one command on the wire. The zero Call is none.
type Call struct {
	Client  string
	ID      int64
	Command string
}

// Half is the request or the reply of a command.
type Half uint8

// The two halves.
const (
	RequestHalf Half = iota
	ReplyHalf
)

// String returns request or reply.
func (h Half) String() string {
	if h == RequestHalf {
		return "request"
	}
	return "reply"
}

// World is what the verbs can do to a world. Nodes are given by name. An implementation records
// what it did in the history (Froze, Crashed, ...) with the number of the fault, and calls
// Engine.Acted if that has changed anything. All methods return at once.
type World interface {
	// FaultBegan and FaultEnded are called just before the verb acts; node is the target or "".
	FaultBegan(fault int, node string)
	FaultEnded(fault int, node string)

	// Resolve returns the name of the current primary for ThePrimary, and any other name unchanged.
	// It is called when a fault begins; the end of the fault acts on the same server.
	Resolve(node string) string

	// Freeze stops a process; its sockets stay open and messages queue up. If another fault has
	// frozen it, Freeze only calls Acted: the process stays frozen when that fault ends.
	Freeze(fault int, node string)
	// Thaw resumes it.
	Thaw(fault int, node string)
	// Crash kills a process. Its host closes its connections.
	Crash(fault int, node string)
	// LoseHost kills a client together with its host, for the rest of the run. Its connections stay
	// open. What it has sent arrives, unless a partition holds it back.
	LoseHost(fault int, client string)
	// DelayCall holds back one half of one command for d.
	DelayCall(fault int, c Call, h Half, d time.Duration)
	// DropCall loses one half of one command.
	DropCall(fault int, c Call, h Half)
	// SlowWork makes the critical section of a client's current round last d longer, while the
	// other tasks of its process run. It changes nothing when the work of the round is done.
	SlowWork(fault int, client string, d time.Duration)
	// FailOver kills the primary. The set-up of the servers says who promotes a replica, and when.
	FailOver(fault int)
	// Promote makes a replica the primary while the old one goes on.
	Promote(fault int)
	// Restart starts a crashed process again after down; one that runs is killed first. A server
	// comes back with its persistent data. A client begins its workload again, unless its host is
	// lost.
	Restart(fault int, node string, down time.Duration)
	// Partition holds back what nodes in from send to nodes in to and, if both, the reverse, until
	// the heal. Names may be words for groups.
	Partition(fault int, from, to []string, both bool)
	// HealPartition ends what Partition of the same fault began.
	HealPartition(fault int)
	// JumpClock steps a node's wall clock.
	JumpClock(fault int, node string, by time.Duration)
	// DriftClock makes both clocks of a node run faster by ppm than without faults; 0 ends it. The
	// readings do not jump.
	DriftClock(fault int, node string, ppm int64)
	// Evict makes the store drop the lock's entry early, or end the holder's session or lease; on
	// one server only if that is named.
	Evict(fault int, server string)
	// Lag delays replication; 0 ends it.
	Lag(fault int, by time.Duration)
}

// Words for groups of nodes.
const (
	TheStore    = "store"     // all servers
	TheReplicas = "replicas"  // all servers but the primary
	Sentinels   = "sentinels" // all sentinels
)

// Spec returns the description of the fault's verb.
func (f *Fault) Spec() Spec { return *f.Verb.spec }

// shorter reports whether the duration of the fault, or the time by which it delays or changes
// something, is less than least.
func (f *Fault) shorter(least time.Duration) bool {
	if f.End.For > 0 && f.End.For < least {
		return true
	}
	if len(f.Args.Durations) == 0 {
		return false
	}
	short := func(p Param) bool {
		d, ok := f.Args.Durations[p.Name]
		return ok && p.Required && p.Timed() && d.Abs() < least
	}
	return short(f.Verb.spec.Value) || slices.ContainsFunc(f.Verb.spec.Params, short)
}

// Names returns the nodes that a fault names: in its trigger, target, sides and end, in this order.
// They may be words for groups, or "".
func (f *Fault) Names() []string {
	names := make([]string, 0, 8)
	names = append(names, f.Trigger.Subject, f.Target)
	for _, side := range f.Args.Sides {
		names = append(names, side...)
	}
	if f.End.Until != nil {
		names = append(names, f.End.Until.Subject)
	}
	return names
}

// Scaled returns the fault with all its durations scaled.
func (f Fault) Scaled(scale func(time.Duration) time.Duration) Fault {
	args := f.Args
	args.Durations = map[string]time.Duration{}
	for name, d := range f.Args.Durations { // order: each key on its own
		args.Durations[name] = scale(d)
	}
	end := f.End
	end.For = scale(end.For)
	if end.Until != nil {
		until := end.Until.scaled(scale)
		end.Until = &until
	}
	return f.remade(f.Number, args, f.Trigger.scaled(scale), end, f.Open.scaled(scale))
}

// remade is the same fault with another number, arguments or times.
func (f *Fault) remade(number int, a Args, t Trigger, end End, open *Open) Fault {
	out := Make(number, f.Spec(), a, t, end)
	out.Line, out.Open, out.Drawn = f.Line, open, f.Drawn
	return out
}

func (t Trigger) scaled(scale func(time.Duration) time.Duration) Trigger {
	t.At, t.Every, t.After = scale(t.At), scale(t.Every), scale(t.After)
	return t
}
