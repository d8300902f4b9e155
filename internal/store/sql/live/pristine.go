package live

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"lockstep/internal/real/programs"
)

// initDatabase makes the database in a directory that does not exist: a copy of the one that program,
// the server, has installed when it was first needed. Installing takes seconds of processor time,
// copying takes hundredths, and a replica has to begin with the same database as its primary, whose
// changes it receives from the very first one.
func initDatabase(program, data string, install func() error) error {
	pristine, err := pristineOf(program)
	if err != nil {
		return err
	}
	if _, err := os.Stat(pristine); err != nil {
		if err := install(); err != nil {
			return err
		}
		if err := errors.Join(notKept(keepPristine(data, pristine)), os.RemoveAll(data)); err != nil {
			return err
		}
	}
	err = copyTree(pristine, data)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("a database cannot be copied: %w on the disk of %s: free some, or set TMPDIR to a directory on another disk", syscall.ENOSPC, data)
	case err != nil:
		return fmt.Errorf("a database cannot be copied: %w: set TMPDIR to a directory that can be written", err)
	}
	return nil
}

// pristineOf is where the new database of a server is kept, in the user's cache: another one for
// each version of the server, and for each user.
func pristineOf(program string) (string, error) {
	path, err := programs.Find(program)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no directory to keep a new database in: %w: set XDG_CACHE_HOME", err)
	}
	version := sha256.Sum256(fmt.Append(nil, path, info.Size(), info.ModTime().UnixNano(), os.Geteuid()))
	return filepath.Join(cache, "lockstep", "databases", fmt.Sprintf("%s-%.8x", program, version)), nil
}

// keepPristine keeps a new database for all servers, unless another process was faster: primary and
// replica begin alike.
func keepPristine(data, pristine string) error {
	if err := os.MkdirAll(filepath.Dir(pristine), 0o700); err != nil {
		return err
	}
	removeUnfinished(filepath.Dir(pristine))
	fresh, err := os.MkdirTemp(filepath.Dir(pristine), unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	whole := filepath.Join(fresh, "data")
	if err := copyTree(data, whole); err != nil {
		return err
	}
	err = os.Rename(whole, pristine) // so what is there is whole
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// unfinished is the name of a copy for the cache that is being made.
const unfinished = "new-*"

// removeUnfinished removes the copies that killed processes have left: no copy takes an hour.
func removeUnfinished(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, unfinished)) // the pattern is well-formed
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(path) // the next server tries again
		}
	}
}

// notKept is nil for nil.
func notKept(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("a new database cannot be kept: %w: free some space, or set XDG_CACHE_HOME to a directory that can be written", err)
}

// copyTree copies a directory and its content with owners and permissions.
func copyTree(from, to string) error {
	err := os.CopyFS(to, os.DirFS(from))
	if err == nil {
		err = filepath.WalkDir(from, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return likewise(path, filepath.Join(to, path[len(from):]))
		})
	}
	return err
}

// likewise gives a copy the owner and the permissions of what it was made from.
func likewise(original, made string) error {
	info, err := os.Stat(original)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return errors.Join(os.Chmod(made, info.Mode().Perm()), os.Chown(made, int(owner.Uid), int(owner.Gid)))
}
