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

// Read reads the files below a folder with an extension.
func Read(dir, ext string) (Tree, error) {
	out := Tree{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ext {
			return err
		}
		out[name], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return err
	})
	return out, err
}

// Write writes the site to a folder, which must be new, empty, or marked by an earlier Write. The
// mark lists the files: obsolete ones are removed, and foreign files stay. Write refuses any other
// folder.
func Write(dir string, files Tree) error {
	old, err := owned(dir)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	// First a mark with old and new files, so that an interrupted Write leaves a marked folder.
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

// owned lists the files that an earlier Write put in a folder. It refuses a foreign folder.
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
