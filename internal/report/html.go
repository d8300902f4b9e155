package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var page = template.Must(template.New("page").Parse(pageHTML))

// MaxHTML is how large a report may become. Longer stories are cut, visibly.
const MaxHTML = 500_000

// maxDrawn is how many steps of one lock are drawn at most.
const maxDrawn = 400

// plotPoints is how many points all plots of a page share.
const plotPoints = 3000

// HTML draws the report as one file that needs nothing else: no network, no
// script, no other file. What the script adds is stepping by keys.
func HTML(b *Bundle) ([]byte, error) {
	stories := make([]story, len(b.Runs))
	points := min(max(plotPoints/max(len(b.Runs), 1), 60), maxPoints)
	for i := range b.Runs {
		var err error
		if stories[i], err = newStory(b, &b.Runs[i].Judgement, points); err != nil {
			return nil, err
		}
	}
	for limit := maxDrawn; ; limit /= 2 {
		out, err := render(b, stories, limit)
		if err != nil {
			return nil, err
		}
		if len(out) <= MaxHTML || limit <= 4 {
			return out, nil
		}
	}
}

// story is what has to be worked out once, however often the page is drawn.
type story struct {
	steps []explain.Step
	wrong explain.False
	plot  []byte
}

func newStory(b *Bundle, j *checker.Judgement, points int) (story, error) {
	if j.History == nil {
		return story{}, nil
	}
	plot, err := holdersOverTime(j.History, j.Findings, points)
	return story{
		steps: explain.Steps(j.History, j.Findings),
		wrong: explain.Assumption(j.History, j.Findings, b.lag(j.History)),
		plot:  plot,
	}, err
}

func render(b *Bundle, stories []story, limit int) ([]byte, error) {
	var buf bytes.Buffer
	if err := page.Execute(&buf, newPage(b, stories, limit)); err != nil {
		return nil, fmt.Errorf("filling in the report: %w", err)
	}
	return buf.Bytes(), nil
}

// pageView is what the template sees. All texts in it are clean; the template
// escapes them.
type pageView struct {
	Title, Mode, Backend, Length string
	Seed                         uint64
	Hash, Replay                 string
	Story, Question, Lesson      string
	Style                        template.CSS
	Script                       template.JS
	Leads                        []string // the verdicts in words
	Properties                   []string
	Runs                         []runView
	SetUp, Words                 []pair
	Legend                       []legendItem
}

type pair struct{ Name, Value string }

type runView struct {
	ID, Lock, Verdict    string
	Cells                []cellView
	Missed, Outcome      string
	Reasons              []string
	Notice               string
	Steps                []stepView
	Diagram, Plot        template.HTML
	Caption, PlotCaption string
	Assumed, Formula     string
	Faults               []faultView
}

type cellView struct{ Class, Sign, Text string }

type stepView struct {
	ID            string
	Number        int
	At, Sentence  string
	Belief, Store string
	Note          string
	Bad           bool
}

type faultView struct {
	Number      int
	Text, Fired string
}

func newPage(b *Bundle, stories []story, limit int) *pageView {
	v := &pageView{
		Title: clean(b.title(), maxLine), Seed: b.Seed, Backend: clean(b.Backend, maxName),
		Mode: "real servers", Length: length(b.simulated()) + " of true time",
		Hash: clean(b.Hash, maxLine), Replay: clean(b.Replay, maxLine),
		Style: template.CSS(pageCSS), Script: template.JS(pageJS),
		Words: glossary, Legend: legend, SetUp: setUp(b.Plan),
	}
	if b.Backend == "sim" {
		v.Mode = "simulated"
	}
	if p := b.Plan; p != nil {
		v.Story, v.Question, v.Lesson = clean(p.Story, maxProse), clean(p.Question, maxProse), clean(p.Lesson, maxProse)
	}
	props := b.properties()
	for _, p := range props {
		v.Properties = append(v.Properties, clean(p, maxName))
	}
	for i := range b.Runs {
		v.Runs = append(v.Runs, newRunView(&b.Runs[i], i, props, &stories[i], limit))
	}
	v.lead()
	return v
}

// maxLeads is how many locks get a sentence at the top of the report. Of more of
// them the matrix tells quicker.
const maxLeads = 4

// lead moves the verdicts in words to the top: each of a few locks, the sum of
// many.
func (v *pageView) lead() {
	if len(v.Runs) > maxLeads {
		broke := 0
		for _, r := range v.Runs {
			for _, c := range r.Cells {
				if c.Class == string(checker.Broken) {
					broke++
					break
				}
			}
		}
		v.Leads = []string{fmt.Sprintf("%d of %d locks broke at least one property.", broke, len(v.Runs))}
		return
	}
	for i := range v.Runs {
		v.Leads = append(v.Leads, v.Runs[i].Verdict)
	}
	if len(v.Runs) == 1 {
		v.Runs[0].Verdict = "" // said already
	}
}

