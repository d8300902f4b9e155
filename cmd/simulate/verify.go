package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

// restore is what to do about a run directory that is not as its run has left it.
const restore = "take the run directory from a copy, or play the run again"

// verify compares the histories with the plan and with result.json, which the run has
// written beside them: evidence that was cut or changed proves nothing. The locks that an
// interrupted run did not come to are in neither.
func (s *storedRun) verify() error {
	was, err := runstore.ReadSummary(os.DirFS(s.dir), ".")
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no result.json to compare the history with; `simulate check %s` judges the history alone", s.dir, s.file(historyName))
	case errors.As(err, &path):
		return unreadable(fmt.Errorf("%s: %w", s.dir, err))
	case err != nil:
		return fmt.Errorf("%s/%w: %s", s.dir, err, restore)
	}
	s.was = was
	var told, judged []string
	for _, h := range s.histories {
		told = append(told, h.Header.Lock)
	}
	for i := range was.Locks {
		judged = append(judged, was.Locks[i].Lock)
	}
	name := s.file(historyName)
	switch {
	case !slices.Equal(told, judged):
		return fmt.Errorf("%s tells of the locks %s, and result.json of %s: %s", name, lockList(told), lockList(judged), restore)
	case len(told) > len(s.plan.Locks) || !slices.Equal(told, s.plan.Locks[:len(told)]):
		return fmt.Errorf("%s tells of the locks %s, and scenario.yaml of %s: %s", name, lockList(told), lockList(s.plan.Locks), restore)
	case was.Seed != s.histories[0].Header.Seed:
		return fmt.Errorf("%s tells of seed %d, and result.json of %d: %s", name, s.histories[0].Header.Seed, was.Seed, restore)
	case was.Hash != history.HashAll(s.histories):
		return fmt.Errorf("%s was cut or changed: result.json was made from a history with the hash %s, and this one has %s: %s",
			name, was.Hash, history.HashAll(s.histories), restore)
	}
	return nil
}

// unplayed are the locks of the plan that an interrupted run did not come to.
func (s *storedRun) unplayed() []string { return s.plan.Locks[len(s.histories):] }

// tellUnplayed says so on stderr.
func (s *storedRun) tellUnplayed() {
	if left := s.unplayed(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "simulate:", terminalText(fmt.Sprintf("%s was interrupted before it came to %s", s.dir, lockList(left))))
	}
}

// lockList names locks in a sentence; hostile files may name very many.
func lockList(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return say.Names(names).In(say.English)
}
