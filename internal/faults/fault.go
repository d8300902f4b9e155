// Package faults says what can go wrong, when, and for how long.
//
// A fault is data: a trigger (an instant or a moment), a verb with parameters,
// and an end. The verbs live one per file and register themselves; they act on
// a world only through the port World, so a scenario means the same in the
// simulator and on real servers. The Engine watches the moments that a world
// reports, and begins and ends the faults.
package faults

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/rng/spread"
	"lockstep/internal/say"
)

// Fault is one line of a scenario's list of faults. Make builds it.
type Fault struct {
	Number  int // 1-based, in the order of the file
	Trigger Trigger
	Args    Args
	End     End
	Line    int // where the scenario file says so; 0 when there is no file

	Verb   Verb   // built from Args
	Target string // the node that the verb names ("A", "the holder"); "" for verbs without
	Text   string // as a scenario would say it, which histories keep: "pause A for 15s when A is in its critical section"

	Told, TextChinese string // to readers, in both languages: "A pauses for 15 s when it enters"
	Deed, DeedChinese string // what it does, without when: "A pauses for 15 s"

	Open *Open // what each run draws for itself; nil when nothing is left open
	// Drawn is the number of the fault in the list that it was drawn from: it need not have had an effect.
	// 0: the fault was not drawn.
	Drawn int
}

// Open is what a fault leaves open. Package chaos draws it before a run; the result is a fault that
// leaves nothing open. Its plain fields say the longest there is.
type Open struct {
	// Ranges are the durations that are drawn, by their keys in a file: at, every, after, for, or a
	// parameter of the verb.
	Ranges map[string]spread.Range
	// ChancePPM is how likely it happens each time, in millionths.
	ChancePPM int64
}

// Always is the chance of a fault that happens each time.
const Always = 1_000_000

// MayCome reports whether it is drawn if the fault happens, or how often.
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
	f := Fault{Number: number, Trigger: t, Args: a, End: end, Verb: s.Build(a)}
	if s.Value.NamesNode() {
		f.Target = a.Value
	}
	told, deed := f.told(), f.deed(Telling{Args: a, who: actor{name: f.Target}})
	f.Text, f.Told, f.TextChinese = f.text(), told.English(), told.In(say.Chinese)
	f.Deed, f.DeedChinese = deed.English(), deed.In(say.Chinese)
	return f
}

// Said is the fault as readers are told it.
func (f *Fault) Said() say.Both {
	return say.Both{English: cmp.Or(f.Told, f.Text), Chinese: f.TextChinese}
}

// Renumbered numbers faults by their places. A trigger that counts from a fault that is gone, or no longer
// precedes it, counts from the beginning.
func Renumbered(list []Fault) []Fault {
	places := map[int]int{} // of the first one with a number: several may have been drawn from it
	out := make([]Fault, 0, len(list))
	for i, f := range list {
		t, end := f.Trigger, f.End
		t.AfterFault = places[t.AfterFault]
		if end.Until != nil {
			until := *end.Until
			until.AfterFault = places[until.AfterFault]
			end.Until = &until
		}
		made := Make(i+1, f.Spec(), f.Args, t, end)
		made.Line, made.Open, made.Drawn = f.Line, f.Open, f.Drawn
		out = append(out, made)
		if places[f.Number] == 0 {
			places[f.Number] = i + 1
		}
	}
	return out
}

// Verb is what a fault does. A value of it knows its parameters.
type Verb interface {
	// Name is the key in a scenario file: pause.
	Name() string
	// Begin does it. at says what triggered it.
	Begin(w World, at Activation)
	// End undoes it; called once, and only when the fault has an end.
	End(w World, at Activation)
}

// Activation is what a verb knows when it begins or ends.
type Activation struct {
	Fault   int        // number of the fault
	Subject string     // the node whose moment triggered it; "" for an instant
	Call    Call       // the command in question; zero unless the moment is one of the wire
	Target  string     // the resolved value of the verb when it names a node: "the holder" has become "A"
	Sides   [][]string // the same for a verb that names sides
}

// Trigger says when a fault begins, or ends.
type Trigger struct {
	// At is an instant of the run, used when Moment is NoMoment.
	At time.Duration
	// Every repeats an instant: at Every, 2*Every, ...; 0 for once.
	Every time.Duration

	// Moment that Subject must reach.
	Moment  MomentKind
	Subject string // a client's name, or one of the Subject... constants
	Command string // for moments of the wire: GET, or the name of a script; upper case for commands; or one of CommandWords

	// Round is the round, of the client that reaches the moment, in which it counts, from 1; 0 for all. A round begins
	// when a client starts waiting.
	Round int
	// AfterFault is the number of a fault that stands before this one: until it has begun, no occurrence
	// counts, and that with which it begins does not either; 0 for none.
	AfterFault int
	// Nth is the occurrence that counts, from 1; 0 means every time.
	Nth int
	// After delays the fault from the moment on.
	After time.Duration
}

