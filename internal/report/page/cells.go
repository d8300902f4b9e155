package page

import (
	_ "embed"
	"html/template"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// NewCell is the verdict of a run on a property.
func NewCell(r *bundle.Run, property string, l say.Language) Cell {
	c := bundle.CellOf(r, property, l)
	v := Cell{Class: string(c.Verdict), Text: say.Verdict(c.Verdict).In(l)}
	switch c.Verdict {
	case checker.Broken:
		v.Class = BrokenClass(r.Judgement.Impact())
		v.Sign, v.Text = Signs[v.Class], say.BrokenTimes.With(say.Number(c.Times)).In(l)
	case checker.Kept:
		v.Sign = "✓"
		if c.Fenced {
			v.Text = say.KeptFenced.With().In(l)
		}
	case checker.Unknown:
		v.Sign = "?"
	default:
		v.Class, v.Text = "unknown", say.Text("not judged").In(l)
	}
	return v
}

// BrokenClass is the style of a broken verdict, by its impact on the data.
func BrokenClass(i checker.Impact) string {
	switch i {
	case checker.ImpactSafe:
		return "safe"
	case checker.ImpactDamaged:
		return "damaged"
	}
	return string(checker.Broken)
}

// Cell is a verdict in a table; Class is its style.
type Cell struct{ Class, Sign, Text string }

// Figure is a plot on a page, with its caption and its numbers.
type Figure struct {
	Title   string // "" for none
	SVG     template.HTML
	Caption string
	Table   figure.Table
}

// NewFigure puts a plot on a page. All its texts are escaped.
func NewFigure(title string, f *figure.Figure, l say.Language) Figure {
	return Figure{title, template.HTML(f.SVG), sanitize.Sentence(f.Caption.In(l)), f.Table}
}

// Column is one kind of fault.
type Column struct {
	Code, Name, Summary string
	Kinds               []Kind // its kinds of faults of the walk; nil if irrelevant
}

// Kind is a kind of fault of the walk.
type Kind struct {
	Name   string
	During string // the activity of the client that it hits, in words; "" for any
}

// Signs of the verdicts, for readers who do not see colours.
var Signs = map[string]string{"broken": "✗", "safe": "△", "damaged": "✗", "unknown": "?", "kept": "✓"}
