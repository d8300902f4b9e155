package results

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
)

// NoFault is the set of a story in which a lock breaks without a fault.
const NoFault = "no-fault"

// Told is a story of a lock with its set and its way.
type Told struct {
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
func (l *ExploredLock) Stories() (out []Told) {
	for _, way := range checker.Outcomes() {
		for i := range l.By(way) {
			s := &l.By(way)[i]
			out = append(out, Told{s.Key(), s.Kinds, way, &s.Shown})
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
				out = append(out, Told{set, []string{s.Kind}, way, s.By(way)})
			}
		}
	}
	return out
}

// Stories returns all stories of a result, lock by lock.
func (x *Explored) Stories() (out []Told) {
	for i := range x.Locks {
		out = append(out, x.Locks[i].Stories()...)
	}
	return out
}

// Story finds a story by its name without the lock, "pause+evict", "pause@hold", or
// "pause.no-progress" where a set has several; nil for none.
func (l *ExploredLock) Story(set string) *Shown { return find(l.Stories(), set) }

func find(all []Told, set string) *Shown {
	kinds, name, _ := strings.Cut(set, ".")
	way, named := checker.WayNamed(name)
	at := slices.IndexFunc(all, func(t Told) bool { return t.Set == set || named && t.Set == kinds && t.Way == way })
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
		same := slices.IndexFunc(all[:i], func(o Told) bool { return o.Same(t.Shown) })
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
