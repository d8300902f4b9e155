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
	Backend string // the name of the real world
	Scale   string // what all durations were multiplied by: 0.1
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
	Head     page.Head
	Lead     string
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
		Head: page.NewHead("The simulator beside real servers", worldsCSS), Columns: w.Columns, Replay: clean.Text(w.Replay, clean.MaxLine),
		Lead: fmt.Sprintf("Each cell is the same plan with the same lock, played %s in the simulator and on real servers (%s), with every duration multiplied by %s.",
			timesBetween(w.Least, w.Most), clean.Text(w.Backend, clean.MaxName), clean.Text(w.Scale, clean.MaxName)),
	}
	v.addCells(w)
	if err := v.addFigures(w); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := worldsTemplate(say.English).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the comparison of the worlds: %w", err)
	}
	return buf.Bytes(), nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func timesBetween(least, most int) string {
	if least < most {
		return fmt.Sprintf("between %d and %d times", least, most)
	}
	return times(most)
}

func (v *worldsView) addCells(w *Worlds) {
	count := map[State]int{}
	var reasons []string
	for _, l := range w.Locks {
		row := worldsRow{Lock: clean.Text(l.ID, clean.MaxName)}
		for k, c := range l.Cells {
			count[c.State]++
			row.Cells = append(row.Cells, newWorldsCell(l.ID, w.Columns[k].Code, &c))
			switch c.State {
			case Differ:
				v.Differ = append(v.Differ, remarkOn(row.Lock, w.Columns[k].Code, &c))
			case Untested:
				v.Untested = append(v.Untested, remarkOn(row.Lock, w.Columns[k].Code, &c))
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
		{"kept", "✓", "agree", count[Agree]}, {"broken", "✗", "differ", count[Differ]},
		{"unknown", "?", "put nothing to the test", count[Untested]}, {"absent", "-", "cannot be played on real servers", count[NotPlayed]},
	}
	for i := range v.Counts {
		if v.Counts[i].N == 0 {
			v.Counts[i].Class = "absent" // nothing to look at
		}
	}
}

func remarkOn(lock, fault string, c *Cell) worldsRemark {
	return worldsRemark{
		Lock: lock, Fault: fault, Simulated: lettersSeen(c.Simulated), Real: lettersSeen(c.Real),
		Agreeing: fmt.Sprintf("%d of %d", c.Agreeing, len(c.Real)), Script: clean.Text(c.Script, clean.MaxLine), Why: clean.Text(c.Why, clean.MaxProse),
	}
}

func newWorldsCell(lock, fault string, c *Cell) worldsCellView {
	v := worldsCellView{Class: string(c.State)}
	simulated, real := lettersSeen(c.Simulated), lettersSeen(c.Real)
	switch c.State {
	case Agree:
		v.Text = simulated
	case NotPlayed:
		v.Text = "-"
	default:
		v.Text = simulated + " / " + real
		if len(c.Real) > 1 {
			v.Text += fmt.Sprintf(" %d of %d", c.Agreeing, len(c.Real))
		}
	}
	v.Name = clean.Text(fmt.Sprintf("%s under %s: simulated %s, real %s, %d of %d agree", lock, fault, simulated, real, c.Agreeing, len(c.Real)), clean.MaxLine)
	if c.State == NotPlayed {
		v.Name = clean.Text(fmt.Sprintf("%s under %s: not played, %s", lock, fault, c.Why), clean.MaxLine)
	}
	return v
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
		Who: "world", Number: "waits", Title: "Waits for the lock in both worlds",
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
		drawn, err := f.Draw([]string{"simulated", "real"}, [][]time.Duration{all.Simulated, all.Real}, say.English)
		if err != nil {
			return err
		}
		if drawn.Absent == "" {
			v.Figures = append(v.Figures, worldsFigure{f.Title, drawn.Caption.English(), template.HTML(drawn.Svg), drawn.Table}) // made by us
		}
	}
	for i := range w.Locks {
		l := &w.Locks[i]
		v.Times = append(v.Times, worldsTimes{clean.Text(l.ID, clean.MaxName), append(append(l.Waits.row(), l.Holds.row()...), l.Failovers.row()...)})
	}
	return nil
}

func (b *BothTimes) sort() {
	slices.Sort(b.Simulated)
	slices.Sort(b.Real)
}

// row is the medians of both worlds; empty where there is nothing.
func (b *BothTimes) row() []string {
	text := func(sorted []time.Duration) string {
		if len(sorted) == 0 {
			return ""
		}
		return say.Measured(bundle.Quantile(sorted, 50)).In(say.English)
	}
	return []string{text(b.Simulated), text(b.Real)}
}
