package diagram

import (
	"html/template"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// LegendItem explains one shape of the diagram.
type LegendItem struct {
	Figure template.HTML
	Text   string
}

func swatch(body string) template.HTML {
	return template.HTML(`<svg class="spacetime" width="22" height="16" viewBox="0 0 22 16" aria-hidden="true">` + body + `</svg>`)
}

// Legend is the legend for a backend, without the shapes that it cannot have.
func Legend(backend string, l say.Language) []LegendItem {
	var out []LegendItem
	for _, item := range legend {
		if item.Text != unseen || !history.Simulated(backend) {
			out = append(out, LegendItem{item.Figure, say.Text(item.Text).In(l)})
		}
	}
	return out
}

// unseen is the only shape of real servers alone.
const unseen = "command on a real server: when it was executed is unknown"

var legend = []LegendItem{
	{swatch(`<rect x="1" y="2" width="20" height="12" rx="2" class="b1"/>`), "the client believes that it holds the lock"},
	{swatch(`<rect x="1" y="2" width="20" height="12" rx="2" class="g1"/>`), "the store has its entry"},
	{swatch(`<rect x="1" y="2" width="20" height="12" rx="2" class="copy copy1"/>`), "a copy, on a server that does not answer"},
	{swatch(`<path d="M0 8H22" class="end"/>`), "the entry ends"},
	{swatch(`<rect x="1" y="1" width="20" height="14" class="frozen"/>`), "frozen"},
	{swatch(`<rect x="1" y="1" width="20" height="14" class="strike"/>`), "a fault at work: cut off, slow, or as labelled"},
	{swatch(`<path d="M1 5H16" class="msg"/><path d="M15 2 21 5 15 8z" class="head"/><path d="M1 12H21" class="msg late"/>`), "message; dashed: late"},
	{swatch(`<path d="M1 3L20 8L1 13" class="msg unseen"/>`), unseen},
	{swatch(`<path d="M6 3l10 10m0 -10l-10 10" class="cross"/>`), "lost, or dead"},
	{swatch(`<path d="M11 1l7 7l-7 7l-7 -7z" class="g1"/>`), "accepted write, with the version"},
	{swatch(`<path d="M11 1l7 7l-7 7l-7 -7z" class="refused"/>`), "refused write"},
	{swatch(`<circle cx="11" cy="8" r="6.5" class="ring"/>`), "a property breaks"},
}