// Subjects that are resolved when the moment comes.
const (
	AnyClient  = "any client"
	TheHolder  = "the holder"
	NextHolder = "the next holder"
	// ThatClient is the one whose moment the fault waits for. In a moment, and in a fault at an instant, it
	// is the one whose moment the latest fault has waited for.
	ThatClient = "that client"

	ThePrimary = "the primary"
)

// End says when a fault ends. The zero End means that the verb is over as soon
// as it has begun (a crash, one dropped reply).
type End struct {
	For     time.Duration // > 0: that long
	Until   *Trigger      // non-nil: at that moment
	Forever bool          // never, not even before the final quiet period
}

// Call names one command on its way, so that a verb can tamper with just that
// one. The zero Call names none.
type Call struct {
	Client  string
	ID      int64
	Command string
}

// Half is one half of a command's way: the request or the reply.
type Half uint8

// The two halves.
const (
	Request Half = iota
	ReplyHalf
)

// String returns request or reply.
func (h Half) String() string {
	if h == Request {
		return "request"
	}
	return "reply"
}

// World is what the verbs can do to a world. Nodes are given by name. An
// implementation records what it did in the history (Froze, Crashed, ...) with
// the number of the fault, and tells the Engine when that has changed anything
// (Acted): a dead client cannot be paused.
//
// All methods return at once; what takes time goes on in the world. Both worlds
// implement all of them.
type World interface {
	// FaultBegan and FaultEnded are called by the Engine just before the verb
	// acts; node is the target, "" when there is none.
	FaultBegan(fault int, node string)
	FaultEnded(fault int, node string)

	// Resolve returns the name of the server that ThePrimary is now, and any other
	// name as it is. The Engine asks when a fault begins, so that its end undoes
	// what was done, even if another server is the primary by then.
	Resolve(node string) string

	// Freeze stops a process; its sockets stay open and messages queue up.
	Freeze(fault int, node string)
	// Thaw lets it run again.
	Thaw(fault int, node string)
	// Crash kills a process. Its host closes its connections.
	Crash(fault int, node string)
	// LoseHost kills a client together with its host, which does not come back in this
	// run: its connections are not closed. What has left it arrives, what a partition holds
	// back is not sent again.
	LoseHost(fault int, client string)
	// DelayCall holds back one half of one command for d.
	DelayCall(fault int, c Call, h Half, d time.Duration)
	// DropCall loses one half of one command.
	DropCall(fault int, c Call, h Half)
	// SlowWork makes the critical section of a client's present round last d longer
	// (its business task is busy; the other tasks of its process run). When the work of
	// the round is done, it changes nothing.
	SlowWork(fault int, client string, d time.Duration)
	// FailOver kills the primary. Who promotes a replica, and when, is said in the
	// servers' set-up.
	FailOver(fault int)
	// Promote makes a replica the primary while the old one goes on, as far as
	// it can: the operator's half of a split brain.
	Promote(fault int)
	// Restart lets a crashed process run again; one that runs is killed first and
	// stays away for down. A server comes back with what its persistence kept, a
	// client starts its workload over, unless its host is lost.
	Restart(fault int, node string, down time.Duration)
	// Partition holds back everything that nodes of from send to nodes of to, and,
	// if both, the other way round as well. What is held back arrives after the
	// heal, late, as TCP does it. Names may be the group words of Group.
	Partition(fault int, from, to []string, both bool)
	// HealPartition ends what Partition of the same fault began.
	HealPartition(fault int)
	// JumpClock steps a node's wall clock.
	JumpClock(fault int, node string, by time.Duration)
	// DriftClock makes both clocks of a node run faster by so many millionths
	// than they do without faults; 0 ends it. The readings do not jump.
	DriftClock(fault int, node string, ppm int64)
	// Evict makes the store drop the lock's entry early: an eviction, a flush, an
	// operator's DEL; for a store with sessions or leases, that of the holder. With
	// a server's name it is dropped there only.
	Evict(fault int, server string)
	// Lag makes replication so much slower; 0 ends it.
	Lag(fault int, by time.Duration)
}

// Words for groups of nodes.
const (
	TheStore    = "store"     // all servers
	TheReplicas = "replicas"  // all servers but the primary
	Sentinels   = "sentinels" // those that watch over the servers
)

// Spec returns the description of the fault's verb.
func (f *Fault) Spec() Spec {
	spec, ok := Lookup(f.Verb.Name())
	if !ok {
		panic("faults: the verb " + f.Verb.Name() + " is not registered")
	}
	return spec
}

// shorter reports whether the fault lasts, or makes something late or wrong, for less
// than that.
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
	spec := f.Spec()
	return short(spec.Value) || slices.ContainsFunc(spec.Params, short)
}

// Names are the nodes that a fault speaks of, as it says them: that of its trigger
// first, then its target and sides, then that of its end. Some are group words, and
// some are "".
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
	out := Make(f.Number, f.Spec(), args, f.Trigger.scaled(scale), end)
	out.Line, out.Open, out.Drawn = f.Line, f.Open.scaled(scale), f.Drawn
	return out
}

func (t Trigger) scaled(scale func(time.Duration) time.Duration) Trigger {
	t.At, t.Every, t.After = scale(t.At), scale(t.Every), scale(t.After)
	return t
}
