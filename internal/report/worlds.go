package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/say"
)

//go:embed worlds.css
var worldsCSS string

var worldsTemplate = pageTemplate("worlds.html")

// Worlds is what the page shows that compares the simulator with real servers.
type Worlds struct {
	Backend string // the name of the real world
	Scale   string // what all durations were multiplied by: 0.1
	// Least and Most are how often a cell was played in each world, of those that were.
	Least, Most int
	Replay      string // the command line that compares them again
	Columns     []MatrixColumn
	Locks       []WorldsLock
}

// WorldsLock is one row, with the times of its runs in both worlds, sorted. The same
// plans were played equally often in both.
type WorldsLock struct {
	ID                      string
	Cells                   []WorldsCell // one for each column
	Waits, Holds, Failovers BothTimes
}

// BothTimes are sorted durations in the two worlds.
type BothTimes struct{ Simulated, Real []time.Duration }

// WorldsCell is one lock under one kind of fault.
type WorldsCell struct {
	State     WorldsState
	Script    string
	Simulated []checker.Letter // of each run
	Real      []checker.Letter // of the run with the same seed
	Agreeing  int              // how many of the runs agree
	Why       string           // why it was not played, tested nothing, or is milder than it could be
}

// WorldsState says what a cell shows.
type WorldsState string

// The states of cells.
const (
	WorldsAgree     WorldsState = "agree"
	WorldsDiffer    WorldsState = "differ"
	WorldsUntested  WorldsState = "untested"
	WorldsNotPlayed WorldsState = "not-played"
)

type worldsView struct {
	Head     pageHead
	Lead     string
	Counts   []worldsCount
	Columns  []MatrixColumn
	Rows     []worldsRow
	Differ   []worldsRemark
	Untested []worldsRemark
	Reasons  []Reason
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
	Table          table
}

type worldsTimes struct {
	Lock  string
	Cells []string
}

// WorldsHTML draws the comparison as one file that needs nothing else. It has no script.
func WorldsHTML(w *Worlds) ([]byte, error) {
	v := &worldsView{
		Head: newHead("The simulator beside real servers", worldsCSS), Columns: w.Columns, Replay: clean(w.Replay, maxLine),
		Lead: fmt.Sprintf("Each cell is the same plan with the same lock, played %s in the simulator and on real servers (%s), with every duration multiplied by %s.",
			timesBetween(w.Least, w.Most), clean(w.Backend, maxName), clean(w.Scale, maxName)),
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
	count := map[WorldsState]int{}
	var reasons []string
	for _, l := range w.Locks {
		row := worldsRow{Lock: clean(l.ID, maxName)}
		for k, c := range l.Cells {
			count[c.State]++
			row.Cells = append(row.Cells, newWorldsCell(l.ID, w.Columns[k].Code, &c))
			switch c.State {
			case WorldsDiffer:
				v.Differ = append(v.Differ, remarkOn(row.Lock, w.Columns[k].Code, &c))
			case WorldsUntested:
				v.Untested = append(v.Untested, remarkOn(row.Lock, w.Columns[k].Code, &c))
			case WorldsNotPlayed:
				reasons = append(reasons, c.Why)
			}
		}
		v.Rows = append(v.Rows, row)
	}
	v.Reasons = Reasons(reasons)
	for i := range v.Reasons {
		v.Reasons[i].Text = clean(v.Reasons[i].Text, maxProse)
	}
	v.Counts = []worldsCount{
		{"kept", "✓", "agree", count[WorldsAgree]}, {"broken", "✗", "differ", count[WorldsDiffer]},
		{"unknown", "?", "put nothing to the test", count[WorldsUntested]}, {"absent", "-", "cannot be played on real servers", count[WorldsNotPlayed]},
	}
	for i := range v.Counts {
		if v.Counts[i].N == 0 {
			v.Counts[i].Class = "absent" // nothing to look at
		}
	}
}

func remarkOn(lock, fault string, c *WorldsCell) worldsRemark {
	return worldsRemark{
		Lock: lock, Fault: fault, Simulated: lettersSeen(c.Simulated), Real: lettersSeen(c.Real),
		Agreeing: fmt.Sprintf("%d of %d", c.Agreeing, len(c.Real)), Script: clean(c.Script, maxLine), Why: clean(c.Why, maxProse),
	}
}

func newWorldsCell(lock, fault string, c *WorldsCell) worldsCellView {
	v := worldsCellView{Class: string(c.State)}
	simulated, real := lettersSeen(c.Simulated), lettersSeen(c.Real)
	switch c.State {
	case WorldsAgree:
		v.Text = simulated
	case WorldsNotPlayed:
		v.Text = "-"
	default:
		v.Text = simulated + " / " + real
		if len(c.Real) > 1 {
			v.Text += fmt.Sprintf(" %d of %d", c.Agreeing, len(c.Real))
		}
	}
	v.Name = clean(fmt.Sprintf("%s under %s: simulated %s, real %s, %d of %d agree", lock, fault, simulated, real, c.Agreeing, len(c.Real)), maxLine)
	if c.State == WorldsNotPlayed {
		v.Name = clean(fmt.Sprintf("%s under %s: not played, %s", lock, fault, c.Why), maxLine)
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
	worldsWaits = spread{
		kind: "worlds-wait", axis: "wait for the lock (logarithmic)", share: "share of waits",
		who: "world", number: "waits", title: "Waits for the lock in both worlds",
		caption: "All locks and faults together. Where the lines part, real servers are slower or faster than their models.",
		absent:  "nobody got the lock",
	}
	worldsHolds = spread{
		kind: "worlds-hold", axis: "held for (logarithmic)", share: "share of holds",
		who: "world", number: "holds", title: "How long the lock was held in both worlds",
		caption: "The work is the same in both worlds: the lines differ by what faults and releases add.",
		absent:  "nobody held the lock",
	}
	worldsFailovers = spread{
		kind: "worlds-failover", axis: "time to failover (logarithmic)", share: "share of failovers",
		who: "world", number: "failovers", title: "From the death of a primary to the next one",
		caption: "From the death of a primary to the promotion of the next one.",
		absent:  "no primary was replaced",
	}
)

// addFigures lays the distributions over each other, and lists them for each lock.
func (v *worldsView) addFigures(w *Worlds) error {
	for _, f := range []struct {
		spread
		of func(*WorldsLock) *BothTimes
	}{
		{worldsWaits, func(l *WorldsLock) *BothTimes { return &l.Waits }},
		{worldsHolds, func(l *WorldsLock) *BothTimes { return &l.Holds }},
		{worldsFailovers, func(l *WorldsLock) *BothTimes { return &l.Failovers }},
	} {
		var all BothTimes
		for i := range w.Locks {
			one := f.of(&w.Locks[i])
			all.Simulated = append(all.Simulated, one.Simulated...)
			all.Real = append(all.Real, one.Real...)
		}
		all.sort()
		drawn, err := f.draw([]string{"simulated", "real"}, [][]time.Duration{all.Simulated, all.Real}, say.English)
		if err != nil {
			return err
		}
		if drawn.absent == "" {
			v.Figures = append(v.Figures, worldsFigure{f.title, drawn.caption.English(), template.HTML(drawn.svg), drawn.table}) // made by us
		}
	}
	for i := range w.Locks {
		l := &w.Locks[i]
		v.Times = append(v.Times, worldsTimes{clean(l.ID, maxName), append(append(l.Waits.row(), l.Holds.row()...), l.Failovers.row()...)})
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
		return spanText(quantile(sorted, 50), say.English)
	}
	return []string{text(b.Simulated), text(b.Real)}
}
