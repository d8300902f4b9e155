package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

//go:embed runspage.css
var runsCSS string

var runsTemplate = pageTemplate("runspage.html")

// maxSides is how many lines the tables of a comparison have.
const maxSides = 100

type runsView struct {
	Head       pageHead
	Shapes     template.HTML
	Title      string
	Count      int
	Cut        string // when not all sides are shown
	Cares      []string
	Runs       []runsRow
	Properties []string
	Verdicts   []runsVerdict
	First      string // the first difference of the plans, in words
	Settings   []settingDiff
	Partings   []runsParting
	Aligned    template.HTML
	Drawn      string // how many sides the figures show, when these are not all of them
	Heads      []string
	Ratios     []ratioRow
	Figures    []figureView
	Absent     []string
	Replay     string
}

// runsRow is one run.
type runsRow struct {
	Number          int
	Title, Scenario string
	Href, Dir       string
	Seed            uint64
	World, Backend  string
	Hash, Length    string
	Clients         int
	Replay, Again   string
}

// runsVerdict is one lock of one run.
type runsVerdict struct {
	Run     int
	Lock    string
	Cells   []cellView
	Missed  string
	Outcome string
}

type runsParting struct {
	Name string
	parting
}

// RunsHTML draws a comparison as one file that needs nothing else. It has no script.
func RunsHTML(c *RunComparison) ([]byte, error) {
	all, l := c.sides(), c.Language
	sides := all[:min(len(all), maxSides)]
	v := &runsView{
		Title: say.SideBySide.With(say.Number(len(c.Runs))).In(l), Shapes: template.HTML(shapes()),
		Count: len(c.Runs), Cares: c.cares(all), Heads: texts(l, ratioHeads...), Replay: clean(c.Replay, maxLine),
	}
	v.Head = newHead(v.Title, reportCSS, runsCSS)
	if len(all) > maxSides {
		v.Cut = say.ShownFirst.With(maxSides, say.Number(len(all))).In(l)
	}
	if len(sides) > maxDrawn {
		v.Drawn = say.DrawnFirst.With(maxDrawn, say.Number(len(all))).In(l)
	}
	for n := range c.Runs {
		v.Runs = append(v.Runs, c.row(n))
	}
	v.verdicts(together(sides), sides, l)
	if v.Settings = c.settingDiffs(); len(v.Settings) > 0 {
		v.First = say.FirstDifference.With(v.Settings[0].words(), say.Optional(len(v.Settings)-1)).In(l)
	}
	for i := range sides {
		if p := partingOf(sides, i, l); p.Against != "" {
			v.Partings = append(v.Partings, runsParting{sides[i].name, p})
		}
	}
	v.Ratios = ratioRows(sides, l)
	if err := v.draw(sides, l); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := runsTemplate(l).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the comparison: %w", err)
	}
	return buf.Bytes(), nil
}

func (c *RunComparison) row(n int) runsRow {
	r := &c.Runs[n]
	b := r.Bundle
	row := runsRow{
		Number: n + 1, Title: clean(b.title(c.Language), maxLine), Scenario: clean(b.slug(), maxLine), Href: r.Href, Dir: clean(r.Dir, maxLine),
		Seed: b.Seed, World: say.Text("real").In(c.Language), Backend: clean(b.Backend, maxName), Hash: clean(b.Hash, 12), Length: say.Seconds(lengthOf(b)).In(c.Language),
		Replay: clean(b.Replay, maxLine), Again: say.PlayRunAgain.With(say.Number(n + 1)).In(c.Language),
	}
	if history.Simulated(b.Backend) {
		row.World = say.Text("simulated").In(c.Language)
	}
	row.Clients = len(clientsOf(b))
	return row
}

func (v *runsView) verdicts(b *Bundle, sides []side, l say.Language) {
	props := b.properties()
	for _, p := range props {
		v.Properties = append(v.Properties, clean(p, maxName))
	}
	for i := range sides {
		r := sides[i].r
		row := runsVerdict{Run: sides[i].run + 1, Lock: clean(r.Lock, maxName), Missed: clean(missed(r).In(l), maxLine), Outcome: say.Text(r.outcome()).In(l)}
		for _, p := range props {
			row.Cells = append(row.Cells, newCellView(r, p, l))
		}
		v.Verdicts = append(v.Verdicts, row)
	}
}

// figureHeads are the headings of the figures, by their kinds.
var figureHeads = map[string]string{
	waitSpread.kind: "Distribution of the waits", holdSpread.kind: "How long the lock was held", "commands": "What an acquisition costs",
}

// draw makes the figures. All of them are made by us, all texts escaped.
func (v *runsView) draw(sides []side, l say.Language) error {
	merged := together(sides[:min(len(sides), maxDrawn)])
	var strips []timeStrip
	for i := range merged.Runs {
		s, h := &sides[i], sides[i].r.Judgement.History
		if h == nil || len(h.Events) == 0 {
			continue
		}
		strip := timeStrip{run: &merged.Runs[i], name: s.name, bars: s.bars, differ: -1}
		if s.differs >= 0 && s.differs < len(s.steps) {
			strip.differ = s.steps[s.differs].At
		}
		strips = append(strips, strip)
	}
	if len(strips) > 0 {
		v.Aligned = template.HTML(timeStrips(strips, l))
	}
	figures, err := runFigures(sides, l)
	if err != nil {
		return fmt.Errorf("drawing the measures: %w", err)
	}
	for _, f := range figures {
		if f.svg == nil {
			v.Absent = append(v.Absent, say.NothingToDraw.With(say.Text(f.absent)).In(l))
			continue
		}
		v.Figures = append(v.Figures, figureView{SVG: template.HTML(f.svg), Caption: nice(f.caption.In(l)), Table: f.table, Lock: say.Text(figureHeads[f.kind]).In(l)})
	}
	return nil
}
