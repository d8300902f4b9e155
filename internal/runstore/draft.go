package runstore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// under is what is written under another name at present. Every step that makes or
// renames something holds the lock, so that Abandon finds all of it, and finds nothing
// half renamed.
var under = struct {
	sync.Mutex
	way map[string]bool // drafts, files and directories
}{way: map[string]bool{}}

// draft makes a draft with a function that returns its path.
func draft(create func() (string, error)) (string, error) {
	under.Lock()
	defer under.Unlock()
	path, err := create()
	if err == nil {
		under.way[path] = true
	}
	return path, err
}

// step takes one step with drafts.
func step(take func() error) error {
	under.Lock()
	defer under.Unlock()
	return take()
}

// settle turns a draft into what it is to be; when that fails, or wrong is not nil, it
// removes it, for what is left of it is of no use.
func settle(path string, wrong error, finish func() error) error {
	under.Lock()
	defer under.Unlock()
	delete(under.way, path)
	if wrong == nil {
		wrong = finish()
	}
	if wrong != nil {
		_ = os.RemoveAll(path)
	}
	return wrong
}

// Abandon removes all that is being written and lets nothing be stored any more: who
// tries to waits for ever. It is for a program that is about to end. It returns how much
// it was.
func Abandon() int {
	under.Lock() // and never unlocked
	for path := range under.way {
		_ = os.RemoveAll(path)
		_ = os.Remove(filepath.Dir(path)) // fails when other runs are in it, as it should
	}
	return len(under.way)
}

// WriteWhole writes a file that is complete or not there at all. The umask decides who may read it.
func WriteWhole(path string, file *File) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var open *os.File
	name, err := draft(func() (name string, err error) {
		// Not os.CreateTemp: its files are their owner's alone, where the umask may let others read.
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