func newRunView(r *Run, i int, props []string, st *story, limit int) runView {
	j := &r.Judgement
	v := runView{
		ID: fmt.Sprintf("lock-%d", i+1), Lock: clean(r.Lock, maxName),
		Verdict: nice(explain.Verdict(*j)), Missed: missed(r),
	}
	if len(r.Expected) > 0 {
		v.Outcome = "as expected"
	}
	for _, p := range props {
		v.Cells = append(v.Cells, newCellView(r, p))
	}
	for _, f := range j.Findings {
		if f.Verdict == checker.Unknown && f.Reason != "" {
			v.Reasons = append(v.Reasons, clean(f.Property+" is unknown: "+f.Reason, maxLine))
		}
	}
	for _, f := range j.Faults {
		fv := faultView{Number: f.Number, Text: clean(f.Text, maxLine)}
		if f.Text == "" {
			fv.Text = clean(f.Verb, maxName)
		}
		switch {
		case f.Times == 1:
			fv.Fired = "once"
		case f.Times > 1:
			fv.Fired = fmt.Sprintf("%d times", f.Times)
		}
		v.Faults = append(v.Faults, fv)
	}
	if h := j.History; h != nil {
		v.tell(h, st.steps, limit)
		v.Assumed, v.Formula = nice(st.wrong.Assumed), nice(st.wrong.Formula)
		v.Plot = template.HTML(st.plot) // made by us, all texts escaped
		v.PlotCaption = plotCaption(h, j)
	}
	return v
}

// tell fills in the steps and their diagram.
func (v *runView) tell(h *history.History, all []explain.Step, limit int) {
	steps, before, after := explain.Story(all, limit)
	if before+after > 0 {
		v.Notice = fmt.Sprintf("Showing %d of %d steps: %d earlier and %d later ones are left out.",
			len(steps), len(all), before, after)
	}
	for n, s := range steps {
		v.Steps = append(v.Steps, stepView{
			ID: fmt.Sprintf("%s-step-%d", v.ID, n+1), Number: n + 1, At: s.At.String(),
			Sentence: nice(s.Sentence), Belief: clean(s.Belief, 120), Store: clean(s.Store, 120),
			Note: nice(strings.TrimPrefix(s.Note, "<- ")), Bad: s.Violation,
		})
	}
	if l := newLayout(h, steps, before == 0, after == 0); l != nil {
		v.Diagram = template.HTML(diagram(l, v.ID)) // made by us, all texts escaped
		v.Caption = diagramCaption(steps)
	}
}

// unit matches a number and its unit, which a line break must not part.
var unit = regexp.MustCompile(`([0-9]) (s|ms)\b`)

// nice cleans a sentence and keeps its numbers together with their units.
func nice(s string) string {
	return unit.ReplaceAllString(clean(s, maxLine), "$1\u00a0$2")
}

func newCellView(r *Run, property string) cellView {
	c := cellOf(r, property)
	v := cellView{Class: string(c.verdict), Text: string(c.verdict)}
	switch c.verdict {
	case checker.Broken:
		v.Sign = "✗"
		v.Text = strings.TrimSuffix(strings.TrimPrefix(c.long, "x "), "x") + "×"
	case checker.Kept:
		v.Sign = "✓"
		if c.fenced {
			v.Text += " (fenced)"
		}
	case checker.Unknown:
		v.Sign = "?"
	default:
		v.Class, v.Text = "unknown", "not judged"
	}
	return v
}

// diagramCaption says what to take away from the diagram.
func diagramCaption(steps []explain.Step) string {
	for n, s := range steps {
		if s.Violation {
			return clean(fmt.Sprintf(
				"Hatched: what a client believes; solid: what the store has. The first property breaks at step %d, at %s.",
				n+1, s.At), maxLine)
		}
	}
	return "Hatched: what a client believes; solid: what the store has. Nothing broke in this run."
}

func plotCaption(h *history.History, j *checker.Judgement) string {
	n := most(levels(h))
	if n <= 1 {
		return "Never more than one client inside: the line stays at or below 1."
	}
	return clean(fmt.Sprintf("Up to %d clients inside at once, more than one for %s in all (filled). "+
		"Grey: a fault at work. The lane below marks what broke.", n, history.Instant(j.Overlap)), maxLine)
}
