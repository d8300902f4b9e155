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
	Head         pageHead
	Shapes       template.HTML
	Count, Sides int
	Cut          bool // not all sides are shown
	Cares        []string
	Runs         []runsRow
	Properties   []string
	Verdicts     []runsVerdict
	First        string // the first difference of the plans, in words
	MoreDiffs    int
	Settings     []settingDiff
	Partings     []runsParting
	Aligned      template.HTML
	Drawn        int // how many sides the figures show, when these are not all of them
	Heads        []string
	Ratios       []ratioRow
	Figures      []figureView
	Absent       []string
	Replay       string
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
	Replay          string
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
	all := c.sides()
	v := &runsView{
		Head: newHead(fmt.Sprintf("%d runs side by side", len(c.Runs)), reportCSS, runsCSS), Shapes: template.HTML(shapes()),
		Count: len(c.Runs), Sides: len(all), Cut: len(all) > maxSides, Cares: c.cares(all),
		Heads: ratioHeads, Replay: clean(c.Replay, maxLine),
	}
	sides := all[:min(len(all), maxSides)]
	for n := range c.Runs {
		v.Runs = append(v.Runs, c.row(n))
	}
	v.verdicts(together(sides), sides)
	if v.Settings = c.settingDiffs(); len(v.Settings) > 0 {
		v.First, v.MoreDiffs = v.Settings[0].words(), len(v.Settings)-1
	}
	for i := range sides {
		if p := partingOf(sides, i); p.Against != "" {
			v.Partings = append(v.Partings, runsParting{sides[i].name, p})
		}
	}
	v.Ratios = ratioRows(sides)
	if err := v.draw(sides); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := runsTemplate(say.English).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the comparison: %w", err)
	}
	return buf.Bytes(), nil
}

func (c *RunComparison) row(n int) runsRow {
	r := &c.Runs[n]
	b := r.Bundle
	row := runsRow{
		Number: n + 1, Title: clean(b.title(), maxLine), Scenario: clean(b.slug(), maxLine), Href: r.Href, Dir: clean(r.Dir, maxLine),
		Seed: b.Seed, World: "real", Backend: clean(b.Backend, maxName), Hash: clean(b.Hash, 12), Length: lengthOf(b).String(),
		Replay: clean(b.Replay, maxLine),
	}
	if history.Simulated(b.Backend) {
		row.World = "simulated"
	}
	row.Clients = len(clientsOf(b))
	return row
}

func (v *runsView) verdicts(b *Bundle, sides []side) {
	props := b.properties()
	for _, p := range props {
		v.Properties = append(v.Properties, clean(p, maxName))
	}
	for i := range sides {
		r := sides[i].r
		row := runsVerdict{Run: sides[i].run + 1, Lock: clean(r.Lock, maxName), Missed: clean(missed(r).English(), maxLine), Outcome: r.outcome()}
		for _, p := range props {
			row.Cells = append(row.Cells, newCellView(r, p, say.English))
		}
		v.Verdicts = append(v.Verdicts, row)
	}
}

// draw makes the figures. All of them are made by us, all texts escaped.
func (v *runsView) draw(sides []side) error {
	if len(sides) > maxDrawn {
		v.Drawn = maxDrawn
	}
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
		v.Aligned = template.HTML(timeStrips(strips, say.English))
	}
	figures, err := runFigures(sides)
	if err != nil {
		return fmt.Errorf("drawing the measures: %w", err)
	}
	for _, f := range figures {
		if f.svg == nil {
			v.Absent = append(v.Absent, f.absent)
			continue
		}
		v.Figures = append(v.Figures, figureView{SVG: template.HTML(f.svg), Caption: nice(f.caption.English()), Table: f.table, Lock: f.kind})
	}
	return nil
}
