package osproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sharedFiles are files in memory that processes have made to share it with others of
// their family. A killed process cannot remove them. PostgreSQL's initdb makes some, and
// nothing tells it not to.
type sharedFiles map[string]bool

// add notes what a process has in memory, before it is killed.
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
			continue // in another run's directory, which is removed as a whole
		}
		if *s == nil {
			*s = sharedFiles{}
		}
		(*s)[name] = true
	}
}

// remove removes the files; those who made them are dead. A name that ends with
// " (deleted)" is no file any more.
func (s *sharedFiles) remove() error {
	var errs []error
	for name := range *s {
		if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
