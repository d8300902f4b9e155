package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
)

// TerminalOptions say what the terminal can do.
type TerminalOptions struct {
	Color bool
	Width int           // columns; 0 means 80
	Took  time.Duration // wall-clock time of the runs, 0 when it is not to be shown
	Brief bool          // the verdicts only
}

// storySteps is how many steps a terminal shows.
const storySteps = 18

// Terminal writes the verdicts, then the one story worth reading, then what to
// type next. Symbols are plain ASCII.
func Terminal(b *Bundle, o TerminalOptions) string {
	t := newTerminal(b, o)
	t.head()
	t.matrix()
	if !o.Brief {
		t.story()
		t.next()
	}
	return harmlessLog(t.out.String())
}

func newTerminal(b *Bundle, o TerminalOptions) *terminal {
	if o.Width <= 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	return &terminal{b: b, o: o}
}

type terminal struct {
	b   *Bundle
	o   TerminalOptions
	out strings.Builder
}

// Escape sequences of the colours in use.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
)

func (t *terminal) paint(code, s string) string {
	if !t.o.Color || code == "" || s == "" {
		return s
	}
	return code + s + "\x1b[0m"
}

func (t *terminal) line(s string) {
	t.out.WriteString(strings.TrimRight(s, " "))
	t.out.WriteByte('\n')
}

// head is the title on the left and the run's data on the right; below each
// other when they do not fit.
func (t *terminal) head() {
	title := clean(t.b.title(), maxLine)
	data := fmt.Sprintf("seed %d . %s . %s", t.b.Seed, clean(t.b.Backend, maxName), t.duration())
	if gap := t.o.Width - width(title) - width(data); gap >= 2 {
		t.line(t.paint(bold, title) + strings.Repeat(" ", gap) + t.paint(dim, data))
	} else {
		for _, l := range wrap(title, t.o.Width) {
			t.line(t.paint(bold, l))
		}
		t.line(t.paint(dim, data))
	}
	t.line("")
}

func (t *terminal) duration() string {
	length := strconv.FormatFloat(t.b.simulated().Seconds(), 'f', 1, 64) + " s"
	word := "run"
	if history.Simulated(t.b.Backend) {
		word = "simulated"
	}
	if t.o.Took <= 0 {
		return length + " " + word
	}
	took := t.o.Took.Round(time.Millisecond)
	if took == 0 {
		took = t.o.Took.Round(time.Microsecond)
	}
	return fmt.Sprintf("%s %s in %s", length, word, spaced(took))
}

// spaced puts a blank between the number of a short duration and its unit.
func spaced(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d us", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// story tells the run that broke most, step by step; for a run that proved
// nothing it says why.
func (t *terminal) story() {
	i := t.b.worst()
	if i < 0 {
		return
	}
	r := &t.b.Runs[i]
	h := r.Judgement.History
	if h == nil {
		return
	}
	name := clean(r.Lock, maxName)
	if !anyBroken(r) {
		for _, l := range wrap(clean(explain.Verdict(r.Judgement).English(), maxLine), t.o.Width) {
			t.line(l)
		}
		t.line("")
		return
	}
	t.line(t.paint(bold, name+", step by step"))
	t.part(storyOf(&r.Judgement, storySteps))
	t.line("")
	if f := explain.Assumption(h, r.Judgement.Findings, t.b.lag(h)); f.Proved() {
		t.field("assumed", f.Assumed.English())
		t.field("in fact", f.Formula.English())
		t.line("")
	}
}

func anyBroken(r *Run) bool {
	for _, f := range r.Judgement.Findings {
		if f.Verdict == checker.Broken {
			return true
		}
	}
	return false
}

// steps writes one step per line. Where there is room, belief and store stand
// beside the sentence; else they follow below it, when they come apart.
// part prints steps, and how many before and after them are left out.
func (t *terminal) part(steps []explain.Step, before, after int) {
	if before > 0 {
		t.line(t.paint(dim, fmt.Sprintf("  ... %d earlier steps left out ...", before)))
	}
	t.steps(steps)
	if after > 0 {
		t.line(t.paint(dim, fmt.Sprintf("  ... %d later steps left out ...", after)))
	}
}

// storyOf picks the steps of a run that are told, of which there are not more than a
// limit, and counts those before and after them.
func storyOf(j *checker.Judgement, limit int) (story []explain.Step, before, after int) {
	all, earlier, later := explain.Tell(j.History, j.Findings)
	story, before, after = explain.Story(all, limit)
	return story, before + earlier, after + later
}

func (t *terminal) steps(steps []explain.Step) {
	at := 9
	for _, s := range steps {
		at = max(at, len(s.At.String()))
	}
	indent := at + 3
	column := t.o.Width - indent // of the sentence
	wide := column >= 90
	longest := 0
	for _, s := range steps {
		longest = max(longest, width(clean(s.Sentence.English(), maxLine)))
	}
	if wide {
		column = min(longest, column-46)
	}
	for _, s := range steps {
		lines := wrap(clean(s.Sentence.English(), maxLine), column)
		for n, l := range lines {
			lead := strings.Repeat(" ", indent)
			if n == 0 {
				mark := " "
				if s.Violation {
					mark = t.paint(red, ">")
				}
				lead = fmt.Sprintf("%s%*s  ", mark, at, s.At)
			}
			if n == 0 && wide {
				l = pad(l, column) + "  " + t.paint(dim, pad(clean(s.Belief.English(), 26), 26)+" "+clean(s.Store.English(), 18))
			}
			t.line(lead + l)
		}
		if !wide && s.Apart {
			t.truth(indent, s)
		}
		if !s.Note.Empty() {
			t.below(indent, red, "<- "+clean(s.Note.English(), maxLine), "")
		}
	}
}

// truth writes belief and store on a line of their own, or on two.
func (t *terminal) truth(indent int, s explain.Step) {
	belief, store := clean(s.Belief.English(), 120), clean(s.Store.English(), 120)
	if both := belief + "   " + store; indent+width(both) <= t.o.Width {
		t.line(strings.Repeat(" ", indent) + t.paint(dim, both))
		return
	}
	t.below(indent, dim, belief, "  ")
	t.below(indent, dim, store, "  ")
}

func (t *terminal) below(indent int, code, text, hang string) {
	for n, l := range wrap(text, t.o.Width-indent-len(hang)) {
		if n > 0 {
			l = hang + l
		}
		t.line(strings.Repeat(" ", indent) + t.paint(code, l))
	}
}

// next says where the report is and how to see it again.
func (t *terminal) next() {
	if t.b.RunDir != "" {
		t.whole("report", strings.TrimSuffix(t.b.RunDir, "/")+"/report.html")
	}
	if t.b.Replay != "" {
		t.whole("again", t.b.Replay)
	}
	for _, h := range hints(t.b) {
		t.field("hint", h.says)
		t.whole("", h.command)
	}
}

// whole writes a line that somebody may want to copy: it is not broken.
func (t *terminal) whole(name, text string) {
	t.line(t.paint(dim, pad(name, 9)) + clean(text, maxLine))
}

func (t *terminal) field(name, text string) {
	for n, l := range wrap(clean(text, maxLine), t.o.Width-9) {
		if n > 0 {
			name = ""
		}
		t.line(t.paint(dim, pad(name, 9)) + l)
	}
}
