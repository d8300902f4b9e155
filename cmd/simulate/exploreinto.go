package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/runstore"
	"lockstep/measurements"
)

// readInto reads the result that a walk goes into: before the walk, for a walk takes long. nil without --into.
func (f *exploreFlags) readInto(o *explore.Options) (*measured.Explored, error) {
	if f.into == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.into)
	if err != nil {
		return nil, unreadable(err)
	}
	if data, err = measurements.Unpack(f.into, data); err != nil {
		return nil, fmt.Errorf("--into: %w", err)
	}
	r, err := measured.ReadExplored(data)
	if err != nil {
		return nil, fmt.Errorf("--into %s: it %w", f.into, err)
	}
	if err := o.CheckInto(r); err != nil {
		return nil, fmt.Errorf("--into %s: %w", f.into, err)
	}
	return r, nil
}

// writeInto puts the walk into the stored result.
func (f *exploreFlags) writeInto(stored *measured.Explored, s *explore.State, o *explore.Options) (*measured.Explored, error) {
	r, err := s.Into(o, stored)
	if err != nil {
		return nil, fmt.Errorf("--into %s: %w", f.into, err)
	}
	data, err := r.JSON("")
	if err == nil {
		data, err = measurements.Pack(f.into, data)
	}
	if err != nil {
		return nil, &bugError{err}
	}
	if err := writeWhole(f.into, data); err != nil {
		return nil, unwritable(err, "--into")
	}
	return r, nil
}

// writeStories writes the stories of a walk into the run store, explore/LOCK/SET.yaml, and calls them by their files.
func (f *exploreFlags) writeStories(r *measured.Explored) error {
	var files []runstore.File
	known := map[string]bool{}
	for i := range r.Locks {
		l := &r.Locks[i]
		var failed error
		l.EachStory(func(s *measured.Shown) {
			file := s.Name + ".yaml"
			if s.Name = filepath.ToSlash(filepath.Join(f.out, "explore", file)); known[file] {
				return
			}
			known[file] = true
			data, err := explore.Scenario(&r.Scope, l.Lock, s)
			failed = errors.Join(failed, err)
			files = append(files, runstore.File{Name: file, Data: data})
		})
		if failed != nil {
			return &bugError{failed}
		}
	}
	if err := replaceFiles(filepath.Join(f.out, "explore"), files); err != nil {
		return unwritable(err, "--out")
	}
	return nil
}

// checkInto says why --into cannot go with the other flags, or nil.
func (f *exploreFlags) checkInto() error {
	if f.into != "" && f.json {
		return errors.New("--json prints a result, and --into writes it: leave one of them out")
	}
	if f.further && f.into == "" {
		return errors.New("--further walks what a stored result does not know: add --into FILE")
	}
	return nil
}
