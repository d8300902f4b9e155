package runstore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// drafts are the paths of the files and directories being written under another name. Every step
// that creates or renames something holds the lock, so Abandon finds all drafts, and none half
// renamed.
var drafts = struct {
	sync.Mutex
	paths map[string]bool
}{paths: map[string]bool{}}

// draft registers a draft that a function creates, and returns its path.
func draft(create func() (string, error)) (path string, err error) {
	err = step(func() (err error) {
		if path, err = create(); err == nil {
			drafts.paths[path] = true
		}
		return err
	})
	return path, err
}

// step runs a function that changes drafts.
func step(run func() error) error {
	drafts.Lock()
	defer drafts.Unlock()
	return run()
}

// settle finishes a draft. If that fails, or failed is not nil, it removes the draft.
func settle(path string, failed error, finish func() error) error {
	return step(func() error {
		delete(drafts.paths, path)
		if failed == nil {
			failed = finish()
		}
		if failed != nil {
			_ = os.RemoveAll(path)
		}
		return failed
	})
}

// Abandon removes all drafts and returns their number. Later attempts to store something block
// forever: it is for a program that is about to exit.
func Abandon() int {
	drafts.Lock() // and never unlocked
	for path := range drafts.paths {
		_ = os.RemoveAll(path)
		_ = os.Remove(filepath.Dir(path)) // fails if it contains other runs, as it should
	}
	return len(drafts.paths)
}

// WriteWhole writes a file completely or not at all. The umask determines who may read it.
func WriteWhole(path string, file *File) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var open *os.File
	name, err := draft(func() (name string, err error) {
		// Not os.CreateTemp: only the owner can read its files, whatever the umask.
		name = filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%d", draftPrefix, rand.Uint64()))
		open, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return name, err
	})
	if err != nil {
		return err
	}
	err = file.CopyTo(open)
	if closed := open.Close(); err == nil {
		err = closed
	}
	return settle(name, err, func() error { return os.Rename(name, path) })
}
