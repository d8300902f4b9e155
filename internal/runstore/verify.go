package runstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// restore is the remedy for a run directory that was changed.
const restore = "take the run directory from a copy, or play the run again"

// verify compares the histories with the plan and with result.json: changed evidence proves
// nothing. Locks that an interrupted run did not reach have neither history nor result.
func (s *Run) verify() error {
	was, err := ReadResult(os.DirFS(s.Dir), ".")
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no result.json to compare the history with; `simulate check %s` judges the history alone", s.Dir, s.file(HistoryName))
	case errors.As(err, &path):
		return Unread(fmt.Errorf("%s: %w", s.Dir, err))
	case err != nil:
		return fmt.Errorf("%s/%w: %s", s.Dir, err, restore)
	}
	s.Was = was
	var told, judged []string
	for _, h := range s.Histories {
		told = append(told, h.Header.Lock)
	}
	for i := range was.Locks {
		judged = append(judged, was.Locks[i].Lock)
	}
	name := s.file(HistoryName)
	switch {
	case !slices.Equal(told, judged):
		return fmt.Errorf("%s tells of the locks %s, and result.json of %s: %s", name, LockList(told), LockList(judged), restore)
	case len(told) > len(s.Plan.Locks) || !slices.Equal(told, s.Plan.Locks[:len(told)]):
		return fmt.Errorf("%s tells of the locks %s, and scenario.yaml of %s: %s", name, LockList(told), LockList(s.Plan.Locks), restore)
	case was.Seed != s.Histories[0].Header.Seed:
		return fmt.Errorf("%s tells of seed %d, and result.json of %d: %s", name, s.Histories[0].Header.Seed, was.Seed, restore)
	case was.Hash != history.HashAll(s.Histories):
		return fmt.Errorf("%s was cut or changed: result.json was made from a history with the hash %s, and this one has %s: %s",
			name, was.Hash, history.HashAll(s.Histories), restore)
	case !s.meansTheSame():
		return fmt.Errorf("%s was changed: what its requests are, or its servers, is not what env.json was made from: %s", name, restore)
	}
	return nil
}

// meansTheSame reports whether operations and servers are unchanged. Older runs did not store their
// hashes.
func (s *Run) meansTheSame() bool {
	was := s.Env.OperationsHashes
	for i, h := range s.Histories {
		if was != nil && (i >= len(was) || was[i] != h.OperationsHash()) {
			return false
		}
	}
	return true
}

// Unplayed are the locks of the plan that an interrupted run did not reach.
func (s *Run) Unplayed() []string { return s.Plan.Locks[len(s.Histories):] }

// LockList names locks in a sentence, but only some if a hostile file has very many.
func LockList(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return say.Names(names).In(say.English)
}
