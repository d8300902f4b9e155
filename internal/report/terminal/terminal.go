// Package terminal writes the results of runs for a terminal.
package terminal

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Options describe the terminal and the extent of the output.
type Options struct {
	Color    bool
	Width    int           // columns; 0 means 80
	Took     time.Duration // wall-clock time of the runs, 0 to hide it
	Brief    bool          // only the verdicts
	Signs    bool          // Unicode signs instead of letters
	Language say.Language
}

// storySteps limits the steps in a report.
const storySteps = 18

// Report writes the verdicts, the most important story, and the next commands. Symbols are ASCII
// unless the terminal has the signs.
func Report(b *bundle.Bundle, o Options) string {
	t := newTerminal(b, o)
	t.head()
	t.matrix()
	if !o.Brief {
		t.story()
		t.next()
	}
	return sanitize.Log(t.out.String())
}

func newTerminal(b *bundle.Bundle, o Options) *terminal {
	if o.Width <= 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	return &terminal{b: b, o: o, r: say.RulerFor(o.Language)}
}

type terminal struct {
	b   *bundle.Bundle
	o   Options
	r   *say.Ruler
	out strings.Builder
}

// text is a phrase on one line, in the language of the terminal.
func (t *terminal) text(p say.Part) string {
	return sanitize.Text(p.In(t.o.Language), sanitize.MaxLine)
}

// Escape sequences of the styles in use.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
)

// signed replaces the letter of a verdict by its sign.
func (t *terminal) signed(cell string) string {
	if t.o.Signs {
		for _, sign := range [][2]string{{"v ", "✓ "}, {"x ", "✗ "}} {
			if rest, ok := strings.CutPrefix(cell, sign[0]); ok {
				return sign[1] + rest
			}
		}
	}
	return cell
}

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

// head writes the title on the left and the data of the run on the right, or below each other if
// they do not fit.
func (t *terminal) head() {
	title := sanitize.Text(t.b.Title(t.o.Language), sanitize.MaxLine)
	seed := say.Verbatim(strconv.FormatUint(t.b.Seed, 10))
	data := say.SeedAndWorld.With(seed, say.Verbatim(sanitize.Text(t.b.Backend, sanitize.MaxName)), t.duration()).In(t.o.Language)
	if speed := t.text(t.b.Speed()); speed != "" {
		data += " . " + speed
	}
	if t.o.Signs && t.o.Language == say.English { // the dot may be two columns wide on a Chinese terminal
		data = strings.ReplaceAll(data, " . ", " · ")
	}
	gap := t.o.Width - t.r.Width(title) - t.r.Width(data)
	if gap >= 2 {
		t.line(t.paint(bold, title) + strings.Repeat(" ", gap) + t.paint(dim, data))
	} else {
		t.below(0, bold, title, "")
	}
	if subtitle := sanitize.Text(t.b.Subtitle(t.o.Language), sanitize.MaxLine); subtitle != "" {
		t.below(0, "", subtitle, "")
	}
	if gap < 2 {
		t.line(t.paint(dim, data))
	}
	for _, h := range t.b.Histories() {
		if h.Header.Entry == history.Unfollowed || h.Header.Entry == history.Unread {
			t.below(0, yellow, t.text(say.LockEntry.With(run.Entry(&h.Header))), "")
		}
	}
	t.line("")
}

func (t *terminal) duration() say.Phrase {
	took, length := tookText(t.o.Took), tenthsOfSecond(t.b.Simulated())
	if history.Simulated(t.b.Backend) {
		return say.SimulatedIn.With(length, took)
	}
	return say.RunIn.With(length, took)
}

func tookText(d time.Duration) say.Phrase {
	switch rounded := d.Round(time.Millisecond); {
	case d <= 0:
		return say.Phrase{}
	case rounded == 0:
		return say.Microseconds.With(say.Number(d.Round(time.Microsecond).Microseconds()))
	case rounded < time.Second:
		return say.Said.With(say.Planned(rounded))
	}
	return tenthsOfSecond(d)
}

func tenthsOfSecond(d time.Duration) say.Phrase {
	return say.AxisSeconds.With(say.Verbatim(strconv.FormatFloat(d.Seconds(), 'f', 1, 64)))
}

