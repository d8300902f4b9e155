package main

import (
	"fmt"
	"os"
	"path/filepath"

	"lockstep/internal/runstore"
)

// writeWhole writes a file that is complete or not there at all.
func writeWhole(path string, data []byte) error {
	return replaceFile(path, &runstore.File{Data: data})
}

// replaceFile puts what is in a file at path, whole or not at all.
func replaceFile(path string, file *runstore.File) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".draft-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(draft.Name()) // what is left of it is of no use, and err says why
		}
	}()
	err = file.CopyTo(draft)
	if closed := draft.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(draft.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}

// replaceFiles writes files into a directory, each of them whole or not at all.
func replaceFiles(dir string, files []runstore.File) error {
	for i := range files {
		if err := replaceFile(filepath.Join(dir, filepath.FromSlash(files[i].Name)), &files[i]); err != nil {
			return err
		}
	}
	return nil
}

// savePage writes a page into the run store, whose index then lists it.
func (g *globals) savePage(name string, data []byte) (path string, err error) {
	path = filepath.Join(g.out, filepath.FromSlash(name))
	if err := writeWhole(path, data); err != nil {
		return path, unwritable(fmt.Errorf("cannot write the page: %w", err), "--out")
	}
	return path, writeIndex(g.out)
}
