package main

import (
	"context"
	"fmt"

	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/say"
	"lockstep/measurements"
)

// storedWalk is what the walk of the fault space has come to, as it was stored.
func storedWalk() (*measured.Explored, error) {
	data, err := measurements.Explore()
	if err != nil {
		return nil, &bugError{err}
	}
	walk, err := measured.ReadExplored(data)
	if err != nil {
		return nil, &bugError{err}
	}
	return walk, nil
}

// toldWalk is the same with the texts of its stories, which take a moment.
func toldWalk() (*measured.Explored, error) {
	walk, err := storedWalk()
	if err != nil {
		return nil, err
	}
	if err := explore.Tell(walk); err != nil {
		return nil, &bugError{err}
	}
	return walk, nil
}

// storedLibraries are the libraries that were measured by their own code, by lock.
func storedLibraries() ([]*measured.Library, error) {
	return storedIn(measurements.Libraries())
}

// storedPrograms are the programs of examples that were measured on real servers, by lock.
func storedPrograms() ([]*measured.Library, error) {
	return storedIn(measurements.Programs())
}

func storedIn(files [][]byte, err error) (out []*measured.Library, _ error) {
	if err != nil {
		return nil, &bugError{err}
	}
	for i, data := range files {
		one, err := measured.ReadLibrary(data)
		if err != nil {
			return nil, &bugError{fmt.Errorf("measurement %d %w", i+1, err)}
		}
		out = append(out, one)
	}
	return out, nil
}

// explorePage writes the page of the stored walk, on which a reader ticks what can happen.
func (g *globals) explorePage(ctx context.Context, l say.Language) (path string, err error) {
	walk, err := toldWalk()
	if err != nil {
		return "", err
	}
	var kinds []explorepage.Kind
	for _, k := range explore.Kinds() {
		kinds = append(kinds, explorepage.Kind{Name: k.Name, Summary: k.Summary})
	}
	facts, err := factsOf(ctx, walk)
	if err != nil {
		return "", err
	}
	libraries, err := storedLibraries()
	if err != nil {
		return "", err
	}
	data, err := explorepage.HTML(facts, libraries, kinds, l)
	if err != nil {
		return "", &bugError{err}
	}
	return g.savePage("which-lock.html", data)
}
