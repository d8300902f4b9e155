package results

import (
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/say"
)

// Explored is the result of a walk of the fault space: the minimal sets of kinds of faults that
// break each lock.
type Explored struct {
	Schema int            `json:"schema"`
	Scope  Scope          `json:"scope"`
	Locks  []ExploredLock `json:"locks"`
}

// Lock returns the result for a lock; nil when it is missing.
func (x *Explored) Lock(id string) *ExploredLock {
	return each.Find(x.Locks, func(l *ExploredLock) bool { return l.Lock == id })
}

// Only returns the result for some of the locks.
func (x *Explored) Only(these func(l *ExploredLock) bool) *Explored {
	out := *x
	out.Locks = nil
	for i := range x.Locks {
		if l := &x.Locks[i]; these(l) {
			out.Locks = append(out.Locks, *l)
		}
	}
	return &out
}

// Complete counts the locks of which all sets of that many faults are known.
func (x *Explored) Complete(faults int) int {
	return len(x.Only(func(l *ExploredLock) bool { return l.Complete >= faults }).Locks)
}

// Walked counts the schedules that were played.
func (x *Explored) Walked() (n int64) {
	for i := range x.Locks {
		n += x.Locks[i].Walked
	}
	return n
}

// Scope is the scope of a walk: *none* means none of these.
type Scope struct {
	Profiles []Profile `json:"profiles"`
	Clients  int       `json:"clients"`
	Rounds   int       `json:"rounds"`
	Faults   int       `json:"faults"`
	Sample   int       `json:"sample,omitempty"` // schedules drawn of each pair of kinds, where not all are walked; 0: none
	Kinds    []string  `json:"kinds"`
	Classes  []string  `json:"classes"` // the durations of the kinds
}

// Profile is one way in which locks are used, without faults.
type Profile struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// ExploredLock is the result for one lock.
type ExploredLock struct {
	Lock  string   `json:"lock"`
	Scope []string `json:"scope"` // the usage profiles that were walked
	Tally
	Complete int      `json:"complete"` // all sets of up to this many faults are known
	Doubts   []string `json:"doubts"`   // ways that broke with a fault without effect: unexplained
	// Searched is how schedules of several faults were searched in plain and just-within, to which
	// Complete refers. "" in a result of single faults. Together has it for each usage profile of
	// Scope.
	Searched string     `json:"searched,omitempty"`
	Together []Searched `json:"together,omitempty"`
	// Breaks are the minimal sets, by the names of checker.Outcomes; nil: not walked.
	Breaks map[string][]CutSet `json:"breaks"`
	// Singles are the results of each kind alone.
	Singles []Single `json:"singles"`
	// Version is that of the lock's code, see locks.Versions; "" when it is not known.
	Version string `json:"version,omitempty"`
}

// Tally counts schedules.
type Tally struct {
	Walked   int64 `json:"walked"`
	NoEffect int64 `json:"without_effect"` // of these, with a fault that changed nothing
	Cut      int64 `json:"cut_short"`      // of these, whose runs had no end: unknown
}

// Add adds the counts of other schedules.
func (t *Tally) Add(o Tally) {
	t.Walked, t.NoEffect, t.Cut = t.Walked+o.Walked, t.NoEffect+o.NoEffect, t.Cut+o.Cut
}

// Single is the result of all single faults of one kind that hit a client at one activity.
type Single struct {
	Kind   string `json:"kind"`
	During string `json:"during,omitempty"` // acquire, hold or release; "" for a fault of servers, which hits all clients
	Tally
	Breaks map[string]*Shown `json:"breaks"` // by the names of checker.Outcomes; only those that happened
}

// By returns the minimal sets that break the lock in a way; nil: not walked.
func (l *ExploredLock) By(way checker.Way) []CutSet { return l.Breaks[way.String()] }

// Within returns the minimal sets of these kinds alone that break the lock in some ways.
func (l *ExploredLock) Within(kinds []string, ways ...checker.Way) (in []*CutSet) {
	for _, way := range ways {
		for i := range l.By(way) {
			if s := &l.By(way)[i]; Subset(s.Kinds, kinds) {
				in = append(in, s)
			}
		}
	}
	return in
}

// Subset reports whether all of some kinds are among others.
func Subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(k string) bool { return !slices.Contains(all, k) })
}

// By returns the story in which the fault breaks the lock in a way; nil for none.
func (s *Single) By(way checker.Way) *Shown { return s.Breaks[way.String()] }

// SeparateHung separates hung work from stuck, as the lock is not to blame for it.
func (l *ExploredLock) SeparateHung() {
	stuck, hung := checker.NoProgress.String(), checker.Hung.String() // hung is also the name of the kind of fault
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
	// Within is the number of faults played when the set was found, if some besides Kinds had no
	// effect; else 0.
	Within int `json:"within,omitempty"`
	Shown
}

