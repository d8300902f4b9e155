package main

import (
	committed "lockstep/docs"
	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/say"
)

// explorePage writes the page of the stored walk, on which a reader ticks what can happen.
func (g *globals) explorePage(l say.Language) (path string, err error) {
	walk, err := measured.ReadExplored(committed.Explore)
	if err != nil {
		return "", &bugError{err}
	}
	var kinds []explorepage.Kind
	for _, k := range explore.Kinds() {
		kinds = append(kinds, explorepage.Kind{Name: k.Name, Summary: k.Summary})
	}
	data, err := explorepage.HTML(walk, kinds, l)
	if err != nil {
		return "", &bugError{err}
	}
	return g.savePage("which-lock.html", data)
}
