// Package worldspage draws the page that sets the simulator beside real servers.
package worldspage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/say"
)

//go:embed worldspage.css
var worldsCSS string

//go:embed worldspage.html
var worldsFiles embed.FS

var worldsTemplate = page.Template(worldsFiles, "worldspage.html")

// Worlds is what the page shows that compares the simulator with real servers.
type Worlds struct {
	Language say.Language
	Backend  string // the name of the real world
	Scale    string // what all durations were multiplied by: 0.1
	// Least and Most are how often a cell was played in each world, of those that were.
	Least, Most int
	Replay      string // the command line that compares them again
	Columns     []page.Column
	Locks       []Lock
}

// Lock is one row, with the times of its runs in both worlds, sorted. The same
// plans were played equally often in both.
type Lock struct {
	ID                      string
	Cells                   []Cell // one for each column
	Waits, Holds, Failovers BothTimes
}

// BothTimes are sorted durations in the two worlds.
type BothTimes struct{ Simulated, Real []time.Duration }

// Cell is one lock under one kind of fault.
type Cell struct {
	State     State
	Script    string
	Simulated []checker.Letter // of each run
	Real      []checker.Letter // of the run with the same seed
	Agreeing  int              // how many of the runs agree
	Why       string           // why it was not played, tested nothing, or is milder than it could be
}

// State says what a cell shows.
type State string

// The states of cells.
const (
	Agree     State = "agree"
	Differ    State = "differ"
	Untested  State = "untested"
	NotPlayed State = "not-played"
)

type worldsView struct {
	language say.Language
	Head     page.Head
	Lead     string
	Letters  []string // what they mean
	Counts   []worldsCount
	Columns  []page.Column
	Rows     []worldsRow
	Differ   []worldsRemark
	Untested []worldsRemark
	Reasons  []bundle.Reason
	Figures  []worldsFigure
	Times    []worldsTimes
	Replay   string
}

type worldsCount struct {
	Class, Sign, Text string
	N                 int
}

type worldsRow struct {
	Lock  string
	Cells []worldsCellView
}

type worldsCellView struct{ Class, Text, Name string }

type worldsRemark struct{ Lock, Fault, Simulated, Real, Agreeing, Script, Why string }

type worldsFigure struct {
	Title, Caption string
	SVG            template.HTML
	Table          figure.Table
}

type worldsTimes struct {
	Lock  string
	Cells []string
}

// HTML draws the comparison as one file that needs nothing else. It has no script.
func HTML(w *Worlds) ([]byte, error) {
	v := &worldsView{
		language: w.Language,
		Head:     page.NewHead(say.Text("The simulator beside real servers").In(w.Language), worldsCSS), Columns: w.Columns, Replay: clean.Text(w.Replay, clean.MaxLine),
		Lead: say.WorldsLead.With(timesBetween(w.Least, w.Most), say.Verbatim(clean.Text(w.Backend, clean.MaxName)), say.Verbatim(clean.Text(w.Scale, clean.MaxName))).In(w.Language),
	}
	for _, x := range checker.Letters {
		v.Letters = append(v.Letters, say.LetterMeans.With(say.Verbatim(x.Letter), x.Means).In(w.Language))
	}
	v.addCells(w)
	if err := v.addFigures(w); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := worldsTemplate(w.Language).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the comparison of the worlds: %w", err)
	}
	return buf.Bytes(), nil
}

func timesBetween(least, most int) say.Phrase {
	if least < most {
		return say.TimesBetween.With(say.Number(least), say.Number(most))
	}
	return say.TimesInAll.With(say.Times(most))
}

