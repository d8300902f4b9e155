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
	"lockstep/internal/each"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

//go:embed *.html *.css
var files embed.FS

var design = page.NewDesign("worldspage", files)

// view is the view of the template.
type view struct {
	*crosscheck.Comparison
	Head     page.Head
	Replay   string
	scale    string
	language say.Language
}

// HTML draws the comparison in l as one self-contained file without a script. scale is the factor
// of all durations, as in 0.1; replay is the command line that compares them again.
func HTML(l say.Language, c *crosscheck.Comparison, scale, replay string) ([]byte, error) {
	title := say.Text("The simulator beside real servers").In(l)
	return design.Fill(l, &view{c, design.Head(title, figure.CSS), replay, scale, l})
}

// Lead says what was played, and how often.
func (v *view) Lead() say.Phrase {
	least, most := v.PairsOfCells()
	times := say.Said.With(say.Times(most))
	if least < most {
		times = say.TimesBetween.With(say.Number(least), say.Number(most))
	}
	name := func(s string) say.Verbatim { return say.Verbatim(sanitize.Text(s, sanitize.MaxName)) }
	return say.WorldsLead.With(times, name(v.Backend), name(v.scale))
}

// Letters are those of the cells, with their meanings.
func (v *view) Letters() []say.Phrase {
	return each.Map(checker.Letters, func(x checker.LetterMeaning) say.Phrase {
		return say.LetterMeans.With(say.Verbatim(x.Letter), x.Word)
	})
}

type count struct {
	Class, Sign, Text string
	N                 int
}

// Counts are the numbers of cells, by their agreement.
func (v *view) Counts() []count {
	all := []count{
		{"kept", "✓", "agree", v.Count(results.Agrees)}, {"broken", "✗", "differ", v.Count(results.Differs)},
		{"unknown", "?", "inconclusive", v.Count(results.Untested)},
		{"absent", "-", "cannot be played on real servers", v.Count(results.NotPlayed)},
	}
	for i := range all {
		if all[i].N == 0 {
			all[i].Class = "absent" // nothing to look at
		}
	}
	return all
}

// cell is a cell with its results in both worlds.
type cell struct {
	*crosscheck.Cell
	Simulated, Real string
}

// In lists the cells of a lock, by its index.
func (v *view) In(lock int) (all []cell) {
	for _, c := range v.Row(lock) {
		simulated, real := shownBy(c.Pairs)
		all = append(all, cell{&c, simulated, real})
	}
	return all
}

// Differ lists the cells in which the two worlds differ, and Untested the inconclusive ones.
func (v *view) Differ() []cell   { return v.with(results.Differs) }
func (v *view) Untested() []cell { return v.with(results.Untested) }

func (v *view) with(a results.Agreement) (all []cell) {
	for i := range v.Locks {
		all = append(all, v.In(i)...)
	}
	return slices.DeleteFunc(all, func(c cell) bool { return c.Agreement != a })
}

// Reasons counts why cells were not played.
func (v *view) Reasons() []bundle.Reason {
	return bundle.Reasons(each.Map(v.with(results.NotPlayed), func(c cell) string { return c.Why.In(v.language) }))
}

// Agreeing is the number of seeds that agree.
func (c cell) Agreeing() say.Phrase {
	return say.SomeOf.With(say.Number(c.Cell.Agreeing()), say.Number(len(c.Pairs)))
}

// Class is the style of a cell.
func (c cell) Class() string {
	return map[results.Agreement]string{
		results.Agrees: "agree", results.Differs: "differ", results.Untested: "untested", results.NotPlayed: "not-played",
	}[c.Agreement]
}

// signs are the texts of cells of stories, which have no room for more.
var signs = map[results.Agreement]string{results.Agrees: "✓", results.Differs: "✗", results.Untested: "?", results.NotPlayed: "-"}

