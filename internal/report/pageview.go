package report

import (
	"html/template"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// pageView is what the template sees. All texts in it are clean; the template
// escapes them.
type pageView struct {
	Title, Mode, Backend, Length string
	Seed                         uint64
	Hash, Replay                 string
	Story, Question, Lesson      string
	Origin                       string // of a story that was shrunk
	Head                         pageHead
	Leads                        []string // the verdicts in words
	Properties                   []string
	Runs                         []runView
	SetUp                        []pair
	Picture                      template.HTML
	Promises                     []promise
	Legend                       []legendItem
	Shapes                       template.HTML
	Questions                    []question
	Compared                     *comparison
	Aligned                      template.HTML
	AlignedSays                  string
	Flips                        []flip
	Groups                       []figureGroup
	Left                         string // what the page leaves out to stay small
	Evidence                     evidence
	State                        []standing // for the script
	Says                         map[string]string

	language say.Language
	linker   *linker
}

// scriptSays are the words of the page's script, which stand on the page as data.
var scriptSays = map[string]string{
	"step": "Step {n} of {of}, {at}:", "believes": "believes", "mine": "mine", "store": "the store has", "token": "highest token",
	"absent": "not shown", "copy": "Copy", "copied": "Copied", "copycommand": "Copy the command", "where": "where", "what": "what", "all": "all",
}

// Link links the terms of a text that come up for the first time on the page.
func (v *pageView) Link(s string) template.HTML { return v.linker.text(s) }

// LinkStep is Link for the sentences of steps, of which there may be very many:
// terms that come up late in a long story have come up before.
func (v *pageView) LinkStep(s stepView) template.HTML {
	if s.Number > 30 || !strings.HasPrefix(s.ID, "s") && len(v.Runs) > maxLeads {
		return template.HTML(escape(s.Sentence))
	}
	return v.linker.text(s.Sentence)
}

// Words explains the terms that were linked. The template asks for them last.
func (v *pageView) Words() []word { return v.linker.words() }

// StepNumber names a step.
func (v *pageView) StepNumber(n int) string { return say.StepNumber.With(say.Number(n)).In(v.language) }

// SeeStep leads to a step.
func (v *pageView) SeeStep(n int) string { return say.SeeStep.With(say.Number(n)).In(v.language) }

type pair struct{ Name, Value string }

type runView struct {
	ID, Prefix, Lock, Verdict string
	Cells                     []cellView
	Missed, Outcome           string
	Reasons                   []string
	Notice                    string
	Steps                     []stepView
	Strip, Diagram, TrueTime  template.HTML
	Everything                template.HTML
	EverythingSays            string
	Plot                      template.HTML
	Caption, PlotCaption      string
	Assumed, Formula          string
	Causes                    []causeView

	sentence   say.Phrase // the verdict in words, whether it stands at the top or here
	properties []string
	before     int // steps that are left out before the first one that is told
}

type cellView struct{ Class, Sign, Text string }

type stepView struct {
	ID, Label     string // Label: the step's name for those who have it read out
	Number        int
	At, Sentence  string
	Belief, Store string
	Note          string
	Bad           bool
}

type causeView struct{ Href, At, Text string }

// figureGroup is one kind of figure of all locks.
type figureGroup struct {
	Title, About string
	Figures      []figureView
	Absent       []string
}

type figureView struct {
	Lock    string
	SVG     template.HTML
	Caption string
	Table   table
}

func newPage(b *Bundle, stories []story, shared *figure, d richness, l say.Language) *pageView {
	v := &pageView{
		language: l,
		Title:    clean(b.title(l), maxLine), Seed: b.Seed, Backend: clean(b.Backend, maxName),
		Mode: say.Text("real servers").In(l), Length: say.OfTrueTime.With(say.Rounded(b.simulated())).In(l),
		Hash: clean(b.Hash, maxLine), Replay: clean(b.Replay, maxLine),
		Head: newHead(clean(b.title(l), maxLine), reportCSS).scripted("page.js"), Says: map[string]string{},
		Legend: legendFor(b.Backend, l), Shapes: template.HTML(shapes()), SetUp: setUp(b, l), Promises: promisesOf(b, l), linker: newLinker(l),
		Picture: template.HTML(picture(b, l)), // made by us, all texts escaped
	}
	if history.Simulated(b.Backend) {
		v.Mode = say.Text("simulated").In(l)
	}
	for id, text := range scriptSays { // order: none, a map again
		v.Says[id] = say.Text(text).In(l)
	}
	if p := b.Plan; p != nil {
		said := p.Prose(l)
		v.Story, v.Question, v.Lesson = clean(said.Story, maxProse), clean(said.Question, maxProse), clean(said.Lesson, maxProse)
		v.Origin = clean(said.Origin, maxProse)
	}
	props := b.properties()
	for _, p := range props {
		v.Properties = append(v.Properties, clean(p, maxName))
	}
	for i := range b.Runs {
		v.Runs = append(v.Runs, newRunView(&b.Runs[i], i, props, &stories[i], d))
		v.State = append(v.State, standingView(&b.Runs[i], &stories[i], &v.Runs[i]))
	}
	v.lead(l)
	v.Questions = predict(b, stories, v)
	v.Compared = compare(b, stories, v)
	v.align(b, stories, l)
	if i := max(b.worst(), 0); i < len(stories) {
		v.Flips = flips(b, i, &stories[i])
	}
	v.Evidence = evidenceOf(b, stories, v, d)
	if d.figures {
		v.measurements(stories, shared, l)
	} else {
		v.Left = say.Text("The measurements are left out to keep this page small; they are in plots/, beside it.").In(l)
	}
	return v
}

// maxLeads is how many locks get a sentence at the top of the report. Of more of
// them the matrix tells quicker.
const maxLeads = 4

// lead moves the verdicts in words to the top: each of a few locks, the sum of
// many.
func (v *pageView) lead(l say.Language) {
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
		sum := say.SomeBroke.With(say.Number(broke), say.Number(len(v.Runs)))
		if broke == len(v.Runs) {
			sum = say.AllBroke.With(say.Number(broke))
		}
		v.Leads = []string{sum.In(l)}
		return
	}
	for i := range v.Runs {
		v.Leads = append(v.Leads, v.Runs[i].Verdict)
		v.Runs[i].Verdict = "" // said already
	}
}

