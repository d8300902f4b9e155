// Package terminal writes the results of runs for a terminal.
package terminal

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
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
	return sanitize.Log(t.String())
}

func newTerminal(b *bundle.Bundle, o Options) *terminal {
	columns := 80
	if o.Width > 0 {
		columns = max(o.Width, 40)
	}
	return &terminal{Page: ink.New(o.Language, o.Color, columns), b: b, o: o}
}

type terminal struct {
	ink.Page
	b *bundle.Bundle
	o Options
}

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

// head writes the title on the left and the data of the run on the right, or below each other if
// they do not fit.
func (t *terminal) head() {
	title := sanitize.Text(t.b.Title(t.Language), sanitize.MaxLine)
	seed := say.Verbatim(strconv.FormatUint(t.b.Seed, 10))
	data := say.SeedAndWorld.With(seed, say.Verbatim(sanitize.Text(t.b.Backend, sanitize.MaxName)), t.duration()).In(t.Language)
	if speed := t.Text(t.b.Speed()); speed != "" {
		data += " . " + speed
	}
	if t.o.Signs && t.Language == say.English { // the dot may be two columns wide on a Chinese terminal
		data = strings.ReplaceAll(data, " . ", " · ")
	}
	gap := t.Columns - t.Width(title) - t.Width(data)
	if gap >= 2 {
		t.Line(t.Paint(ink.Bold, title) + strings.Repeat(" ", gap) + t.Paint(ink.Faint, data))
	} else {
		t.below(0, ink.Bold, title, "")
	}
	if subtitle := sanitize.Text(t.b.Subtitle(t.Language), sanitize.MaxLine); subtitle != "" {
		t.below(0, "", subtitle, "")
	}
	if gap < 2 {
		t.Line(t.Paint(ink.Faint, data))
	}
	for _, h := range t.b.Histories() {
		if h.Header.Entry == history.Unfollowed || h.Header.Entry == history.Unread {
			t.below(0, ink.Yellow, t.Text(say.LockEntry.With(run.Entry(&h.Header))), "")
		}
	}
	t.Line("")
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
		t.below(0, "", t.Text(explain.Verdict(r.Timeline(), &r.Judgement)), "")
		t.Line("")
		return
	}
	t.Line(t.Paint(ink.Bold, t.Text(say.StepByStepOf.With(say.Verbatim(sanitize.Text(r.Lock, sanitize.MaxName))))))
	t.part(bundle.StoryOf(r, storySteps))
	t.Line("")
	if f := explain.Assumption(r.Timeline(), r.Judgement.Findings, t.b.Lag(h)); f.Proved() {
		t.field("assumed", f.Assumed)
		t.field("in fact", f.Formula)
		t.Line("")
	}
}

// part writes steps, and the numbers of those left out before and after them.
func (t *terminal) part(steps []explain.Step, before, after int) {
	if before > 0 {
		t.Line(t.Paint(ink.Faint, "  "+t.Text(say.EarlierLeftOut.With(say.Number(before)))))
	}
	t.steps(steps)
	if after > 0 {
		t.Line(t.Paint(ink.Faint, "  "+t.Text(say.LaterLeftOut.With(say.Number(after)))))
	}
}

// steps writes one step per line. If there is room, belief and store are beside the sentence; else
// they follow below it when they disagree.
func (t *terminal) steps(steps []explain.Step) {
	at, longest := 9, 0
	for _, s := range steps {
		at = max(at, t.Width(t.Text(say.Seconds(s.At))))
		longest = max(longest, t.Width(t.Text(s.Sentence)))
	}
	indent := at + 3
	column := t.Columns - indent // of the sentence
	wide := column >= 100
	if wide {
		column = min(longest, column-57)
	}
	for i := range steps {
		s, beside := &steps[i], ""
		if s.Skipped > 0 {
			t.Line(t.Paint(ink.Faint, "  ... "+t.Text(say.StepsLeftOut.With(say.Grouped(s.Skipped)))+" ..."))
		}
		if wide {
			beside = t.Pad(t.cut(s.Belief, 32), 32) + " " + t.cut(s.Store, 22)
		}
		t.Step(s, at, column, beside)
	}
}

// below writes wrapped text with an indent, and with a further one for all lines but the first.
func (t *terminal) below(indent int, code, text, hang string) {
	blanks := strings.Repeat(" ", indent)
	t.Wrapped(blanks, blanks+hang, code, text)
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
	t.Line(t.name(name) + sanitize.Text(text, sanitize.MaxLine))
}

func (t *terminal) field(name string, text say.Phrase) {
	t.Wrapped(t.name(name), strings.Repeat(" ", 9), "", t.Text(text))
}

// name is the head of a line.
func (t *terminal) name(english string) string {
	return t.Paint(ink.Faint, t.Pad(say.Text(english).In(t.Language), 9))
}

// cut shortens a phrase to about a number of columns.
func (t *terminal) cut(p say.Phrase, columns int) string {
	if t.Language == say.Chinese {
		columns = columns/2 - 1
	}
	return sanitize.Text(p.In(t.Language), columns)
}