// Shown is the plainest story that shows something: its usage profile and its faults define it.
type Shown struct {
	Profile string   `json:"profile"`
	Faults  []string `json:"faults,omitempty"` // each an item of a scenario's list, "when: A enters; pause: A; for: 5s"
	Fence   bool     `json:"fence,omitempty"`  // the resource checks tokens
	Broken  []string `json:"broken,omitempty"` // properties, as a scenario expects them

	// Name is the name of the story, as simulate run takes it; "" when no simulator can play it. It
	// follows from the place in a result, see ExploredLock.Story.
	Name string `json:"story,omitempty"`
	// Text is the faults in one line, "" for none and before explore.AddTexts has made it of Sentence. A
	// result of libraries has texts but no faults.
	Text     string     `json:"text,omitempty"`
	Sentence say.Phrase `json:"-"`
}

// Said is the faults in one line for readers. The catalogue has the texts of libraries.
func (s *Shown) Said() say.Phrase {
	if s.Sentence.Empty() {
		return say.Text(s.Text)
	}
	return s.Sentence
}

// Same reports whether two stories of a lock are equal.
func (s *Shown) Same(o *Shown) bool {
	return s.Profile == o.Profile && s.Fence == o.Fence && slices.Equal(s.Faults, o.Faults) && (len(s.Faults) > 0 || s.Text == o.Text)
}

// Cost is what a lock costs in the plain profile, where a message takes a millisecond.
type Cost struct {
	Servers int // that keep the lock, with replicas
	// Acquire and Release are sequential round trips without contention, with those among the
	// servers, in the second round, as a client may open a session in the first. 0: no client gets
	// the lock.
	Acquire, Release int
	// DeadHolder is how long the lock stays taken after the death of its holder; negative: for
	// ever.
	DeadHolder time.Duration
}

// Says lists what the lock costs besides its servers.
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

// Unchecked is a story of a lock with tokens in which two hold it, played again with a resource
// that checks nothing.
type Unchecked struct {
	Kinds   []string // of its faults, a minimal set
	Damaged bool     // the data
}

// NoFault is the set of a story in which a lock breaks without a fault.
const NoFault = "no-fault"

// Story is a story of a lock with its set and its way.
type Story struct {
	Set   string   // "pause+evict", or for a single fault that hits a client at some activity "pause@hold"
	Kinds []string // of its faults
	Way   checker.Way
	*Shown
}

// Key is the set in the names of stories.
func (s *CutSet) Key() string {
	if len(s.Kinds) == 0 {
		return NoFault
	}
	return strings.Join(s.Kinds, "+")
}

// Stories returns all stories of a lock: those of minimal sets first, by way of breaking, then
// those of single faults.
func (l *ExploredLock) Stories() (out []Story) {
	for _, way := range checker.Outcomes() {
		for i := range l.By(way) {
			s := &l.By(way)[i]
			out = append(out, Story{s.Key(), s.Kinds, way, &s.Shown})
		}
	}
	for i := range l.Singles {
		s := &l.Singles[i]
		set := s.Kind
		if s.During != "" {
			set += "@" + s.During
		}
		for _, way := range checker.Outcomes() {
			if s.By(way) != nil {
				out = append(out, Story{set, []string{s.Kind}, way, s.By(way)})
			}
		}
	}
	return out
}

// Stories returns all stories of a result, lock by lock.
func (x *Explored) Stories() (out []Story) {
	for i := range x.Locks {
		out = append(out, x.Locks[i].Stories()...)
	}
	return out
}

// Story finds a story by its name without the lock, "pause+evict", "pause@hold", or
// "pause.no-progress" where a set has several; nil for none.
func (l *ExploredLock) Story(set string) *Shown { return find(l.Stories(), set) }

func find(all []Story, set string) *Shown {
	kinds, name, _ := strings.Cut(set, ".")
	way, named := checker.WayNamed(name)
	at := slices.IndexFunc(all, func(t Story) bool { return t.Set == set || named && t.Set == kinds && t.Way == way })
	if at < 0 {
		return nil
	}
	return all[at].Shown
}

// Sets returns the sets with a story, each once, in the order of their stories.
func (l *ExploredLock) Sets() (out []string) {
	for _, t := range l.Stories() {
		if !slices.Contains(out, t.Set) {
			out = append(out, t.Set)
		}
	}
	return out
}

// NameStories names all stories that a simulator can play, as briefly as Story can tell them apart.
func (l *ExploredLock) NameStories() {
	all := l.Stories()
	for i, t := range all {
		same := slices.IndexFunc(all[:i], func(o Story) bool { return o.Same(t.Shown) })
		switch {
		case t.Broken == nil:
			t.Name = "" // not playable
		case same >= 0:
			t.Name = all[same].Name
		case find(all, t.Set).Same(t.Shown):
			t.Name = l.Lock + "/" + t.Set
		default:
			t.Name = l.Lock + "/" + t.Set + "." + t.Way.String()
		}
	}
}