// Text is the text of a cell.
func (v *view) Text(c cell) string {
	switch {
	case c.Story != "" || c.Agreement == results.NotPlayed:
		return signs[c.Agreement]
	case c.Agreement == results.Agrees:
		return c.Simulated
	case len(c.Pairs) > 1:
		return c.Simulated + " / " + c.Real + " " + c.Agreeing().In(v.language)
	}
	return c.Simulated + " / " + c.Real
}

// Name is what a cell says, for screen readers.
func (c cell) Name() say.Phrase {
	under := say.Under.With(say.Verbatim(c.Lock), say.Verbatim(sanitize.Text(c.Fault, sanitize.MaxName)))
	if c.Agreement == results.NotPlayed {
		return say.CellNotPlayed.With(under, c.Why)
	}
	agreeing, of := say.Number(c.Cell.Agreeing()), say.Number(len(c.Pairs))
	return say.CellInWorlds.With(under, say.Verbatim(c.Simulated), say.Verbatim(c.Real), agreeing, of)
}

// shownBy lists the distinct results of each world, in the order of their first occurrence.
func shownBy(pairs []results.WorldRun) (simulated, real string) {
	var all [2][]string
	for _, p := range pairs {
		for world, text := range []string{p.Simulated, p.Real} {
			if !slices.Contains(all[world], text) {
				all[world] = append(all[world], text)
			}
		}
	}
	return strings.Join(all[0], " "), strings.Join(all[1], " ")
}

// spreads are the distributions of what was measured in both worlds.
var spreads = []struct {
	figure.Spread
	of func(*crosscheck.Times) []time.Duration
}{{figure.Spread{
	Kind: "worlds-wait", Axis: "wait for the lock (logarithmic)", Share: "share of waits",
	Who: "world", Number: "attempts that got it", Title: "Waits for the lock in both worlds",
	Caption: "All locks and faults together. Where the lines part, real servers are slower or faster than their models.",
	Absent:  "no client got the lock",
}, func(t *crosscheck.Times) []time.Duration { return t.Waits }}, {figure.Spread{
	Kind: "worlds-hold", Axis: "held for (logarithmic)", Share: "share of holds",
	Who: "world", Number: "holds", Title: "How long the lock was held in both worlds",
	Caption: "The work is the same in both worlds: the lines differ by what faults and releases add.",
	Absent:  "no client held the lock",
}, func(t *crosscheck.Times) []time.Duration { return t.Holds }}, {figure.Spread{
	Kind: "worlds-failover", Axis: "time to failover (logarithmic)", Share: "share of failovers",
	Who: "world", Number: "failovers", Title: "From the death of a primary to the next one",
	Caption: "From the death of a primary to the promotion of the next one.",
	Absent:  "no primary was replaced",
}, func(t *crosscheck.Times) []time.Duration { return t.Failovers }}}

// Figures draws the distributions of both worlds.
func (v *view) Figures() (out []page.Figure) {
	for _, s := range spreads {
		all := make([][]time.Duration, 2)
		for i := range v.Samples {
			all[0] = append(all[0], s.of(&v.Samples[i].Simulated)...)
			all[1] = append(all[1], s.of(&v.Samples[i].Real)...)
		}
		slices.Sort(all[0])
		slices.Sort(all[1])
		if drawn := s.Draw(say.Texts(v.language, "simulated", "real"), all, v.language); drawn.Absent == "" {
			out = append(out, page.NewFigure(say.Text(s.Title).In(v.language), &drawn, v.language))
		}
	}
	return out
}

// Medians are those of a lock, by its index; "" for none.
func (v *view) Medians(lock int) (out []string) {
	for _, s := range spreads {
		for _, times := range []*crosscheck.Times{&v.Samples[lock].Simulated, &v.Samples[lock].Real} {
			median := ""
			if sorted := s.of(times); len(sorted) > 0 {
				median = say.Measured(timeline.Quantile(sorted, 50)).In(v.language)
			}
			out = append(out, median)
		}
	}
	return out
}
