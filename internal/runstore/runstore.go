// Package runstore keeps finished runs on disk: one directory per run, written completely or not at
// all. A stored run is evidence, so reading it verifies that it is unchanged.
//
//	reports/<scenario>/<UTC>-seed-<n>/   result.json, history.jsonl, scenario.yaml, env.json, report.html,
//	                                     stores/ (the logs of real servers), ...
//	reports/latest                       -> the newest of them
//	reports/again/<scenario>/<run>/      redrawn pages of a run, which itself does not change
package runstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"lockstep/internal/report/artifacts"
)

// File is one file of a run directory.
type File = artifacts.File

// create makes a file at path, in a draft.
func create(f *File, path string) error {
	var file *os.File
	err := step(func() (err error) {
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			file, err = os.Create(path)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = f.CopyTo(file)
	return errors.Join(err, file.Close())
}

// Dir returns the name of a run's directory below root, which need not exist.
func Dir(root, slug string, seed uint64, now time.Time) string {
	return filepath.Join(root, slug, fmt.Sprintf("%s-seed-%d", now.UTC().Format(stampForm), seed))
}

// maxSame limits the runs of a scenario and a seed that end in the same millisecond.
const maxSame = 10_000

// errTaken says that another run has the name.
var errTaken = errors.New("the name is taken")

// Save writes a run directory and returns its name: dir, or the first free one of dir-2, dir-3 and
// so on. files makes the files for a directory of that name; Save returns its errors unchanged.
//
// The files go to a hidden draft, which is renamed when it is complete and removed on any failure,
// so no reader sees half a run. A rename never replaces another run: of two that end at the same
// time, one gets the next name. A killed process leaves its draft behind, which all commands
// ignore.
func Save(root, dir string, files func(dir string) ([]File, error)) (string, error) {
	name := dir
	for n := 2; n <= maxSame; n++ {
		err := errTaken
		if _, missing := os.Lstat(name); missing != nil { // another error than that is saveAs's, too
			err = saveAs(root, name, files)
		}
		if !errors.Is(err, errTaken) {
			if err == nil {
				err = step(func() error { return link(root, name) })
			}
			return name, err
		}
		name = fmt.Sprintf("%s-%d", dir, n)
	}
	return "", unstored(root, fmt.Errorf("%d runs are named %s", maxSame, filepath.Base(dir)))
}

// saveAs writes a run directory of that name, or returns errTaken. The draft has the name of its
// run, so creating it reserves the name.
func saveAs(root, dir string, files func(dir string) ([]File, error)) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return unstored(root, err)
	}
	at, err := draft(func() (string, error) {
		path := filepath.Join(parent, draftPrefix+filepath.Base(dir))
		return path, os.Mkdir(path, 0o755)
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return errTaken
	case err != nil:
		return unstored(root, err)
	}
	made, notMade := files(dir)
	err = notMade
	for i := 0; i < len(made) && err == nil; i++ {
		err = create(&made[i], filepath.Join(at, filepath.FromSlash(made[i].Name)))
	}
	var renamed error
	err = settle(at, err, func() error {
		renamed = os.Rename(at, dir)
		return renamed
	})
	if err != nil {
		_ = os.Remove(parent) // fails if it contains other runs, as it should
	}
	switch {
	case err == nil:
		return nil
	case notMade != nil:
		return notMade
	case errors.Is(renamed, fs.ErrExist), errors.Is(renamed, syscall.ENOTDIR): // a run, or a file
		return errTaken
	default:
		return unstored(root, err)
	}
}

// link points root/latest at dir, unless the file system has no links.
func link(root, dir string) error {
	target, err := filepath.Rel(root, dir)
	if err != nil {
		return nil
	}
	latest := filepath.Join(root, latestName)
	if !ownLink(latest) {
		return &DiskError{fmt.Errorf("%s is not the link to the latest run that it should be: move it away", latest)}
	}
	draft := filepath.Join(root, draftPrefix+"latest-"+filepath.Base(filepath.Dir(dir))+"-"+filepath.Base(dir)) // of this process only
	if err := os.Symlink(target, draft); err != nil {
		return nil
	}
	if err := os.Rename(draft, latest); err != nil {
		_ = os.Remove(draft) // the run itself is saved
	}
	return nil
}

// ownLink reports whether the link to the latest run may be replaced: it does not exist, or it
// links to a run of the store, which may be gone.
func ownLink(latest string) bool {
	target, err := os.Readlink(latest)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return filepath.IsLocal(target) && strings.Count(filepath.ToSlash(filepath.Clean(target)), "/") == 1
}

// unstored is the error for a run that could not be stored.
func unstored(root string, err error) error {
	return Unwritten(fmt.Errorf("cannot store the run below %s: %w", root, err), "it", anotherPlace)
}

const anotherPlace = "choose another place with --out"

// Unwritten is the error for a file that could not be written: what to make writable, or else to do.
func Unwritten(err error, what, cure string) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		cure = "make " + what + " writable, or " + cure
	case errors.Is(err, syscall.ENOSPC):
		cure = "make room, or " + cure
	}
	return &DiskError{fmt.Errorf("%w: %s", err, cure)}
}
