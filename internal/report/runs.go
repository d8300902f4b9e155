package report

import (
	"slices"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// RunComparison is several stored runs side by side: other seeds, locks, worlds or
// versions of a scenario.
type RunComparison struct {
	Runs     []ComparedRun // at least two
	Replay   string        // the command line that compares them again
	Language say.Language  // of the page

	judged []side // by sides
}

// ComparedRun is one of them.
type ComparedRun struct {
	Bundle   *Bundle
	Dir      string    // as it was named
	Href     string    // of its report, relative to the page; "" when there is none
	Settings []Setting // of its resolved scenario
}

// Setting is one thing that a resolved scenario says: "lease", "10s".
type Setting struct {
	Name, Value string
	Dependent   bool // there because a lock of the run needs it
}

// side is one lock of one run: a line of every table.
type side struct {
	run      int // index into Runs
	name     string
	r        *Run
	measures *measures
	bars     *bars
	steps    []explain.Step
	waits    []time.Duration // sorted
	holds    []time.Duration // sorted
	against  int             // index of the side that its story is compared with; -1 for none
	differs  int             // index of the first step that differs; -1 for none
	same     bool            // the history is the same, byte for byte
}

// sides works out, once, what all forms of a comparison show.
func (c *RunComparison) sides() []side {
	if c.judged == nil {
		c.judged = c.judge()
	}
	return c.judged
}

func (c *RunComparison) judge() []side {
	var out []side
	for n := range c.Runs {
		b := c.Runs[n].Bundle
		for i := range b.Runs {
			s := side{run: n, r: &b.Runs[i], name: say.RunAndLock.With(say.Number(n+1), say.Verbatim(clean(b.Runs[i].Lock, maxName))).In(c.Language), against: -1, differs: -1}
			if j := &s.r.Judgement; j.History != nil {
				s.measures, s.bars = measure(j.History), barsOf(j.History)
				s.steps = explain.Steps(j.History, j.Findings)
				s.waits, s.holds = s.measures.lengths(), holdLengths(s.measures)
			}
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].compareWith(out, i)
	}
	return out
}

// compareWith finds the story that story i is compared with: that of the same lock in
// an earlier run, or else the first one of all. The locks of the first run are
// compared in its own report.
func (s *side) compareWith(all []side, i int) {
	h := s.r.Judgement.History
	if s.run == 0 || h == nil {
		return
	}
	at := slices.IndexFunc(all[:i], func(o side) bool {
		return o.run < s.run && o.r.Lock == s.r.Lock && o.r.Judgement.History != nil
	})
	at = max(at, 0)
	other := all[at].r.Judgement.History
	if other == nil {
		return
	}
	s.against = at
	s.differs = differsAt(other, all[at].steps, h, s.steps)
	s.same = s.differs < 0 && h.Hash() == other.Hash()
}

func holdLengths(m *measures) []time.Duration {
	var out []time.Duration
	for _, h := range m.holds {
		out = append(out, h.End.Sub(h.Start))
	}
	slices.Sort(out)
	return out
}

// together is all sides as one bundle, for the tables and figures that take one.
func together(sides []side) *Bundle {
	b := &Bundle{}
	for i := range sides {
		r := *sides[i].r
		r.Lock = sides[i].name
		b.Runs = append(b.Runs, r)
	}
	return b
}

// parting tells where the story of a side leaves the one that it is compared with.
type parting struct {
	Against     string // its name; "" when there is nothing to compare with
	Says        string // when no step differs
	Step        int    // counted from 1; 0 when no step differs
	Here, There string // the steps; "" where the story has ended already
}

func partingOf(all []side, i int, l say.Language) parting {
	s := &all[i]
	if s.against < 0 {
		return parting{}
	}
	o := &all[s.against]
	p := parting{Against: o.name}
	switch {
	case s.same:
		p.Says = say.Text("the same history, byte for byte").In(l)
	case s.differs < 0:
		p.Says = say.Text("the same steps, at other times").In(l)
	default:
		p.Step = s.differs + 1
		p.Here, p.There = stepText(s.steps, s.differs, l), stepText(o.steps, s.differs, l)
	}
	return p
}

func stepText(steps []explain.Step, at int, l say.Language) string {
	if at >= len(steps) {
		return ""
	}
	return nice(say.StepTells.With(0, say.Seconds(steps[at].At), steps[at].Sentence).In(l))
}

// settingDiff is a setting that is not the same in all runs.
type settingDiff struct {
	Name   string
	Values []string // one for each run; "" where it does not have the setting
}

// settingDiffs lists what the plans of the runs do not have in common, in the order
// of the first run that has it. What only some locks need is compared only where it
// is there.
func (c *RunComparison) settingDiffs() []settingDiff {
	var names []string
	dependent := map[string]bool{}
	values := map[string][]string{}
	for n := range c.Runs {
		for _, s := range c.Runs[n].Settings {
			if values[s.Name] == nil {
				names = append(names, s.Name)
				values[s.Name] = make([]string, len(c.Runs))
			}
			values[s.Name][n] = clean(s.Value, maxLine)
			dependent[s.Name] = s.Dependent
		}
	}
	var out []settingDiff
	for _, name := range names {
		there := slices.DeleteFunc(slices.Clone(values[name]), func(v string) bool { return v == "" && dependent[name] })
		if slices.ContainsFunc(there, func(v string) bool { return v != there[0] }) {
			out = append(out, settingDiff{clean(name, maxLine), values[name]})
		}
	}
	return out
}

// words says the first difference of the plans in words.
func (d *settingDiff) words() say.Phrase {
	first := d.Values[0]
	for n, v := range d.Values {
		if v != first {
			return say.SettingDiffers.With(say.Verbatim(d.Name), orNone(first), orNone(v), say.Number(n+1))
		}
	}
	return say.Phrase{}
}

func orNone(s string) say.Phrase {
	if s == "" {
		return say.Text("not there")
	}
	return say.Listed.With(say.Series{say.Verbatim(s)})
}

// maxDrawn is how many sides the figures show: more lines nobody can tell apart.
const maxDrawn = 12

// runFigures draws the measures of all sides over each other, in the order of the
// tables.
func runFigures(sides []side, l say.Language) ([]figure, error) {
	sides = sides[:min(len(sides), maxDrawn)]
	names := make([]string, len(sides))
	waits, holds := make([][]time.Duration, len(sides)), make([][]time.Duration, len(sides))
	for i := range sides {
		names[i], waits[i], holds[i] = sides[i].name, sides[i].waits, sides[i].holds
	}
	var out []figure
	for _, f := range []struct {
		spread spread
		of     [][]time.Duration
	}{{waitSpread, waits}, {holdSpread, holds}} {
		f.spread.who, f.spread.wide = "run and lock", true
		drawn, err := f.spread.draw(names, f.of, l)
		if err != nil {
			return nil, err
		}
		out = append(out, drawn)
	}
	cost, err := costFigure(sides, l)
	return append(out, cost), err
}

// cutShort reports whether a run was stopped before its end.
func cutShort(h *history.History) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.CutShort })
}

// sameBytes reports whether two runs have the same histories.
func sameBytes(a, b *Bundle) bool { return a.Hash != "" && a.Hash == b.Hash }