// story tells the worst run step by step, or says why it proves nothing.
func (t *terminal) story() {
	i := t.b.Worst()
	if i < 0 {
		return
	}
	r := &t.b.Runs[i]
	h := r.Judgement.History
	if h == nil {
		return
	}
	if !bundle.AnyBroken(r) {
		t.below(0, "", t.text(explain.Verdict(r.Timeline(), &r.Judgement)), "")
		t.line("")
		return
	}
	t.line(t.paint(bold, t.text(say.StepByStepOf.With(say.Verbatim(sanitize.Text(r.Lock, sanitize.MaxName))))))
	t.part(bundle.StoryOf(r, storySteps))
	t.line("")
	if f := explain.Assumption(r.Timeline(), r.Judgement.Findings, t.b.Lag(h)); f.Proved() {
		t.field("assumed", f.Assumed)
		t.field("in fact", f.Formula)
		t.line("")
	}
}

// part writes steps, and the numbers of those left out before and after them.
func (t *terminal) part(steps []explain.Step, before, after int) {
	if before > 0 {
		t.line(t.paint(dim, "  "+t.text(say.EarlierLeftOut.With(say.Number(before)))))
	}
	t.steps(steps)
	if after > 0 {
		t.line(t.paint(dim, "  "+t.text(say.LaterLeftOut.With(say.Number(after)))))
	}
}

// steps writes one step per line. If there is room, belief and store are beside the sentence; else
// they follow below it when they disagree.
func (t *terminal) steps(steps []explain.Step) {
	at, longest := 9, 0
	for _, s := range steps {
		at = max(at, t.r.Width(t.text(say.Seconds(s.At))))
		longest = max(longest, t.r.Width(t.text(s.Sentence)))
	}
	indent := at + 3
	column := t.o.Width - indent // of the sentence
	wide := column >= 100
	if wide {
		column = min(longest, column-57)
	}
	for _, s := range steps {
		if s.Skipped > 0 {
			t.line(t.paint(dim, "  ... "+t.text(say.StepsLeftOut.With(say.Grouped(s.Skipped)))+" ..."))
		}
		lines := t.r.Wrap(t.text(s.Sentence), column)
		for n, l := range lines {
			lead := strings.Repeat(" ", indent)
			if n == 0 {
				mark := " "
				if s.Violation {
					mark = t.paint(red, ">")
				}
				lead = mark + t.right(t.text(say.Seconds(s.At)), at) + "  "
			}
			if n == 0 && wide {
				l = t.r.Pad(l, column) + "  " + t.paint(dim, t.r.Pad(t.cut(s.Belief, 32), 32)+" "+t.cut(s.Store, 22))
			}
			t.line(lead + l)
		}
		if !wide && s.Apart {
			t.truth(indent, s)
		}
		if !s.Note.Empty() {
			t.below(indent, red, "<- "+t.text(s.Note), "")
		}
	}
}

// truth writes belief and store on one or two lines of their own.
func (t *terminal) truth(indent int, s explain.Step) {
	belief, store := sanitize.Text(s.Belief.In(t.o.Language), 120), sanitize.Text(s.Store.In(t.o.Language), 120)
	if both := belief + "   " + store; indent+t.r.Width(both) <= t.o.Width {
		t.line(strings.Repeat(" ", indent) + t.paint(dim, both))
		return
	}
	t.below(indent, dim, belief, "  ")
	t.below(indent, dim, store, "  ")
}

// below writes wrapped text with an indent, and with a further one for all lines but the first.
func (t *terminal) below(indent int, code, text, hang string) {
	for n, l := range t.r.Wrap(text, t.o.Width-indent-len(hang)) {
		if n > 0 {
			l = hang + l
		}
		t.line(strings.Repeat(" ", indent) + t.paint(code, l))
	}
}

// next writes the path of the report, the replay command and hints.
func (t *terminal) next() {
	if t.b.RunDir != "" {
		t.whole("report", strings.TrimSuffix(t.b.RunDir, "/")+"/report.html")
	}
	if t.b.Replay != "" {
		t.whole("again", t.b.Replay)
	}
	for _, h := range bundle.Hints(t.b) {
		t.field("hint", h.Says)
		t.whole("", h.Command)
	}
}

// whole writes a line without wrapping it, so a reader can copy it.
func (t *terminal) whole(name, text string) {
	t.line(t.name(name) + sanitize.Text(text, sanitize.MaxLine))
}

func (t *terminal) field(name string, text say.Phrase) {
	for n, l := range t.r.Wrap(t.text(text), t.o.Width-9) {
		if n > 0 {
			name = ""
		}
		t.line(t.name(name) + l)
	}
}

// name is the head of a line.
func (t *terminal) name(english string) string {
	return t.paint(dim, t.r.Pad(say.Text(english).In(t.o.Language), 9))
}

// cut shortens a phrase to about a number of columns.
func (t *terminal) cut(p say.Phrase, columns int) string {
	if t.o.Language == say.Chinese {
		columns = columns/2 - 1
	}
	return sanitize.Text(p.In(t.o.Language), columns)
}
