package explore

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/locks"
	"lockstep/internal/measured"
	"lockstep/internal/say"
)

// CheckInto says why the result of such a walk cannot be put into a stored one, or nil. The scope
// has to be the same, unless all of its locks are walked, and nothing that is known may be lost.
func (o *Options) CheckInto(stored *measured.Explored) error {
	scope := o.scope()
	scope.Faults = stored.Scope.Faults
	others := slices.ContainsFunc(stored.Locks, func(l measured.ExploredLock) bool {
		return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return v.ID == l.Lock })
	})
	if others && !reflect.DeepEqual(scope, stored.Scope) {
		return errors.New("it is of another scope (worlds, kinds, clients, rounds or durations): walk with the options that it was walked with, or all of its locks anew")
	}
	for _, v := range o.Locks {
		if at := indexOf(stored, v.ID); at >= 0 && stored.Locks[at].Complete > o.Faults {
			return fmt.Errorf("it has all sets of %d faults of %s, and would lose them: walk with --faults %d",
				stored.Locks[at].Complete, v.ID, stored.Locks[at].Complete)
		}
	}
	return nil
}

// Into is Result put into a stored one, see CheckInto: the locks of this walk take the place of
// what was known of them, and what was stored of others stays, with its stories. All stories come
// back, named as if everything had been walked at once.
func (s *State) Into(o *Options, stored *measured.Explored, stories []Story) (*measured.Explored, []Story, error) {
	if err := o.CheckInto(stored); err != nil {
		return nil, nil, err
	}
	for _, v := range o.Locks {
		if s.lock(v.ID).complete(o.Faults) < o.Faults {
			return nil, nil, fmt.Errorf("%s is not walked to its end with %d faults", v.ID, o.Faults)
		}
	}
	var err error
	t := newTeller(o)
	defer t.close()
	r := measured.NewExplored(s.Scope)
	r.Scope.Faults = max(s.Scope.Faults, stored.Scope.Faults)
	if t.keys, err = t.recall(stories); err != nil {
		return nil, nil, err
	}
	for i := range stored.Locks {
		l := stored.Locks[i]
		if slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return v.ID == l.Lock }) {
			t.forget(l.Lock)
			continue
		}
		one := measured.Explored{Locks: []measured.ExploredLock{l}}
		one.EachStory(func(shown *measured.Shown) {
			key, ok := t.keys[path.Base(shown.Story)]
			if !ok || t.told[key].expects[l.Lock] == nil {
				err = fmt.Errorf("the stored result of %s tells of %s, which is no story of it: give the folder with its stories", l.Lock, shown.Story)
			}
			shown.Story = key
		})
		if err != nil {
			return nil, nil, err
		}
		r.Locks = append(r.Locks, l)
	}
	for _, v := range o.Locks {
		l, err := s.told(t, v)
		if err != nil {
			return nil, nil, err
		}
		r.Locks = append(r.Locks, l)
	}
	maps.DeleteFunc(t.told, func(_ string, x *telling) bool { return len(x.expects) == 0 })
	slices.SortStableFunc(r.Locks, func(a, b measured.ExploredLock) int { return strings.Compare(a.Lock, b.Lock) })
	return r, t.stories(r), nil
}

// indexOf is where a result has a lock; -1 when it has not.
func indexOf(x *measured.Explored, lock string) int {
	return slices.IndexFunc(x.Locks, func(l measured.ExploredLock) bool { return l.Lock == lock })
}

// recall takes up stories that were told before, and returns the keys of their files.
func (t *teller) recall(stories []Story) (map[string]string, error) {
	keys := map[string]string{}
	for _, s := range stories {
		x, err := readTelling(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		key := x.world + strings.Join(x.faults, "")
		if t.told[key] != nil {
			return nil, fmt.Errorf("%s is the same story as %s", s.Name, t.told[key].name)
		}
		keys[s.Name], t.told[key] = key, x
	}
	return keys, nil
}

// forget has no story expect anything of a lock, until it is told again.
func (t *teller) forget(lock string) {
	for key, x := range t.told { // order: does not matter
		if was := x.expects[lock]; was != nil {
			t.forgotten[key+lock] = was
			delete(x.expects, lock)
		}
	}
}

// retell tells the story of a set that a stored result knows.
func (t *teller) retell(v locks.Variant, x *taken) (measured.CutSet, error) {
	key := t.keys[path.Base(x.Shown.Story)]
	was := t.forgotten[key+v.ID]
	if was == nil {
		return measured.CutSet{}, fmt.Errorf("%s: %s is no story of the stored result: give the folder with its stories, and --into", v.ID, x.Shown.Story)
	}
	t.told[key].expects[v.ID] = was
	set := measured.CutSet{Kinds: x.Names, Shown: x.Shown}
	set.Story = key
	return set, nil
}

// readTelling reads a story as telling.story has written it.
func readTelling(s Story) (*telling, error) {
	x := &telling{name: s.Name, expects: map[string][]string{}}
	var title [2]string
	var world, item strings.Builder
	part, lock := "", ""
	for line := range strings.Lines(s.YAML) {
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":"); {
		case strings.HasPrefix(line, "#") || key == "seed" || key == "locks":
		case key == "scenario":
			title[0], _ = strconv.Unquote(strings.TrimSpace(value))
		case part == "zh":
			title[1], _ = strconv.Unquote(strings.TrimSpace(value))
		case key == "faults" || key == "expect" || key == "zh":
			part = key
		case part == "faults":
			if strings.HasPrefix(line, "  - ") && item.Len() > 0 {
				x.faults = append(x.faults, item.String())
				item.Reset()
			}
			item.WriteString(line)
		case part == "expect" && value == "":
			lock = strings.TrimSpace(key)
		case part == "expect":
			x.expects[lock] = append(x.expects[lock], strings.TrimSpace(key))
		default:
			world.WriteString(line)
		}
	}
	if item.Len() > 0 {
		x.faults = append(x.faults, item.String())
	}
	x.world, x.title = world.String(), say.Both{English: title[0], Chinese: title[1]}.Phrase()
	x.what = strings.TrimPrefix(title[0], titleBegins)
	if len(x.expects) == 0 || x.story() != s {
		return nil, errors.New("this is no story as simulate explore writes it: remove it, and walk its locks anew")
	}
	return x, nil
}

// titleBegins is how the titles of stories begin, before the name of the base world.
const titleBegins = "In the world "
