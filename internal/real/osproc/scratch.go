package osproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Scratch is a directory for one run, removed at its end. Its name identifies the harness, so
// that the next run can remove the directory of a killed one.
type Scratch struct {
	path  string
	alive *os.File // locked for as long as the harness lives
}

const scratchPrefix = "lockstep-"

// scratchName matches lockstep-PID-STARTTIME-RANDOM.
var scratchName = regexp.MustCompile(`^lockstep-(\d+)-(\d+)-\d+$`)

// NewScratch removes the scratch directories of dead harnesses, and makes a new one in the
// system's directory for temporary files.
func NewScratch() (*Scratch, error) { return newScratch(os.TempDir()) }

// memory is the file system in memory of Linux.
const memory = "/dev/shm"

// NewScratchInMemory makes a scratch directory for a process that writes to a file at each step
// and must not wait for a busy disk. It is on the disk where memory does not exist.
func NewScratchInMemory() (*Scratch, error) {
	if s, err := newScratch(memory); err == nil {
		return s, nil
	}
	return NewScratch()
}

func newScratch(below string) (*Scratch, error) {
	RemoveStale()
	pid := os.Getpid()
	pattern := fmt.Sprintf("%s%d-%s-*", scratchPrefix, pid, StartTime(pid))
	path, err := os.MkdirTemp(below, pattern)
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

// KillAll kills the processes of the run: those in the directory, and those with its mark.
func (s *Scratch) KillAll() error { return killInside(s.path) }

// Remove removes the directory and its contents.
func (s *Scratch) Remove() error { return errors.Join(discardAll(s.path), s.alive.Close()) }

var reclaims []func(dir string) error

// OnDiscard registers a function that frees what killed servers of one kind leave outside of
// their directories; called from init. It is called for the directory of each server of any
// kind.
func OnDiscard(reclaim func(dir string) error) { reclaims = append(reclaims, reclaim) }

// Discard removes the directory of a server whose processes are dead, and frees what they have
// left outside of it.
func Discard(dir string) error {
	var errs []error
	for _, reclaim := range reclaims {
		errs = append(errs, reclaim(dir))
	}
	return errors.Join(append(errs, os.RemoveAll(dir))...)
}

// discardAll removes a scratch directory with the directories of servers in it.
func discardAll(scratch string) error {
	var errs []error
	entries, _ := os.ReadDir(scratch) // empty when it is gone
	for _, e := range entries {
		if e.IsDir() {
			errs = append(errs, Discard(filepath.Join(scratch, e.Name())))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(scratch))...)
}

// RemoveStale removes the scratch directories of dead harnesses, whose reapers were killed, too,
// with everything else that they have left, and returns how many were on the disk.
//
// A harness is dead if no process has the PID and the start time in the directory's name, and
// the lock of the directory is free: a harness in another container may share the directory for
// temporary files, but has other PIDs.
func RemoveStale() int {
	removeStale(memory)
	return removeStale(os.TempDir())
}

func removeStale(below string) int {
	entries, err := os.ReadDir(below)
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
		if path := filepath.Join(below, e.Name()); abandoned(path) && reap(path) == nil {
			removed++
		}
	}
	return removed
}

// abandoned reports whether the lock of a scratch directory is free.
func abandoned(path string) bool {
	f, err := os.OpenFile(aliveFile(path), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	return lockFile(f)
}
