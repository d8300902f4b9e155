package main

import (
	"context"
	"fmt"
	"path"

	committed "lockstep/docs"
	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// storedWalk is what the walk of the fault space has come to, as it was stored.
func storedWalk() (*measured.Explored, error) {
	walk, err := measured.ReadExplored(committed.Explore)
	if err != nil {
		return nil, &bugError{err}
	}
	return walk, nil
}

// storedLibraries are the libraries that were measured by their own code, by lock.
func storedLibraries() (all []*measured.Library, err error) {
	const dir = "libraries"
	files, err := committed.Libraries.ReadDir(dir)
	if err != nil {
		return nil, &bugError{err}
	}
	for _, f := range files {
		data, err := committed.Libraries.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			return nil, &bugError{err}
		}
		one, err := measured.ReadLibrary(data)
		if err != nil {
			return nil, &bugError{fmt.Errorf("%s %w", f.Name(), err)}
		}
		all = append(all, one)
	}
	return all, nil
}

// explorePage writes the page of the stored walk, on which a reader ticks what can happen.
func (g *globals) explorePage(ctx context.Context, l say.Language) (path string, err error) {
	walk, err := storedWalk()
	if err != nil {
		return "", err
	}
	var kinds []explorepage.Kind
	for _, k := range explore.Kinds() {
		kinds = append(kinds, explorepage.Kind{Name: k.Name, Summary: k.Summary})
	}
	costs, err := explore.Costs(ctx, sim.New())
	if err != nil {
		return "", err
	}
	data, err := explorepage.HTML(walk, kinds, costs, l)
	if err != nil {
		return "", &bugError{err}
	}
	return g.savePage("which-lock.html", data)
}