// maxAligned is how many locks stand below each other in one figure.
const maxAligned = 12

// align draws all locks below each other in true time.
func (v *pageView) align(b *Bundle, stories []story, l say.Language) {
	var list []timeStrip
	for i := range b.Runs {
		h := b.Runs[i].Judgement.History
		if h == nil || len(h.Events) == 0 {
			continue
		}
		s := timeStrip{run: &b.Runs[i], name: b.Runs[i].Lock, bars: stories[i].bars, differ: -1}
		if at := stories[i].differs; at >= 0 && at < len(stories[i].steps) {
			s.differ = stories[i].steps[at].At
		}
		list = append(list, s)
	}
	if len(list) > maxAligned {
		v.AlignedSays = say.FirstOfLocks.With(say.Number(maxAligned), say.Number(len(list))).In(l)
		list = list[:maxAligned]
	}
	if len(list) > 1 {
		v.Aligned = template.HTML(timeStrips(list, l)) // made by us, all texts escaped
	}
}

// measurements sorts the figures by kind. The distribution of waits follows the
// waits themselves.
func (v *pageView) measurements(stories []story, shared *figure, l say.Language) {
	for k, d := range drawers {
		g := figureGroup{Title: say.Text(d.title).In(l), About: say.Text(d.about).In(l)}
		absent := map[string]say.List{}
		var reasons []string
		for i := range stories {
			if k >= len(stories[i].figures) {
				continue
			}
			f := &stories[i].figures[k]
			if f.svg == nil {
				if absent[f.absent] == nil {
					reasons = append(reasons, f.absent)
				}
				absent[f.absent] = append(absent[f.absent], say.Verbatim(v.Runs[i].Lock))
				continue
			}
			g.Figures = append(g.Figures, figureView{
				Lock: v.Runs[i].Lock, SVG: template.HTML(f.svg), Caption: nice(f.caption.In(l)), Table: f.table,
			})
		}
		for _, why := range reasons {
			if len(absent[why]) == len(stories) {
				g.Absent = append(g.Absent, say.NothingToShow.With(say.Text(why)).In(l))
				continue
			}
			g.Absent = append(g.Absent, say.NotDrawnFor.With(absent[why], say.Text(why)).In(l))
		}
		v.Groups = append(v.Groups, g)
		if d.kind == "waits" && shared.svg != nil {
			v.Groups = append(v.Groups, figureGroup{
				Title:   say.Text("Distribution of the waits").In(l),
				About:   say.Text("Which share of the attempts that got the lock was over after how long.").In(l),
				Figures: []figureView{{SVG: template.HTML(shared.svg), Caption: nice(shared.caption.In(l)), Table: shared.table}},
			})
		}
	}
}

// standingView is the table of beliefs for the steps that are told.
func standingView(r *Run, st *story, v *runView) standing {
	if r.Judgement.History == nil {
		return standing{}
	}
	return standingOf(r.Judgement.History, st.steps[v.before:v.before+len(v.Steps)], st.language)
}
