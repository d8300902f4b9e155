// Package runstore keeps finished runs on disk: one directory per run, complete
// or not there at all.
//
//	reports/<scenario>/<UTC>-seed-<n>/   result.json, history.jsonl, scenario.yaml, env.json, report.html,
//	                                     stores/ (the logs of real servers), ...
//	reports/latest                       -> the newest of them
package runstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// File is one file of a run directory.
type File struct {
	Name  string // relative to the directory, with slashes
	Data  []byte
	Write func(io.Writer) error // writes what is too large to be held in memory; nil: it is Data
}

// CopyTo writes what is in the file.
func (f *File) CopyTo(w io.Writer) error {
	if f.Write != nil {
		return f.Write(w)
	}
	_, err := w.Write(f.Data)
	return err
}

// create makes the file at path, in a draft.
func (f *File) create(path string) error {
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

// Save writes a run directory. The files go to a directory of another name first,
// which is renamed when it is complete and removed when anything fails, so that
// nobody ever sees half a run.
func Save(root, dir string, files []File) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return explain(root, err)
	}
	at, err := draft(func() (string, error) { return os.MkdirTemp(filepath.Dir(dir), ".draft-") })
	if err != nil {
		return explain(root, err)
	}
	for i := range files {
		if err = files[i].create(filepath.Join(at, filepath.FromSlash(files[i].Name))); err != nil {
			break
		}
	}
	err = settle(at, err, func() error {
		if err := os.Chmod(at, 0o755); err != nil {
			return err
		}
		return os.Rename(at, dir)
	})
	if err != nil {
		_ = os.Remove(filepath.Dir(at)) // fails when other runs are in it, as it should
		return explain(root, err)
	}
	return step(func() error { return link(root, dir) })
}

// link points root/latest at dir. It is a convenience: a file system without
// links does without.
func link(root, dir string) error {
	target, err := filepath.Rel(root, dir)
	if err != nil {
		return nil
	}
	latest := filepath.Join(root, "latest")
	if info, err := os.Lstat(latest); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is not the link to the latest run that it should be: move it away", latest)
	}
	draft := fmt.Sprintf("%s.%d", latest, os.Getpid())
	if err := os.Symlink(target, draft); err != nil {
		return nil
	}
	if err := os.Rename(draft, latest); err != nil {
		_ = os.Remove(draft) // as above: the run itself is saved
	}
	return nil
}

func explain(root string, err error) error {
	cure := "choose another place with --out"
	if errors.Is(err, os.ErrPermission) {
		cure = "make it writable, or choose another place with --out"
	}
	return fmt.Errorf("cannot store the run below %s: %w: %s", root, err, cure)
}
