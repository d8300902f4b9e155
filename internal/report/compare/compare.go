// Package compare compares stored runs: the differences of their plans, reasons for care, where
// their stories diverge, and the ratios of their measures.
package compare

import (
	"slices"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// MaxSides limits the lines of the tables of a comparison.
const MaxSides = 100

// Comparison is several stored runs side by side: other seeds, locks, worlds or
// versions of a scenario.
type Comparison struct {
	Runs     []Run        // at least two
	Replay   string       // the command line that compares them again
	Language say.Language // of the page

	judged []Side // cache of Sides
}

// Run is one of them.
type Run struct {
	Bundle   *bundle.Bundle
	Dir      string    // as given
	Href     string    // of its report, relative to the page; "" without one
	Settings []Setting // of its resolved scenario
}

// Setting is one setting of a resolved scenario: "lease", "10s".
type Setting struct {
	Name, Value string
	Dependent   bool // present because a lock of the run needs it
}

// Side is one lock of one run: a line of every table.
type Side struct {
	bundle.Story
	Number     int             // of its run, from 1
	Waits      []time.Duration // sorted
	Holds      []time.Duration // sorted
	Against    int             // index of the side to compare its story with; -1 for none
	Same       bool            // the history is the same, byte for byte
	Divergence Divergence      // in words
}

// Divergence is where the story of a side diverges from the one that it is compared with.
type Divergence struct {
	Against     string // its name; "" when there is nothing to compare with
	Says        string // when no step differs
	Step        int    // counted from 1; 0 when no step differs
	Here, There string // the steps; "" after the end of a story
}

// Title says how many runs there are.
func (c *Comparison) Title() string {
	return say.SideBySide.With(say.Number(len(c.Runs))).In(c.Language)
}

// Sides judges all runs, once.
func (c *Comparison) Sides() []Side {
	if c.judged == nil {
		c.judged = c.judge()
	}
	return c.judged
}

func (c *Comparison) judge() []Side {
	var out []Side
	for n := range c.Runs {
		b := c.Runs[n].Bundle
		for i := range b.Runs {
			name := say.RunAndLock.With(say.Number(n+1), say.Verbatim(sanitize.Text(b.Runs[i].Lock, sanitize.MaxName)))
			s := Side{Story: bundle.Narrate(&b.Runs[i], name.In(c.Language), 0), Number: n + 1, Against: -1}
			if s.Measures != nil {
				s.Waits, s.Holds = s.Measures.Lengths(), holdLengths(s.Measures)
			}
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].compareWith(out[:i], c.Language)
	}
	return out
}

// compareWith compares a story with that of the same lock in an earlier run, or else with the first
// one of all. The report of the first run compares its own locks.
func (s *Side) compareWith(earlier []Side, l say.Language) {
	h := s.Run.Judgement.History
	if s.Number == 1 || h == nil {
		return
	}
	at := max(slices.IndexFunc(earlier, func(o Side) bool {
		return o.Number < s.Number && o.Run.Lock == s.Run.Lock && o.Run.Judgement.History != nil
	}), 0)
	o := &earlier[at]
	other := o.Run.Judgement.History
	if other == nil {
		return
	}
	s.Against = at
	s.Compare(&o.Story)
	s.Same = s.Differs < 0 && h.Hash() == other.Hash()
	p := &s.Divergence
	p.Against = o.Name
	switch {
	case s.Same:
		p.Says = say.Text("the same history, byte for byte").In(l)
	case s.Differs < 0:
		p.Says = say.Text("the same steps, at other times").In(l)
	default:
		p.Step, p.Here, p.There = s.Differs+1, stepText(s.Steps, s.Differs, l), stepText(o.Steps, s.Differs, l)
	}
}

func holdLengths(m *timeline.Measures) []time.Duration {
	out := each.Map(m.Holds, func(h history.Hold) time.Duration { return h.End.Sub(h.Start) })
	slices.Sort(out)
	return out
}

// Together makes one bundle of all sides, for tables and figures of a bundle.
func Together(sides []Side) *bundle.Bundle {
	b := &bundle.Bundle{}
	for i := range sides {
		r := *sides[i].Run
		r.Lock = sides[i].Name
		b.Runs = append(b.Runs, r)
	}
	return b
}

func stepText(steps []explain.Step, at int, l say.Language) string {
	if at >= len(steps) {
		return ""
	}
	return sanitize.Sentence(say.StepSentence.With(0, say.Seconds(steps[at].At), steps[at].Sentence).In(l))
}

// Difference is a setting that differs between runs.
type Difference struct {
	Name   string
	Values []string // one for each run; "" without the setting
}

// Differences lists the differing settings in the order of the first run that has them. A setting
// that only some locks need is compared only among runs that have it.
func (c *Comparison) Differences() []Difference {
	var names []string
	dependent := map[string]bool{}
	values := map[string][]string{}
	for n := range c.Runs {
		for _, s := range c.Runs[n].Settings {
			if values[s.Name] == nil {
				names = append(names, s.Name)
				values[s.Name] = make([]string, len(c.Runs))
			}
			values[s.Name][n] = sanitize.Text(s.Value, sanitize.MaxLine)
			dependent[s.Name] = s.Dependent
		}
	}
	var out []Difference
	for _, name := range names {
		there := slices.DeleteFunc(slices.Clone(values[name]), func(v string) bool { return v == "" && dependent[name] })
		if slices.ContainsFunc(there, func(v string) bool { return v != there[0] }) {
			out = append(out, Difference{sanitize.Text(name, sanitize.MaxLine), values[name]})
		}
	}
	return out
}

// Words describes the first differing value.
func (d *Difference) Words() say.Phrase {
	first := d.Values[0]
	for n, v := range d.Values {
		if v != first {
			return say.SettingDiffers.With(say.Verbatim(d.Name), Or(first, "not there"), Or(v, "not there"), say.Number(n+1))
		}
	}
	return say.Phrase{}
}

// Or is a text, or, if it is empty, the translation of an English one.
func Or(s, english string) say.Phrase {
	if s == "" {
		return say.Text(english)
	}
	return say.Said.With(say.Series{say.Verbatim(s)})
}

// Row is one run in the table of runs; its texts are clean.
type Row struct {
	Number          int
	Title, Scenario string
	Href, Dir       string
	Seed            uint64
	World, Backend  string
	Hash, Length    string
	Clients         int
	Replay, Again   string
}

// Rows is the table of runs.
func (c *Comparison) Rows() (rows []Row) {
	for n, r := range c.Runs {
		b := r.Bundle
		world := say.Text("real")
		if history.Simulated(b.Backend) {
			world = say.Text("simulated")
		}
		rows = append(rows, Row{
			Number: n + 1, Title: sanitize.Text(b.Title(c.Language), sanitize.MaxLine), Href: r.Href,
			Scenario: sanitize.Text(b.Slug(), sanitize.MaxLine), Dir: sanitize.Text(r.Dir, sanitize.MaxLine),
			Seed: b.Seed, World: world.In(c.Language), Backend: sanitize.Text(b.Backend, sanitize.MaxName),
			Hash: sanitize.Text(b.Hash, 12), Length: say.Seconds(lengthOf(b)).In(c.Language), Clients: len(clientsOf(b)),
			Replay: sanitize.Text(b.Replay, sanitize.MaxLine), Again: say.PlayRunAgain.With(say.Number(n + 1)).In(c.Language),
		})
	}
	return rows
}

// lengthOf is the true time of the longest history of a run.
func lengthOf(b *bundle.Bundle) history.Instant {
	end := history.Instant(0)
	for _, h := range b.Histories() {
		end = max(end, h.End())
	}
	return end
}
