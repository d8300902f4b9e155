package main

import (
	"context"
	"embed"
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
func storedLibraries() ([]*measured.Library, error) {
	return storedIn(committed.Libraries, "libraries")
}

// storedPrograms are the programs of examples that were measured on real servers, by lock.
func storedPrograms() ([]*measured.Library, error) {
	return storedIn(committed.Programs, "programs")
}

func storedIn(all embed.FS, dir string) (out []*measured.Library, err error) {
	files, err := all.ReadDir(dir)
	if err != nil {
		return nil, &bugError{err}
	}
	for _, f := range files {
		data, err := all.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			return nil, &bugError{err}
		}
		one, err := measured.ReadLibrary(data)
		if err != nil {
			return nil, &bugError{fmt.Errorf("%s %w", f.Name(), err)}
		}
		out = append(out, one)
	}
	return out, nil
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
	libraries, err := storedLibraries()
	if err != nil {
		return "", err
	}
	data, err := explorepage.HTML(walk, libraries, kinds, costs, l)
	if err != nil {
		return "", &bugError{err}
	}
	return g.savePage("which-lock.html", data)
}
