package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/runstore"
)

// storedResult is the file of --into, with its stories.
type storedResult struct {
	result  *measured.Explored
	dir     string // of the stories, as the file names them
	stories []explore.Story
}

// readInto reads the result that a walk goes into: before the walk, for a walk takes long.
func (f *exploreFlags) readInto(o *explore.Options) (*storedResult, error) {
	if f.into == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.into)
	if err != nil {
		return nil, unreadable(err)
	}
	s := &storedResult{}
	if s.result, err = measured.ReadExplored(data); err != nil {
		return nil, fmt.Errorf("--into %s: it %w", f.into, err)
	}
	if err := o.CheckInto(s.result); err != nil {
		return nil, fmt.Errorf("--into %s: %w", f.into, err)
	}
	files := map[string]bool{}
	s.result.EachStory(func(shown *measured.Shown) {
		s.dir = path.Dir(shown.Story)
		files[path.Base(shown.Story)] = true
	})
	if f.stories == "" {
		f.stories = filepath.FromSlash(s.dir)
	}
	for name := range files { // order: sorted below
		text, err := os.ReadFile(filepath.Join(f.stories, name))
		if err != nil {
			return nil, fmt.Errorf("%w: --stories is the folder with the stories of %s", unreadable(err), f.into)
		}
		s.stories = append(s.stories, explore.Story{Name: name, YAML: string(text)})
	}
	slices.SortFunc(s.stories, func(a, b explore.Story) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// writeInto puts the walk into the stored result: first the stories, then the file that names
// them, and at last those go that nobody names any more.
func (f *exploreFlags) writeInto(stored *storedResult, s *explore.State, o *explore.Options) (*measured.Explored, error) {
	r, stories, err := s.Into(o, stored.result, stored.stories)
	if err != nil {
		return nil, fmt.Errorf("--into %s: %w", f.into, err)
	}
	if err := f.writeStories(stories); err != nil {
		return nil, err
	}
	explore.Below(r, stored.dir)
	data, err := r.JSON("")
	if err != nil {
		return nil, &bugError{err}
	}
	if err := writeWhole(f.into, data); err != nil {
		return nil, unwritable(err, "--into")
	}
	for _, old := range stored.stories {
		if slices.ContainsFunc(stories, func(x explore.Story) bool { return x.Name == old.Name }) {
			continue
		}
		if err := os.Remove(filepath.Join(f.stories, old.Name)); err != nil {
			return nil, unwritable(err, "--stories")
		}
	}
	return r, nil
}

// writeStories writes the stories into their folder.
func (f *exploreFlags) writeStories(stories []explore.Story) error {
	files := make([]runstore.File, len(stories))
	for i := range stories {
		files[i] = runstore.File{Name: stories[i].Name, Data: []byte(stories[i].YAML)}
	}
	if err := replaceFiles(f.stories, files); err != nil {
		return unwritable(err, "--stories")
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
