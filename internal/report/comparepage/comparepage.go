// Package comparepage draws the page of stored runs side by side.
package comparepage

import (
	"embed"
	"fmt"
	"html/template"
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

//go:embed *.html *.css
var files embed.FS

var design = page.NewDesign("comparepage", files)

type runsView struct {
	Head       page.Head
	Shapes     template.HTML
	Title      string
	Count      int
	Cut        string // if not all sides are shown
	Cautions   []string
	Runs       []compare.Row
	Properties []string
	Verdicts   []runsVerdict
	First      string // the first difference of the plans, in words
	Settings   []compare.Difference
	Sides      []compare.Side
	Parted     bool // some story is compared with that of an earlier run
	Aligned    template.HTML
	Drawn      string // if the figures do not show all sides
	Heads      []string
	Ratios     []compare.RatioRow
	Figures    []page.Figure
	Absent     []string
	Replay     string
}

// runsVerdict is one lock of one run.
type runsVerdict struct {
	Run     int
	Lock    string
	Cells   []page.Cell
	Missed  string
	Outcome string
}

// HTML draws a comparison as one self-contained file without a script.
func HTML(c *compare.Comparison) ([]byte, error) {
	all, l := c.Sides(), c.Language
	sides := all[:min(len(all), compare.MaxSides)]
	v := &runsView{
		Title: say.SideBySide.With(say.Number(len(c.Runs))).In(l), Shapes: template.HTML(diagram.Shapes()),
		Count: len(c.Runs), Cautions: c.Cautions(all), Heads: say.Texts(l, compare.RatioHeads...), Replay: sanitize.Text(c.Replay, sanitize.MaxLine),
	}
	v.Head = design.Head(v.Title, page.ReportCSS, figure.CSS, strip.CSS)
	if len(all) > compare.MaxSides {
		v.Cut = say.ShownFirst.With(compare.MaxSides, say.Number(len(all))).In(l)
	}
	if len(sides) > maxDrawn {
		v.Drawn = say.DrawnFirst.With(maxDrawn, say.Number(len(all))).In(l)
	}
	for n := range c.Runs {
		v.Runs = append(v.Runs, c.Row(n))
	}
	v.verdicts(compare.Together(sides), sides, l)
	if v.Settings = c.Differences(); len(v.Settings) > 0 {
		v.First = say.FirstDifference.With(v.Settings[0].Words(), say.Optional(len(v.Settings)-1)).In(l)
	}
	v.Sides = sides
	v.Parted = slices.ContainsFunc(sides, func(s compare.Side) bool { return s.Parting.Against != "" })
	v.Ratios = compare.RatioRows(sides, l)
	if err := v.draw(sides, l); err != nil {
		return nil, err
	}
	return design.Fill(l, v)
}

func (v *runsView) verdicts(b *bundle.Bundle, sides []compare.Side, l say.Language) {
	props := b.Properties()
	v.Properties = b.PropertyNames(l)
	for i := range sides {
		r := sides[i].Run
		row := runsVerdict{Run: sides[i].Index + 1, Lock: sanitize.Text(r.Lock, sanitize.MaxName), Missed: sanitize.Text(bundle.Missed(r).In(l), sanitize.MaxLine), Outcome: say.Text(r.Outcome()).In(l)}
		for _, p := range props {
			row.Cells = append(row.Cells, page.NewCell(r, p, l))
		}
		v.Verdicts = append(v.Verdicts, row)
	}
}

// figureHeads are the headings of the figures, by their kinds.
var figureHeads = map[string]string{
	figure.WaitSpread.Kind: "Distribution of the waits", figure.HoldSpread.Kind: "How long the lock was held", "commands": "What an acquisition costs",
}

// draw makes the figures: our own HTML, with all texts escaped.
func (v *runsView) draw(sides []compare.Side, l say.Language) error {
	merged := compare.Together(sides[:min(len(sides), maxDrawn)])
	var strips []*strip.Strip
	var judged []*checker.Judgement
	for i := range merged.Runs {
		s, h := &sides[i], sides[i].Run.Judgement.History
		if h == nil || len(h.Events) == 0 {
			continue
		}
		one := strip.Of(&merged.Runs[i].Judgement, s.Bars, strip.Options{Language: l, Wrong: explain.Assumption(s.Bars.Timeline, s.Run.Judgement.Findings, merged.Lag(h))})
		one.Name = sanitize.Text(s.Name, sanitize.MaxName)
		if s.Differs >= 0 && s.Differs < len(s.Steps) {
			one.Diverges(s.Steps[s.Differs].At, l)
		}
		strips, judged = append(strips, one), append(judged, &merged.Runs[i].Judgement)
	}
	if len(strips) > 0 {
		v.Aligned = template.HTML(strip.HTML(strips, strip.ScaleOf(judged...), l))
	}
	figures, err := runFigures(sides, l)
	if err != nil {
		return fmt.Errorf("drawing the measures: %w", err)
	}
	for i := range figures {
		f := &figures[i]
		if f.SVG == nil {
			v.Absent = append(v.Absent, say.NothingToDraw.With(say.Text(f.Absent)).In(l))
			continue
		}
		v.Figures = append(v.Figures, page.NewFigure(say.Text(figureHeads[f.Kind]).In(l), f, l))
	}
	return nil
}

// maxDrawn limits the sides in figures: a reader cannot distinguish more lines.
const maxDrawn = 12

// runFigures draws the measures of all sides in common figures, in the order of the tables.
func runFigures(sides []compare.Side, l say.Language) ([]figure.Figure, error) {
	sides = sides[:min(len(sides), maxDrawn)]
	names := make([]string, len(sides))
	waits, holds := make([][]time.Duration, len(sides)), make([][]time.Duration, len(sides))
	all := make([]*timeline.Measures, len(sides))
	for i := range sides {
		names[i], waits[i], holds[i], all[i] = sides[i].Name, sides[i].Waits, sides[i].Holds, sides[i].Measures
	}
	var out []figure.Figure
	for _, f := range []struct {
		spread figure.Spread
		of     [][]time.Duration
	}{{figure.WaitSpread, waits}, {figure.HoldSpread, holds}} {
		f.spread.Who, f.spread.Wide = "run and lock", true
		drawn, err := f.spread.Draw(names, f.of, l)
		if err != nil {
			return nil, err
		}
		out = append(out, drawn)
	}
	cost, err := figure.Costs(names, all, l)
	return append(out, cost), err
}
