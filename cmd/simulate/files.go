package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// unlessInterrupted does something that may take for ever and that no context ends: to
// open a pipe, or to read from one, is to wait for its other end. When ctx ends, it
// returns an error at once and leaves f to itself, as the program is about to end.
func unlessInterrupted[T any](ctx context.Context, doing string, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errors.New("interrupted while " + doing)
	}
}

// writeApart writes files that were made of stored runs. A run directory is evidence and
// stays as it is: nothing is written into one, whatever links lead there.
func writeApart(dir string, files []runstore.File) error {
	for _, file := range files {
		if err := notInRun(filepath.Dir(filepath.Join(dir, filepath.FromSlash(file.Name)))); err != nil {
			return err
		}
	}
	if err := replaceFiles(dir, files); err != nil {
		return unwritable(err, "--to")
	}
	return nil
}

// notInRun refuses a directory, which need not exist, that is a run directory or inside
// of one.
func notInRun(dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return &environmentError{err}
	}
	for {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = real
			break
		}
		if _, there := os.Lstat(at); there == nil && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is a link that leads nowhere: name another directory with --to", at)
		}
		if at == filepath.Dir(at) {
			return &environmentError{err}
		}
		at = filepath.Dir(at)
	}
	for ; ; at = filepath.Dir(at) {
		switch {
		case isRunDir(at):
			return fmt.Errorf("%s is a stored run, which stays as it is: name a directory elsewhere with --to", at)
		case at == filepath.Dir(at):
			return nil
		}
	}
}

// isRunDir reports whether a directory holds a history, which makes it one of a run.
func isRunDir(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, historyName))
	return err == nil
}

// savePage writes a page into the run store, whose index then lists it.
func (g *globals) savePage(name string, data []byte) (path string, err error) {
	path = filepath.Join(g.out, filepath.FromSlash(name))
	if err := writeWhole(path, data); err != nil {
		return path, unwritable(fmt.Errorf("cannot write the page: %w", err), "--out")
	}
	return path, writeIndex(g.out, g.language)
}
