package scenario

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// Resolved prints a plan as a scenario file with every default spelled out. Parsing it again under
// the same file name gives the same plan, except for line numbers.
func Resolved(p *plan.Plan) string { return ResolvedWithin(p, textWidth) }

// ResolvedWithin is Resolved with texts broken at another width, in columns, for reading on a
// screen.
func ResolvedWithin(p *plan.Plan, width int) string {
	w := &writer{width: width}
	w.prose(p)
	if p.Seed > 0 {
		w.line(0, "seed: %d", p.Seed)
	}
	words := each.Map(p.Locks, func(id string) string { return lockWord(p, id) })
	w.line(0, "\nlocks: [%s]", strings.Join(words, ", "))
	w.line(0, "lease: %s", faults.Duration(p.Lease))
	w.clients(p)
	w.section(plan.WorkloadKeys, p)
	w.world(p)
	if p.Chaos != nil {
		w.chaos(p)
	} else {
		w.faults(p)
	}
	w.vary(p)
	w.expect(p)
	w.text(0, "lesson", p.Lesson, asWritten)
	w.chinese(p.Chinese)
	return w.b.String()
}

type writer struct {
	b     strings.Builder
	width int // of folded texts, in columns
}

func (w *writer) line(indent int, format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *writer) section(s plan.Section, p *plan.Plan) {
	w.line(0, "\n%s:", s.Name)
	w.keys(1, s.Keys, p)
}

func (w *writer) world(p *plan.Plan) {
	w.section(plan.NetworkKeys, p)
	w.servers(p)
	if len(p.Clocks) > 0 {
		w.line(0, "\nclocks:")
	}
	for _, c := range p.Clocks {
		sign := "+"
		if c.Offset < 0 {
			sign = ""
		}
		w.line(1, "%s: {offset: %s%s, drift: %dppm}", scalar(c.Node), sign, faults.Duration(c.Offset), c.DriftPPM)
	}
}

func (w *writer) faults(p *plan.Plan) {
	if len(p.Faults) == 0 {
		w.line(0, "\nfaults: []")
		return
	}
	w.line(0, "\nfaults:")
	list := faults.Renumbered(p.Faults) // a file numbers them by their places
	for i := range list {
		f := &list[i]
		t := f.Trigger
		switch {
		case t.Moment != faults.NoMoment:
			w.line(1, "- when: %s", t.Text())
			w.line(2, "after: %s", length(f, faults.AfterKey, t.After))
		case t.Every > 0:
			w.line(1, "- every: %s", length(f, "every", t.Every))
		default:
			w.line(1, "- at: %s", length(f, "at", t.At))
		}
		w.verb(f)
		switch {
		case f.End.Forever:
			w.line(2, "forever: true")
		case f.End.Until != nil:
			w.line(2, "until: %s", f.End.Until.Text())
		case f.End.For > 0:
			w.line(2, "for: %s", length(f, "for", f.End.For))
		}
		if f.Open != nil && f.Open.ChancePPM < faults.Always {
			w.line(2, "chance: %s", plan.Percent(f.Open.ChancePPM))
		}
	}
}

// verb prints a verb with its parameters.
func (w *writer) verb(f *faults.Fault) {
	spec := f.Spec()
	w.line(2, "%s: %s", spec.Name, argumentText(f, spec.Value))
	for _, p := range spec.Params {
		if text := argumentText(f, p); text != "" {
			w.line(2, "%s: %s", p.Name, text)
		}
	}
}

// length prints a duration of a fault.
func length(f *faults.Fault, key string, d time.Duration) string {
	if f.Open != nil {
		if r, ok := f.Open.Ranges[key]; ok {
			return r.Text(faults.Duration)
		}
	}
	return faults.Duration(d)
}

// argumentText prints the value of a verb or of one of its parameters; "" for none.
func argumentText(f *faults.Fault, p faults.Param) string {
	if d, ok := f.Args.Durations[p.Name]; ok && p.Kind == faults.ParamDuration {
		return length(f, p.Name, d)
	}
	if p.Kind == faults.ParamSides {
		quoted := each.Map(f.Args.Sides, func(side []string) []string { return each.Map(side, scalar) })
		return faults.SidesText(quoted)
	}
	return scalar(f.Args.Text(p))
}

func (w *writer) expect(p *plan.Plan) {
	if len(p.Expect) == 0 {
		return
	}
	w.line(0, "\nexpect:")
	last := ""
	for _, x := range p.Expect {
		if x.Verdict == plan.Anything {
			w.line(1, "%s: %s", x.Lock, plan.Anything)
			continue
		}
		if x.Lock != last {
			w.line(1, "%s:", x.Lock)
			last = x.Lock
		}
		w.line(2, "%s: %s", x.Property, x.Verdict)
	}
	w.line(0, "")
}

// plainForm matches texts that need no quotes in YAML.
var plainForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 .()_-]*$`)

// scalar prints a text on one line, in quotes only if it needs them.
func scalar(text string) string {
	switch strings.ToLower(text) {
	case "null", "true", "false":
		return doubleQuoted(text)
	}
	if text == "" || plainForm.MatchString(text) && !strings.HasSuffix(text, " ") {
		return text
	}
	return doubleQuoted(text)
}

// doubleQuoted prints a text in YAML's double quotes. A plan that came from a file has no control
// characters other than line breaks and tabs.
func doubleQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// Brief prints a plan as a scenario file without defaults: Resolved without the lines that change
// nothing. The comment on top may have several lines.
func Brief(p *plan.Plan, comment string) string {
	lines := strings.Split(Resolved(p), "\n")
	for i := 0; i < len(lines); {
		end := blockEnd(lines, i)
		less := slices.Concat(lines[:i], lines[end:])
		if lines[i] != "" && saysTheSame(less, p) {
			lines = less
			continue
		}
		i++
	}
	var b strings.Builder
	for _, line := range strings.Split(comment, "\n") {
		b.WriteString("# " + printable(line) + "\n")
	}
	for i, line := range lines {
		if line != "" || i > 0 && lines[i-1] != "" && i < len(lines)-1 {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// blockEnd is the index after a line and everything indented below it.
func blockEnd(lines []string, i int) int {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " -")) }
	end := i + 1
	for end < len(lines) && lines[end] != "" && indent(lines[end]) > indent(lines[i]) {
		end++
	}
	return end
}

func saysTheSame(lines []string, p *plan.Plan) bool {
	got, err := Parse(p.File, []byte(strings.Join(lines, "\n")))
	return err == nil && reflect.DeepEqual(unplaced(got), unplaced(p))
}

// unplaced returns a copy of the plan without line numbers, and with all settings filled in.
func unplaced(p *plan.Plan) plan.Plan {
	c := *p
	c.Settle()
	c.Faults = slices.Clone(c.Faults)
	for i := range c.Faults {
		c.Faults[i].Line = 0
	}
	c.Expect = slices.Clone(c.Expect)
	for i := range c.Expect {
		c.Expect[i].Line = 0
	}
	return c
}
