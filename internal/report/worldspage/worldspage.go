// Package worldspage draws the page that compares the simulator with real servers.
package worldspage

import (
	"embed"
	"slices"
	"strings"
	"time"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

//go:embed worldspage.css
var worldsCSS string

//go:embed worldspage.html
var worldsFiles embed.FS

var worldsTemplate = page.Template(worldsFiles, "worldspage.html")

// classes are the styles of cells.
var classes = map[results.Agreement]string{
	results.Agrees: "agree", results.Differs: "differ", results.Untested: "untested", results.NotPlayed: "not-played",
}

// signs are the texts of cells of stories.
var signs = map[results.Agreement]string{results.Agrees: "✓", results.Differs: "✗", results.Untested: "?", results.NotPlayed: "-"}

type worldsView struct {
	language say.Language
	Head     page.Head
	Lead     string
	Letters  []string // with their meanings
	Counts   []worldsCount
	Columns  []page.Column
	Rows     []worldsRow
	Differ   []worldsRemark
	Untested []worldsRemark
	Reasons  []bundle.Reason
	Figures  []page.Figure
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

type worldsTimes struct {
	Lock  string
	Cells []string
}

// HTML draws the comparison in l as one self-contained file without a script. scale is the factor of all
// durations, as in 0.1; replay is the command line that compares them again.
func HTML(l say.Language, c *crosscheck.Comparison, scale, replay string) ([]byte, error) {
	v := &worldsView{
		language: l,
		Head:     page.NewHead(say.Text("The simulator beside real servers").In(l), figure.CSS, worldsCSS), Replay: sanitize.Text(replay, sanitize.MaxLine),
		Lead: say.WorldsLead.With(timesBetween(c.LeastPairs(), c.MostPairs()), say.Verbatim(sanitize.Text(c.Backend, sanitize.MaxName)), say.Verbatim(sanitize.Text(scale, sanitize.MaxName))).In(l),
	}
	for _, x := range checker.Letters {
		v.Letters = append(v.Letters, say.LetterMeans.With(say.Verbatim(x.Letter), x.Word).In(l))
	}
	for _, x := range c.Columns {
		v.Columns = append(v.Columns, page.Column{Code: x.Code, Name: x.Name.In(l), Summary: x.Summary.In(l)})
	}
	v.addCells(c)
	if err := v.addFigures(c); err != nil {
		return nil, err
	}
	return worldsTemplate.Fill(l, v)
}

func timesBetween(least, most int) say.Phrase {
	if least < most {
		return say.TimesBetween.With(say.Number(least), say.Number(most))
	}
	return say.TimesInAll.With(say.Times(most))
}

func (v *worldsView) addCells(c *crosscheck.Comparison) {
	count := map[results.Agreement]int{}
	var reasons []string
	for i := range c.Locks {
		row := worldsRow{Lock: sanitize.Text(c.Locks[i].ID, sanitize.MaxName)}
		for k, cells := 0, c.Row(i); k < len(cells); k++ {
			cell := &cells[k]
			fault := sanitize.Text(cell.Fault, sanitize.MaxName)
			if len(c.Columns) > 0 {
				fault = c.Columns[k].Code
			}
			count[cell.Agreement]++
			row.Cells = append(row.Cells, v.cell(c.Locks[i].ID, fault, cell))
			switch cell.Agreement {
			case results.Differs:
				v.Differ = append(v.Differ, v.remarkOn(row.Lock, fault, cell))
			case results.Untested:
				v.Untested = append(v.Untested, v.remarkOn(row.Lock, fault, cell))
			case results.NotPlayed:
				reasons = append(reasons, cell.Why.In(v.language))
			}
		}
		if row.Cells != nil {
			v.Rows = append(v.Rows, row)
		}
	}
	v.Reasons = bundle.Reasons(reasons)
	for i := range v.Reasons {
		v.Reasons[i].Text = sanitize.Text(v.Reasons[i].Text, sanitize.MaxProse)
	}
	v.Counts = []worldsCount{
		{"kept", "✓", say.Text("agree").In(v.language), count[results.Agrees]},
		{"broken", "✗", say.Text("differ").In(v.language), count[results.Differs]},
		{"unknown", "?", say.Text("inconclusive").In(v.language), count[results.Untested]},
		{"absent", "-", say.Text("cannot be played on real servers").In(v.language), count[results.NotPlayed]},
	}
	for i := range v.Counts {
		if v.Counts[i].N == 0 {
			v.Counts[i].Class = "absent" // nothing to look at
		}
	}
}

func (v *worldsView) remarkOn(lock, fault string, c *crosscheck.Cell) worldsRemark {
	simulated, real := shownBy(c.Pairs)
	return worldsRemark{
		Lock: lock, Fault: fault, Simulated: simulated, Real: real, Agreeing: v.agreeing(c),
		Script: sanitize.Text(c.Script.In(v.language), sanitize.MaxLine), Why: sanitize.Text(c.Why.In(v.language), sanitize.MaxProse),
	}
}

// agreeing is the number of seeds that agree.
func (v *worldsView) agreeing(c *crosscheck.Cell) string {
	return say.SomeOf.With(say.Number(c.Agreeing()), say.Number(len(c.Pairs))).In(v.language)
}

func (v *worldsView) cell(lock, fault string, c *crosscheck.Cell) worldsCellView {
	out := worldsCellView{Class: classes[c.Agreement]}
	simulated, real := shownBy(c.Pairs)
	under := say.Under.With(say.Verbatim(lock), say.Verbatim(fault))
	name := say.CellInWorlds.With(under, say.Verbatim(simulated), say.Verbatim(real), say.Number(c.Agreeing()), say.Number(len(c.Pairs)))
	switch c.Agreement {
	case results.Agrees:
		out.Text = simulated
	case results.NotPlayed:
		out.Text, name = "-", say.CellNotPlayed.With(under, c.Why)
	default:
		out.Text = simulated + " / " + real
		if len(c.Pairs) > 1 {
			out.Text += " " + v.agreeing(c)
		}
	}
	if c.Story != "" {
		out.Text = signs[c.Agreement] // there is no room for more
	}
	out.Name = sanitize.Text(name.In(v.language), sanitize.MaxLine)
	return out
}

// shownBy lists the distinct results of each world, in the order of their first occurrence.
func shownBy(pairs []crosscheck.Pair) (simulated, real string) {
	var all [2][]string
	for i := range pairs {
		one, other := pairs[i].Shows()
		for world, text := range []string{one, other} {
			if !slices.Contains(all[world], text) {
				all[world] = append(all[world], text)
			}
		}
	}
	return strings.Join(all[0], " "), strings.Join(all[1], " ")
}

var (
	worldsWaits = figure.Spread{
		Kind: "worlds-wait", Axis: "wait for the lock (logarithmic)", Share: "share of waits",
		Who: "world", Number: "attempts that got it", Title: "Waits for the lock in both worlds",
		Caption: "All locks and faults together. Where the lines part, real servers are slower or faster than their models.",
		Absent:  "no client got the lock",
	}
	worldsHolds = figure.Spread{
		Kind: "worlds-hold", Axis: "held for (logarithmic)", Share: "share of holds",
		Who: "world", Number: "holds", Title: "How long the lock was held in both worlds",
		Caption: "The work is the same in both worlds: the lines differ by what faults and releases add.",
		Absent:  "no client held the lock",
	}
	worldsFailovers = figure.Spread{
		Kind: "worlds-failover", Axis: "time to failover (logarithmic)", Share: "share of failovers",
		Who: "world", Number: "failovers", Title: "From the death of a primary to the next one",
		Caption: "From the death of a primary to the promotion of the next one.",
		Absent:  "no primary was replaced",
	}
)

// addFigures draws the distributions of both worlds, and lists the medians of each lock.
func (v *worldsView) addFigures(c *crosscheck.Comparison) error {
	v.Times = make([]worldsTimes, len(c.Locks))
	for i := range c.Locks {
		v.Times[i].Lock = sanitize.Text(c.Locks[i].ID, sanitize.MaxName)
	}
	for _, f := range []struct {
		figure.Spread
		of func(*crosscheck.Times) []time.Duration
	}{
		{worldsWaits, func(t *crosscheck.Times) []time.Duration { return t.Waits }},
		{worldsHolds, func(t *crosscheck.Times) []time.Duration { return t.Holds }},
		{worldsFailovers, func(t *crosscheck.Times) []time.Duration { return t.Failovers }},
	} {
		all := make([][]time.Duration, 2)
		for i := range c.Samples {
			for world, times := range []*crosscheck.Times{&c.Samples[i].Simulated, &c.Samples[i].Real} {
				one := f.of(times)
				all[world] = append(all[world], one...)
				v.Times[i].Cells = append(v.Times[i].Cells, v.median(one))
			}
		}
		slices.Sort(all[0])
		slices.Sort(all[1])
		drawn, err := f.Draw(say.Texts(v.language, "simulated", "real"), all, v.language)
		if err != nil {
			return err
		}
		if drawn.Absent == "" {
			v.Figures = append(v.Figures, page.NewFigure(say.Text(f.Title).In(v.language), &drawn, v.language))
		}
	}
	return nil
}

// median is the median of sorted times; "" for none.
func (v *worldsView) median(sorted []time.Duration) string {
	if len(sorted) == 0 {
		return ""
	}
	return say.Measured(timeline.Quantile(sorted, 50)).In(v.language)
}
