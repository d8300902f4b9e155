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
	"lockstep/internal/matrix"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/say"
	"lockstep/internal/worlds"
)

//go:embed worldspage.css
var worldsCSS string

//go:embed worldspage.html
var worldsFiles embed.FS

var worldsTemplate = page.Template(worldsFiles, "worldspage.html")

// classes are the styles of cells.
var classes = map[worlds.Agreement]string{
	worlds.Agrees: "agree", worlds.Differs: "differ", worlds.Untested: "untested", worlds.NotPlayed: "not-played",
}

type worldsView struct {
	Head     page.Head
	Lead     string
	Counts   []worldsCount
	Columns  []matrix.Column
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

// HTML draws the comparison as one file that needs nothing else. It has no script. scale is what
// all durations were multiplied by, 0.1; replay is the command line that compares them again.
func HTML(c *worlds.Comparison, scale, replay string) ([]byte, error) {
	v := &worldsView{
		Head: page.NewHead("The simulator beside real servers", worldsCSS), Columns: c.Columns, Replay: clean.Text(replay, clean.MaxLine),
		Lead: fmt.Sprintf("Each cell is the same plan with the same lock, played %s in the simulator and on real servers (%s), with every duration multiplied by %s.",
			timesBetween(c.LeastPairs(), c.MostPairs()), clean.Text(c.Backend, clean.MaxName), clean.Text(scale, clean.MaxName)),
	}
	v.addCells(c)
	if err := v.addFigures(c); err != nil {
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

func (v *worldsView) addCells(c *worlds.Comparison) {
	count := map[worlds.Agreement]int{}
	var reasons []string
	for i := range c.Locks {
		row := worldsRow{Lock: clean.Text(c.Locks[i].ID, clean.MaxName)}
		for k := range c.Columns {
			cell, fault := c.Cell(i, k), c.Columns[k].Code
			count[cell.Agreement]++
			row.Cells = append(row.Cells, newWorldsCell(c.Locks[i].ID, fault, cell))
			switch cell.Agreement {
			case worlds.Differs:
				v.Differ = append(v.Differ, remarkOn(row.Lock, fault, cell))
			case worlds.Untested:
				v.Untested = append(v.Untested, remarkOn(row.Lock, fault, cell))
			case worlds.NotPlayed:
				reasons = append(reasons, cell.Why)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	v.Reasons = bundle.Reasons(reasons)
	for i := range v.Reasons {
		v.Reasons[i].Text = clean.Text(v.Reasons[i].Text, clean.MaxProse)
	}
	v.Counts = []worldsCount{
		{"kept", "✓", "agree", count[worlds.Agrees]}, {"broken", "✗", "differ", count[worlds.Differs]},
		{"unknown", "?", "put nothing to the test", count[worlds.Untested]}, {"absent", "-", "cannot be played on real servers", count[worlds.NotPlayed]},
	}
	for i := range v.Counts {
		if v.Counts[i].N == 0 {
			v.Counts[i].Class = "absent" // nothing to look at
		}
	}
}

func remarkOn(lock, fault string, c *worlds.Cell) worldsRemark {
	simulated, real := lettersSeen(c.Pairs)
	return worldsRemark{
		Lock: lock, Fault: fault, Simulated: simulated, Real: real,
		Agreeing: fmt.Sprintf("%d of %d", c.Agreeing(), len(c.Pairs)), Script: clean.Text(c.Script, clean.MaxLine), Why: clean.Text(c.Why, clean.MaxProse),
	}
}

func newWorldsCell(lock, fault string, c *worlds.Cell) worldsCellView {
	v := worldsCellView{Class: classes[c.Agreement]}
	simulated, real := lettersSeen(c.Pairs)
	name := fmt.Sprintf("%s under %s: simulated %s, real %s, %d of %d agree", lock, fault, simulated, real, c.Agreeing(), len(c.Pairs))
	switch c.Agreement {
	case worlds.Agrees:
		v.Text = simulated
	case worlds.NotPlayed:
		v.Text, name = "-", fmt.Sprintf("%s under %s: not played, %s", lock, fault, c.Why)
	default:
		v.Text = simulated + " / " + real
		if len(c.Pairs) > 1 {
			v.Text += fmt.Sprintf(" %d of %d", c.Agreeing(), len(c.Pairs))
		}
	}
	v.Name = clean.Text(name, clean.MaxLine)
	return v
}

// lettersSeen lists the different letters of each world in the order in which they were seen.
func lettersSeen(pairs []worlds.Pair) (simulated, real string) {
	var all [2][]string
	for _, p := range pairs {
		for i, l := range []checker.Letter{p.Simulated, p.Real} {
			if !slices.Contains(all[i], string(l)) {
				all[i] = append(all[i], string(l))
			}
		}
	}
	return strings.Join(all[0], " "), strings.Join(all[1], " ")
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

// addFigures lays the distributions over each other, and lists the medians of each lock.
func (v *worldsView) addFigures(c *worlds.Comparison) error {
	v.Times = make([]worldsTimes, len(c.Locks))
	for i := range c.Locks {
		v.Times[i].Lock = clean.Text(c.Locks[i].ID, clean.MaxName)
	}
	for _, f := range []struct {
		figure.Spread
		of func(*worlds.Times) []time.Duration
	}{
		{worldsWaits, func(t *worlds.Times) []time.Duration { return t.Waits }},
		{worldsHolds, func(t *worlds.Times) []time.Duration { return t.Holds }},
		{worldsFailovers, func(t *worlds.Times) []time.Duration { return t.Failovers }},
	} {
		all := make([][]time.Duration, 2)
		for i := range c.Samples {
			for world, times := range []*worlds.Times{&c.Samples[i].Simulated, &c.Samples[i].Real} {
				one := f.of(times)
				all[world] = append(all[world], one...)
				v.Times[i].Cells = append(v.Times[i].Cells, median(one))
			}
		}
		slices.Sort(all[0])
		slices.Sort(all[1])
		drawn, err := f.Draw([]string{"simulated", "real"}, all, say.English)
		if err != nil {
			return err
		}
		if drawn.Absent == "" {
			v.Figures = append(v.Figures, worldsFigure{f.Title, drawn.Caption.English(), template.HTML(drawn.SVG), drawn.Table}) // made by us
		}
	}
	return nil
}

// median of sorted times; "" of none.
func median(sorted []time.Duration) string {
	if len(sorted) == 0 {
		return ""
	}
	return say.Measured(bundle.Quantile(sorted, 50)).In(say.English)
}
