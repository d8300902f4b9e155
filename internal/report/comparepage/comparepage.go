// Package comparepage draws the page of stored runs side by side.
package comparepage

import (
	"embed"
	"html/template"
	"slices"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

//go:embed *.html *.css
var files embed.FS

var design = page.NewDesign("comparepage", files)

// view is the view of the template.
type view struct {
	*compare.Comparison
	Head     page.Head
	Shown    []compare.Side // of all sides
	Settings []compare.Difference
	Aligned  template.HTML
	Figures  []page.Figure
	Absent   []string
}

// maxDrawn limits the sides in figures: a reader cannot distinguish more lines.
const maxDrawn = 12

// HTML draws a comparison as one self-contained file without a script.
func HTML(c *compare.Comparison) ([]byte, error) {
	all := c.Sides()
	v := &view{Comparison: c, Shown: all[:min(len(all), compare.MaxSides)], Settings: c.Differences()}
	v.Head = design.Head(v.Title(), page.ReportCSS, figure.CSS, strip.CSS)
	v.draw(v.Shown[:min(len(v.Shown), maxDrawn)])
	return design.Fill(c.Language, v)
}

// Shapes are our own SVG.
func (v *view) Shapes() template.HTML { return template.HTML(diagram.Shapes()) }

// Cut and Drawn say how many sides the tables and the figures show, unless they show all.
func (v *view) Cut() say.Phrase {
	if all := v.Sides(); len(all) > compare.MaxSides {
		return say.ShownFirst.With(compare.MaxSides, say.Number(len(all)))
	}
	return say.Phrase{}
}

func (v *view) Drawn() say.Phrase {
	if len(v.Shown) > maxDrawn {
		return say.DrawnFirst.With(maxDrawn, say.Number(len(v.Sides())))
	}
	return say.Phrase{}
}

// First is the first difference of the plans, in words.
func (v *view) First() say.Phrase {
	return say.FirstDifference.With(v.Settings[0].Words(), say.Optional(len(v.Settings)-1))
}

// Parted reports whether some story is compared with that of an earlier run.
func (v *view) Parted() bool {
	return slices.ContainsFunc(v.Shown, func(s compare.Side) bool { return s.Divergence.Against != "" })
}

// Properties are the heads of the verdicts, and Cells those on a side.
func (v *view) Properties() []string { return compare.Together(v.Shown).PropertyNames(v.Language) }

func (v *view) Cells(s *compare.Side) []page.Cell {
	return each.Map(compare.Together(v.Shown).Properties(), func(p string) page.Cell {
		return page.NewCell(s.Run, p, v.Language)
	})
}

// Heads and Ratios are the table of measures.
func (v *view) Heads() []string            { return say.Texts(v.Language, compare.RatioHeads...) }
func (v *view) Ratios() []compare.RatioRow { return compare.RatioRows(v.Shown, v.Language) }

// figureHeads are the headings of the figures, by their kinds.
var figureHeads = map[string]string{
	figure.WaitSpread.Kind: "Distribution of the waits", figure.HoldSpread.Kind: "How long the lock was held", "commands": "What an acquisition costs",
}

// draw makes the figures: our own HTML, with all texts escaped.
func (v *view) draw(sides []compare.Side) {
	var stories []bundle.Story
	names := make([]string, len(sides))
	waits, holds := make([][]time.Duration, len(sides)), make([][]time.Duration, len(sides))
	measures := make([]*timeline.Measures, len(sides))
	for i := range sides {
		s := &sides[i]
		stories = append(stories, s.Story)
		names[i], waits[i], holds[i], measures[i] = s.Name, s.Waits, s.Holds, s.Measures
	}
	aligned, _ := strip.Aligned(stories, maxDrawn, v.Language)
	v.Aligned = template.HTML(aligned)
	for _, f := range []struct {
		spread figure.Spread
		of     [][]time.Duration
	}{{figure.WaitSpread, waits}, {figure.HoldSpread, holds}} {
		f.spread.Who, f.spread.Wide = "run and lock", true
		v.add(f.spread.Draw(names, f.of, v.Language))
	}
	v.add(figure.Costs(names, measures, v.Language))
}

// add adds a figure, or says why there is none.
func (v *view) add(f figure.Figure) {
	if f.SVG == nil {
		v.Absent = append(v.Absent, say.NothingToDraw.With(say.Text(f.Absent)).In(v.Language))
	} else {
		v.Figures = append(v.Figures, page.NewFigure(say.Text(figureHeads[f.Kind]).In(v.Language), &f, v.Language))
	}
}