func (v *worldsView) addCells(w *Worlds) {
	count := map[State]int{}
	var reasons []string
	for _, l := range w.Locks {
		row := worldsRow{Lock: clean.Text(l.ID, clean.MaxName)}
		for k, c := range l.Cells {
			count[c.State]++
			row.Cells = append(row.Cells, v.cell(l.ID, w.Columns[k].Code, &c))
			switch c.State {
			case Differ:
				v.Differ = append(v.Differ, v.remarkOn(row.Lock, w.Columns[k].Code, &c))
			case Untested:
				v.Untested = append(v.Untested, v.remarkOn(row.Lock, w.Columns[k].Code, &c))
			case NotPlayed:
				reasons = append(reasons, c.Why)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	v.Reasons = bundle.Reasons(reasons)
	for i := range v.Reasons {
		v.Reasons[i].Text = clean.Text(v.Reasons[i].Text, clean.MaxProse)
	}
	v.Counts = []worldsCount{
		{"kept", "✓", say.Text("agree").In(v.language), count[Agree]}, {"broken", "✗", say.Text("differ").In(v.language), count[Differ]},
		{"unknown", "?", say.Text("put nothing to the test").In(v.language), count[Untested]}, {"absent", "-", say.Text("cannot be played on real servers").In(v.language), count[NotPlayed]},
	}
	for i := range v.Counts {
		if v.Counts[i].N == 0 {
			v.Counts[i].Class = "absent" // nothing to look at
		}
	}
}

func (v *worldsView) remarkOn(lock, fault string, c *Cell) worldsRemark {
	return worldsRemark{
		Lock: lock, Fault: fault, Simulated: lettersSeen(c.Simulated), Real: lettersSeen(c.Real),
		Agreeing: v.agreeing(c), Script: clean.Text(c.Script, clean.MaxLine), Why: clean.Text(c.Why, clean.MaxProse),
	}
}

// agreeing is how many of the seeds agree.
func (v *worldsView) agreeing(c *Cell) string {
	return say.SomeOf.With(say.Number(c.Agreeing), say.Number(len(c.Real))).In(v.language)
}

func (v *worldsView) cell(lock, fault string, c *Cell) worldsCellView {
	out := worldsCellView{Class: string(c.State)}
	under := say.Under.With(say.Verbatim(lock), say.Verbatim(fault))
	simulated, real := lettersSeen(c.Simulated), lettersSeen(c.Real)
	switch c.State {
	case Agree:
		out.Text = simulated
	case NotPlayed:
		out.Text = "-"
	default:
		out.Text = simulated + " / " + real
		if len(c.Real) > 1 {
			out.Text += " " + v.agreeing(c)
		}
	}
	out.Name = clean.Text(say.CellInWorlds.With(under, say.Verbatim(simulated), say.Verbatim(real), say.Number(c.Agreeing), say.Number(len(c.Real))).In(v.language), clean.MaxLine)
	if c.State == NotPlayed {
		out.Name = clean.Text(say.CellNotPlayed.With(under, say.Verbatim(c.Why)).In(v.language), clean.MaxLine)
	}
	return out
}

// lettersSeen lists the different letters in the order in which they were seen.
func lettersSeen(all []checker.Letter) string {
	var out []string
	seen := map[checker.Letter]bool{}
	for _, l := range all {
		if !seen[l] {
			out = append(out, string(l))
		}
		seen[l] = true
	}
	return strings.Join(out, " ")
}

var (
	worldsWaits = figure.Spread{
		Kind: "worlds-wait", Axis: "wait for the lock (logarithmic)", Share: "share of waits",
		Who: "world", Number: "attempts that got it", Title: "Waits for the lock in both worlds",
		Caption: "All locks and faults together. Where the lines part, real servers are slower or faster than their models.",
		Absent:  "nobody got the lock",
	}
	worldsHolds = figure.Spread{
		Kind: "worlds-hold", Axis: "held for (logarithmic)", Share: "share of holds",
		Who: "world", Number: "holds", Title: "How long the lock was held in both worlds",
		Caption: "The work is the same in both worlds: the lines differ by what faults and releases add.",
		Absent:  "nobody held the lock",
	}
	worldsFailovers = figure.Spread{
		Kind: "worlds-failover", Axis: "time to failover (logarithmic)", Share: "share of failovers",
		Who: "world", Number: "failovers", Title: "From the death of a primary to the next one",
		Caption: "From the death of a primary to the promotion of the next one.",
		Absent:  "no primary was replaced",
	}
)

// addFigures lays the distributions over each other, and lists them for each lock.
func (v *worldsView) addFigures(w *Worlds) error {
	for _, f := range []struct {
		figure.Spread
		of func(*Lock) *BothTimes
	}{
		{worldsWaits, func(l *Lock) *BothTimes { return &l.Waits }},
		{worldsHolds, func(l *Lock) *BothTimes { return &l.Holds }},
		{worldsFailovers, func(l *Lock) *BothTimes { return &l.Failovers }},
	} {
		var all BothTimes
		for i := range w.Locks {
			one := f.of(&w.Locks[i])
			all.Simulated = append(all.Simulated, one.Simulated...)
			all.Real = append(all.Real, one.Real...)
		}
		all.sort()
		drawn, err := f.Draw([]string{say.Text("simulated").In(v.language), say.Text("real").In(v.language)}, [][]time.Duration{all.Simulated, all.Real}, v.language)
		if err != nil {
			return err
		}
		if drawn.Absent == "" {
			v.Figures = append(v.Figures, worldsFigure{say.Text(f.Title).In(v.language), drawn.Caption.In(v.language), template.HTML(drawn.Svg), drawn.Table}) // made by us
		}
	}
	for i := range w.Locks {
		l := &w.Locks[i]
		v.Times = append(v.Times, worldsTimes{clean.Text(l.ID, clean.MaxName), append(append(l.Waits.row(v.language), l.Holds.row(v.language)...), l.Failovers.row(v.language)...)})
	}
	return nil
}

func (b *BothTimes) sort() {
	slices.Sort(b.Simulated)
	slices.Sort(b.Real)
}

// row is the medians of both worlds; empty where there is nothing.
func (b *BothTimes) row(l say.Language) []string {
	text := func(sorted []time.Duration) string {
		if len(sorted) == 0 {
			return ""
		}
		return say.Measured(bundle.Quantile(sorted, 50)).In(l)
	}
	return []string{text(b.Simulated), text(b.Real)}
}
