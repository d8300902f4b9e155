package osproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Scratch is a directory for one run, removed at its end. Its name says which
// process made it, so that the next run can remove what a killed harness left.
type Scratch struct {
	path  string
	alive *os.File // locked for as long as the harness lives
}

const scratchPrefix = "lockstep-"

// scratchName matches lockstep-PID-STARTTIME-RANDOM.
var scratchName = regexp.MustCompile(`^lockstep-(\d+)-(\d+)-\d+$`)

// NewScratch makes a scratch directory below the system's directory for
// temporary files, and removes those of dead harnesses first.
func NewScratch() (*Scratch, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	RemoveStale()
	pid := os.Getpid()
	pattern := fmt.Sprintf("%s%d-%s-*", scratchPrefix, pid, StartTime(pid))
	path, err := os.MkdirTemp("", pattern)
	if err != nil {
		return nil, fmt.Errorf("no directory for the servers' files: %w: free some space, or set TMPDIR to a directory that can be written", err)
	}
	alive, err := os.OpenFile(aliveFile(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil && !lockFile(alive) {
		err = errors.Join(errors.New("it cannot be locked"), alive.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", aliveFile(path), err), os.RemoveAll(path))
	}
	return &Scratch{path: path, alive: alive}, nil
}

func aliveFile(dir string) string { return filepath.Join(dir, "alive") }

// Path returns the directory.
func (s *Scratch) Path() string { return s.path }

// Fresh makes a new empty directory in the scratch directory.
func (s *Scratch) Fresh(name string) (string, error) {
	path, err := os.MkdirTemp(s.path, name+"-*")
	if err != nil {
		return "", fmt.Errorf("no directory for %s: %w: free some space, or set TMPDIR to a directory that can be written", name, err)
	}
	return path, nil
}

// Remove removes the directory with all that is in it.
func (s *Scratch) Remove() error {
	return errors.Join(os.RemoveAll(s.path), s.alive.Close())
}

// RemoveStale removes the scratch directories of harnesses that are dead and
// returns how many there were.
//
// Dead takes two proofs. The process of the directory's name must be gone: no
// process with that number, or a younger one that got the number later. And its
// lock must be free: a harness in another container may share the directory
// for temporary files, but not our view of process numbers.
func RemoveStale() int {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return 0
	}
	removed := 0
	for _, e := range entries {
		m := scratchName.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		pid, err := strconv.Atoi(m[1])
		if err != nil || StartTime(pid) == m[2] {
			continue
		}
		path := filepath.Join(os.TempDir(), e.Name())
		if !abandoned(path) {
			continue
		}
		if os.RemoveAll(path) == nil {
			removed++
		}
	}
	return removed
}

// abandoned reports whether nobody holds the lock of a scratch directory.
func abandoned(path string) bool {
	f, err := os.OpenFile(aliveFile(path), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return lockFile(f)
}
