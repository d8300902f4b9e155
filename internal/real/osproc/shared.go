package osproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sharedFiles are the files of shared memory of processes, which a killed process cannot remove.
// PostgreSQL's initdb makes some, and no option prevents that.
type sharedFiles map[string]bool

// add records the files of a process before it is killed.
func (s *sharedFiles) add(pid int) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return // it has ended
	}
	for line := range strings.Lines(string(maps)) {
		at := strings.Index(line, memory+"/")
		if at < 0 {
			continue
		}
		name := strings.TrimSpace(line[at:])
		if filepath.Dir(name) != memory {
			continue // in a scratch directory, which is removed as a whole
		}
		if *s == nil {
			*s = sharedFiles{}
		}
		(*s)[name] = true
	}
}

// remove removes the files of dead processes. A name that ends with " (deleted)" is not a file.
func (s *sharedFiles) remove() error {
	var errs []error
	for name := range *s {
		if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
