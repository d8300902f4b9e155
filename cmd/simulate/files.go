package main

import (
	"fmt"
	"path/filepath"

	"lockstep/internal/runstore"
)

// writeWhole writes a file that is complete or not there at all.
func writeWhole(path string, data []byte) error {
	return runstore.WriteWhole(path, &runstore.File{Data: data})
}

// replaceFiles writes files into a directory, each of them whole or not at all.
func replaceFiles(dir string, files []runstore.File) error {
	for i := range files {
		if err := runstore.WriteWhole(filepath.Join(dir, filepath.FromSlash(files[i].Name)), &files[i]); err != nil {
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
