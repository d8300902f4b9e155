package main

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/explore"
	"lockstep/internal/locks"
	"lockstep/internal/measured"
	"lockstep/internal/scenario"
)

// mostSets is how many sets of a lock an error names.
const mostSets = 12

// searchedStory is a story of the stored search by its name, LOCK/SET, as a scenario file: "set-nx-lua/pause",
// "redlock/pause+restart", "setnx/pause@hold", "setnx/pause.stuck". nil and no error: this is no such name.
func searchedStory(name string) ([]byte, error) {
	lock, set, ok := strings.Cut(name, "/")
	if _, known := locks.Lookup(lock); !ok || !known {
		return nil, nil
	}
	x, err := storedWalk()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(x.Locks, func(l measured.ExploredLock) bool { return l.Lock == lock })
	if at < 0 {
		return nil, fmt.Errorf("%s: the stored search has nothing of %s", name, lock)
	}
	l := &x.Locks[at]
	shown := l.Story(set)
	if shown == nil {
		return nil, noStory(l, name, set)
	}
	data, err := explore.Scenario(&x.Scope, lock, shown)
	if err != nil {
		return nil, &bugError{err}
	}
	return data, nil
}

// noStory says which sets of a lock have a story.
func noStory(l *measured.ExploredLock, name, set string) error {
	sets := l.Sets()
	if len(sets) == 0 {
		return fmt.Errorf("%.80q: no fault of the stored search breaks %s", name, l.Lock)
	}
	if near := scenario.Nearest(set, sets); near != "" {
		return fmt.Errorf("%.80q: no story of %s has this name: did you mean %s/%s?", name, l.Lock, l.Lock, near)
	}
	more := ""
	if len(sets) > mostSets {
		more = fmt.Sprintf(" and %d more, see docs/locks/%s.md", len(sets)-mostSets, l.Lock)
		sets = sets[:mostSets]
	}
	return fmt.Errorf("%.80q: no story of %s has this name; there are %s%s", name, l.Lock, strings.Join(sets, ", "), more)
}
