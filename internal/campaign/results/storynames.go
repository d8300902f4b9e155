package results

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
)

// NoFault is the set of a story in which a lock breaks without a fault.
const NoFault = "no-fault"

// told is a story of a lock with its set and its way.
type told struct {
	set string // "pause+evict", or for a single fault that hits a client at some activity "pause@hold"
	way checker.Way
	*Shown
}

// Key is the set in the names of stories.
func (s *CutSet) Key() string {
	if len(s.Kinds) == 0 {
		return NoFault
	}
	return strings.Join(s.Kinds, "+")
}

// told returns all stories of a lock: those of minimal sets first, by way of breaking, then those
// of single faults.
func (l *ExploredLock) told() (out []told) {
	for _, way := range checker.Outcomes() {
		for i := range l.By(way) {
			s := &l.By(way)[i]
			out = append(out, told{s.Key(), way, &s.Shown})
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
				out = append(out, told{set, way, s.By(way)})
			}
		}
	}
	return out
}

// EachStory calls f with every story of a result.
func (x *Explored) EachStory(f func(s *Shown)) {
	for i := range x.Locks {
		x.Locks[i].EachStory(f)
	}
}

// EachStory calls f with every story of a lock.
func (l *ExploredLock) EachStory(f func(s *Shown)) {
	for _, t := range l.told() {
		f(t.Shown)
	}
}

// Story finds a story by the part of its name after the lock: the set and, where the set has
// several stories, the way of breaking. "pause+evict", "pause@hold", "pause.no-progress". nil for an
// unknown name.
func (l *ExploredLock) Story(set string) *Shown { return find(l.told(), set) }

func find(all []told, set string) *Shown {
	kinds, name, _ := strings.Cut(set, ".")
	way, named := checker.WayNamed(name)
	at := slices.IndexFunc(all, func(t told) bool { return t.set == set || named && t.set == kinds && t.way == way })
	if at < 0 {
		return nil
	}
	return all[at].Shown
}

// Sets returns the sets with a story, each once, in the order of their stories.
func (l *ExploredLock) Sets() (out []string) {
	for _, t := range l.told() {
		if !slices.Contains(out, t.set) {
			out = append(out, t.set)
		}
	}
	return out
}

// NameStories names all stories that a simulator can play, as briefly as Story can tell them apart.
func (l *ExploredLock) NameStories() {
	all := l.told()
	for i, t := range all {
		same := slices.IndexFunc(all[:i], func(o told) bool { return o.Same(t.Shown) })
		switch {
		case t.Broken == nil:
			t.Name = "" // not playable
		case same >= 0:
			t.Name = all[same].Name
		case find(all, t.set).Same(t.Shown):
			t.Name = l.Lock + "/" + t.set
		default:
			t.Name = l.Lock + "/" + t.set + "." + t.way.String()
		}
	}
}
