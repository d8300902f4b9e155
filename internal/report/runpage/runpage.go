// Package runpage draws the report of a run as one self-contained HTML file.
package runpage

import (
	"embed"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

//go:embed *.html *.js
var files embed.FS

var design = page.NewDesign("runpage", files, diagram.CursorJS)

// plotPoints is the number of points for all plots of a page.
const plotPoints = 3000

// richness is the level of detail of a page.
type richness struct {
	steps   int  // shown steps of one lock
	table   int  // rows of one lock in the table of events
	figures bool // with the measurements
	strips  bool // with the strip and the plot of holders of each lock
}

// richnesses go from full to little detail. The page has the first one that fits its budget, and
// says what it leaves out. All events are in history.jsonl, and figures are available as files.
var richnesses = []richness{
	{120, 400, true, true},
	{120, 150, true, true},
	{120, 60, true, true},
	{120, 20, true, true},
	{120, 0, true, true},
	{60, 0, true, true},
	{40, 0, false, true},
	{12, 0, false, false},
	{4, 0, false, false},
}

// HTML draws the report as one file that works without network, script and other files. The script
// adds stepping, filtering and copying.
func HTML(b *bundle.Bundle, l say.Language) (out []byte, err error) {
	stories := make([]story, len(b.Runs))
	points := min(max(plotPoints/max(len(b.Runs), 1), 60), figure.MaxPoints)
	for i := range b.Runs {
		stories[i] = newStory(b, &b.Runs[i], points, l)
	}
	waits := make([]*timeline.Measures, len(stories))
	reference, _ := b.First()
	for i := range b.Histories() {
		if waits[i] = stories[i].Measures; i != reference {
			stories[i].Compare(&stories[reference].Story)
		}
	}
	shared := figure.Distribution(b, waits, l)
	for _, d := range richnesses {
		out, err = design.Fill(l, newPage(b, stories, &shared, d, l))
		if err != nil || len(out) <= page.MaxHTML {
			break
		}
	}
	return out, err
}

// story has the parts of a page that do not depend on its richness.
type story struct {
	bundle.Story
	language    say.Language
	causes      []int // indices of the steps that lead to the first violation
	holders     []byte
	figures     []figure.Figure
	assumptions []bundle.Assumption
}

func newStory(b *bundle.Bundle, r *bundle.Run, points int, l say.Language) (st story) {
	j := &r.Judgement
	if st.language = l; j.History == nil {
		st.Story = bundle.Narrate(r, r.Lock, 0)
		return st
	}
	st.Story = bundle.Narrate(r, r.Lock, b.Lag(j.History))
	st.assumptions = bundle.AssumptionsOf(j.History, bundle.FaultSummaryOf(r.Timeline(), st.Measures))
	st.causes = bundle.CausesOf(j.History, j.Findings, st.Steps)
	st.holders = figure.Holders(r.Timeline(), j.Findings, points, l)
	st.figures = figure.Of(r, st.Measures, max(points/2, 40), l)
	return st
}

func (st *story) at(i history.Instant) string { return say.Seconds(i).In(st.language) }

func (st *story) sentence(p say.Phrase) string { return sanitize.Sentence(p.In(st.language)) }

func diagramCaption(steps []explain.Step) say.Phrase {
	if n := bundle.FirstViolation(steps); n >= 0 {
		return say.BreaksAtStep.With(say.Number(n+1), say.Seconds(steps[n].At))
	}
	return say.Text("Hatched: what a client believes; solid: what the store has. Nothing broke in this run.")
}

func plotCaption(t *timeline.Timeline, j *checker.Judgement) say.Phrase {
	n := t.MostInside()
	if n <= 1 {
		return say.Text("Never more than one client inside: the line stays at or below 1.")
	}
	return say.UpToInside.With(say.Number(n), say.Seconds(j.Overlap))
}
