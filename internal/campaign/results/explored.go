package results

import (
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/say"
)

// Explored is the result of a walk of the fault space: the minimal sets of kinds of faults
// that break each lock.
type Explored struct {
	Schema int            `json:"schema"`
	Scope  Scope          `json:"scope"`
	Locks  []ExploredLock `json:"locks"`
}

// NewExplored is a result of this schema.
func NewExplored(scope Scope) *Explored {
	return &Explored{Schema: exploredSchema, Scope: scope, Locks: []ExploredLock{}}
}

// Complete is how many locks have all sets of so many faults known.
func (x *Explored) Complete(faults int) (n int) {
	for i := range x.Locks {
		if x.Locks[i].Complete >= faults {
			n++
		}
	}
	return n
}

// Walked is how many schedules were played.
func (x *Explored) Walked() (n int64) {
	for i := range x.Locks {
		n += x.Locks[i].Walked
	}
	return n
}

// Scope is within what a walk holds: *none* means none of these.
type Scope struct {
	Profiles []Profile `json:"profiles"`
	Clients  int       `json:"clients"`
	Rounds   int       `json:"rounds"`
	Faults   int       `json:"faults"`
	Sample   int       `json:"sample,omitempty"` // schedules of each two kinds that are drawn where not all are walked; 0: none
	Tries    int       `json:"tries,omitempty"`  // of a schedule whose faults have no effect; 0: it is one run
	Kinds    []string  `json:"kinds"`
	Classes  []string  `json:"classes"` // what the kinds leave open of durations
}

// Profile is one way in which locks are used, without faults.
type Profile struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// ExploredLock is what it takes to break one lock.
type ExploredLock struct {
	Lock     string   `json:"lock"`
	Scope    []string `json:"scope"` // the usage profiles that were walked
	Walked   int64    `json:"walked"`
	NoEffect int64    `json:"without_effect"` // schedules with a fault that changed nothing
	Cut      int64    `json:"cut_short"`      // schedules whose runs had no end: unknown
	Complete int      `json:"complete"`       // all sets of so many faults are known
	Doubts   []string `json:"doubts"`         // what broke with a fault that had no effect: unexplained
	// Searched is how schedules of several faults were looked for: Complete is said where they were in plain and
	// just-within. "" in a result of single faults. Together says it for each usage profile of Scope.
	Searched string     `json:"searched,omitempty"`
	Together []Searched `json:"together,omitempty"`
	// Breaks are the minimal sets, by the names of checker.Outcomes; nil: not walked.
	Breaks map[string][]CutSet `json:"breaks"`
	// Singles are what became of each kind alone; none in a result of before they were counted.
	Singles []Single `json:"singles"`
}

// Single is what became of all single faults of one kind that hit a client at one thing.
type Single struct {
	Kind     string            `json:"kind"`
	During   string            `json:"during,omitempty"` // acquire, hold or release; "" for a fault of servers, which hits all clients
	Walked   int64             `json:"walked"`           // schedules
	NoEffect int64             `json:"without_effect"`   // of these, as of a lock
	Cut      int64             `json:"cut_short"`        // the same
	Breaks   map[string]*Shown `json:"breaks"`           // by the names of checker.Outcomes; only those that came about
}

// By are the minimal sets that break the lock in a way; nil: not walked.
func (l *ExploredLock) By(way checker.Way) []CutSet { return l.Breaks[way.String()] }

// By is the story that shows that the fault breaks the lock in a way; nil when none does.
func (s *Single) By(way checker.Way) *Shown { return s.Breaks[way.String()] }

// TellHungApart takes hung work out of what is stuck. It sticks every design that renews, so it is no fault of the lock.
func (l *ExploredLock) TellHungApart() {
	stuck, hung := checker.NoProgress.String(), checker.Hung.String() // the latter is also what the kind of fault is called
	if l.Breaks[stuck] == nil {
		return // not walked
	}
	all := l.Breaks[stuck]
	l.Breaks[stuck], l.Breaks[hung] = []CutSet{}, append([]CutSet{}, l.Breaks[hung]...)
	for _, s := range all {
		way := stuck
		if slices.Contains(s.Kinds, hung) {
			way = hung
		}
		l.Breaks[way] = append(l.Breaks[way], s)
	}
	for i := range l.Singles {
		if s := &l.Singles[i]; s.Kind == hung && s.Breaks[stuck] != nil {
			s.Breaks[hung] = s.Breaks[stuck]
			delete(s.Breaks, stuck)
		}
	}
}

// CutSet is a minimal set of kinds of faults. No kinds: the lock breaks without a fault.
type CutSet struct {
	Kinds []string `json:"kinds"`
	// Within is how many faults were together when the set was found, where those besides Kinds had no effect; else 0.
	Within int `json:"within,omitempty"`
	Shown
}

// Shown is the plainest story that shows something: its usage profile and its faults say all of it.
type Shown struct {
	Profile string   `json:"profile"`
	Faults  []string `json:"faults,omitempty"` // each an item of a scenario's list, "when: A enters; pause: A; for: 5s"
	Fence   bool     `json:"fence,omitempty"`  // the resource looks at tokens
	Broken  []string `json:"broken,omitempty"` // properties, as a scenario expects them

	// Name is that of the story, as simulate run takes it; "" for one that no simulator can play. It follows from its
	// place in a result, see ExploredLock.Story.
	Name string `json:"story,omitempty"`
	// Text is the faults in one line, "" for none and until explore.Tell has made it of them. A result of libraries has
	// the texts and no faults.
	Text        string `json:"text,omitempty"`
	TextChinese string `json:"text_zh,omitempty"`
}

// Same reports whether two stories of a lock are one.
func (s *Shown) Same(o *Shown) bool {
	return s.Profile == o.Profile && s.Fence == o.Fence && slices.Equal(s.Faults, o.Faults) && (len(s.Faults) > 0 || s.Text == o.Text)
}

// Cost is what a lock costs in the plain profile, where a message takes a millisecond.
type Cost struct {
	Servers int // that keep the lock, replicas among them
	// Acquire and Release are round trips, one after the other, without contention, those among
	// the servers too. They are of the second round: a client that opens a session does so once.
	// 0: no client gets the lock.
	Acquire, Release int
	// DeadHolder is how long the lock stays taken after its holder has died; less than zero
	// when no client gets it any more.
	DeadHolder time.Duration
}

// Says is in a few words each what the lock costs besides its servers.
func (c *Cost) Says() (out []say.Phrase) {
	if c.Acquire > 0 {
		out = append(out, say.CostRoundTrips.With(say.Number(c.Acquire), say.Number(c.Release)))
	}
	switch {
	case c.Acquire == 0:
		out = append(out, say.Text("no client gets it"))
	case c.DeadHolder < 0:
		out = append(out, say.Text("a dead holder keeps it for ever"))
	case c.DeadHolder < time.Second:
		out = append(out, say.Text("a dead holder is noticed at once"))
	default:
		out = append(out, say.CostDeadHolder.With(say.Planned(c.DeadHolder.Round(time.Second))))
	}
	return out
}

// Unchecked is a story in which two hold a lock that hands out tokens, played again with a resource that checks nothing.
type Unchecked struct {
	Kinds   []string // of its faults, a minimal set
	Damaged bool     // the data
}
