package main

import (
	committed "lockstep/docs"
	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/report"
	"lockstep/internal/say"
)

// storedWalk is what the walk of the fault space has come to, as it was stored.
func storedWalk() (*measured.Explored, error) {
	walk, err := measured.ReadExplored(committed.Explore)
	if err != nil {
		return nil, &bugError{err}
	}
	return walk, nil
}

// explorePage writes the page of the stored walk, on which a reader ticks what can happen.
func (g *globals) explorePage(l say.Language) (path string, err error) {
	walk, err := storedWalk()
	if err != nil {
		return "", err
	}
	var kinds []report.KindOfFault
	for _, k := range explore.Kinds() {
		kinds = append(kinds, report.KindOfFault{Name: k.Name, Summary: k.Summary})
	}
	data, err := report.ExploreHTML(walk, kinds, l)
	if err != nil {
		return "", &bugError{err}
	}
	return g.savePage("which-lock.html", data)
}
