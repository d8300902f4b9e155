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
	v := CellOf(c.Verdict, r.Judgement.Impact(), say.Verdict(c.Verdict).In(l))
	switch {
	case c.Verdict == checker.Broken:
		v.Text = say.BrokenTimes.With(say.Number(c.Times)).In(l)
	case c.Fenced:
		v.Text = say.KeptFenced.With().In(l)
	case v.Sign == "":
		v.Text = say.Text("not judged").In(l)
	}
	return v
}

// Cell is a verdict in a table, or another text.
type Cell struct {
	Class, Sign, Text string // Class is its style
	Href              string // of a step; "" for none
}

// CellOf says a verdict; the style of a broken one depends on its impact on the data.
func CellOf(v checker.Verdict, i checker.Impact, text string) Cell {
	class := string(v)
	switch {
	case v == checker.Broken && i == checker.ImpactSafe:
		class = "safe"
	case v == checker.Broken && i == checker.ImpactDamaged:
		class = "damaged"
	case v != checker.Broken && v != checker.Kept && v != checker.Unknown: // a stored one may be any text
		return Cell{Class: string(checker.Unknown), Text: text}
	}
	return Cell{Class: class, Sign: signs[class], Text: text}
}

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

// signs of the verdicts, for readers who do not see colours.
var signs = map[string]string{"broken": "✗", "safe": "△", "damaged": "✗", "unknown": "?", "kept": "✓"}
