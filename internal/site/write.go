package site

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/serve"
)

// Write writes the site to a folder: a new one, an empty one, or one that it has written before, which
// its mark says. The mark lists the files, so what is no longer among them is removed, and other
// files in the folder stay. Write refuses any other folder.
func Write(dir string, files Tree) error {
	old, err := owned(dir)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	// The list first, and longer than it has to be: who is interrupted has still written to a folder of ours.
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeMark(dir, append(slices.Clone(old), names...)); err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
	}
	for _, name := range old {
		if files[name] != nil || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return writeMark(dir, names)
}

func writeMark(dir string, names []string) error {
	return os.WriteFile(filepath.Join(dir, serve.SiteMark), []byte(strings.Join(names, "\n")+"\n"), 0o644)
}

// owned lists what an earlier time has written to a folder. It is an error when the folder is not ours.
func owned(dir string) ([]string, error) {
	list, err := os.ReadFile(filepath.Join(dir, serve.SiteMark))
	if err == nil {
		return strings.Fields(string(list)), nil
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(entries) > 0:
		return nil, fmt.Errorf("%s is not empty, and no site of ours: name another folder, such as make site SITE=site", dir)
	}
	return nil, nil
}
