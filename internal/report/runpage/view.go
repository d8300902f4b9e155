package runpage

import (
	"html"
	"html/template"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// pageView is the view of the template. All texts are clean; the template escapes them.
type pageView struct {
	*bundle.Bundle
	Title, Subtitle, Mode, Backend, Length string
	Speed                                  string // relative to the scenario; "" at scale 1
	Said                                   plan.Texts
	Head                                   page.Head
	Leads                                  []string // the verdict in a sentence
	Properties                             []string
	Runs                                   []runView
	Lead                                   *runView  // whose story the page tells first
	Others                                 []runView // the other ones, folded
	SetUp                                  []pair
	Promises                               []promise
	Legend                                 []diagram.LegendItem
	Shapes                                 template.HTML
	Questions                              []question
	Compared                               *comparison
	Aligned                                template.HTML
	AlignedSays                            string
	Flips                                  []flip
	Groups                                 []figureGroup
	Left                                   string // about what the page leaves out to stay small
	Evidence                               evidence
	State                                  []beliefTable // for the script
	Says                                   map[string]any

	language say.Language
	linker   *page.Linker
	stories  []story
	leading  int // the run whose story comes first
	detail   richness
}

// scriptSays are the texts of the page's script.
var scriptSays = map[string]string{
	"step": "Step {n} of {of}, {at}:", "believes": "believes", "mine": "mine", "store": "the store has", "token": "highest token",
	"absent": "not shown", "copy": "Copy", "copied": "Copied", "copycommand": "Copy the command", "where": "where", "what": "what", "all": "all",
}

func (v *pageView) sentence(p say.Phrase) string { return sanitize.Sentence(p.In(v.language)) }

// Link links the terms of a text that occur for the first time on the page.
func (v *pageView) Link(s string) template.HTML { return v.linker.Text(s) }

// LinkStep is Link for the sentence of a step. To save time it skips late steps, whose terms have
// occurred before.
func (v *pageView) LinkStep(s stepView) template.HTML {
	sentence := v.sentence(s.Sentence)
	if s.Number > 30 || !strings.HasPrefix(s.ID, "s") && len(v.Runs) > maxLeads {
		return template.HTML(html.EscapeString(sentence))
	}
	return v.linker.Text(sentence)
}

// Words explains the linked terms. The template calls it last.
func (v *pageView) Words() []page.Word { return v.linker.Words() }

// StepLabel is the name of a step of a lock for screen readers.
func (v *pageView) StepLabel(lock string, s stepView) string {
	return say.StepOf.With(say.Verbatim(lock), say.Number(s.Number), say.Seconds(s.At), say.Flag(s.Violation)).In(v.language)
}

// StepNumber names a step.
func (v *pageView) StepNumber(n int) string { return say.StepNumber.With(say.Number(n)).In(v.language) }

// SeeStep is the text of a link to a step.
func (v *pageView) SeeStep(n int) string { return say.SeeStep.With(say.Number(n)).In(v.language) }

type pair struct{ Name, Value string }

type runView struct {
	Page                      *pageView
	ID, Prefix, Lock, Verdict string
	Impact                    checker.Impact
	Number                    int       // of the lock, from 0
	Leads                     bool      // the page tells its story first
	Sum                       page.Cell // its result in a word
	Folded                    string    // clients without a column in the diagram
	Cells                     []page.Cell
	Missed, Outcome           string
	Reasons                   []string
	Notice                    string
	Steps                     []stepView
	Strip, Diagram            template.HTML
	Plot                      template.HTML
	Caption, PlotCaption      string
	Assumed, Formula          string
	Causes                    []causeView

	sentence   say.Phrase // the verdict in words
	properties []string
	all, shown []explain.Step // all steps of the run, and those shown
	numbers    map[int32]int  // by event: the number of its step, if shown
}

type stepView struct {
	explain.Step
	ID     string
	Number int
}

type causeView struct{ Href, At, Text string }

// figureGroup is one kind of figure of all locks.
type figureGroup struct {
	Title, About string
	Figures      []page.Figure
	Absent       []string
}

func newPage(b *bundle.Bundle, stories []story, shared *figure.Figure, d richness, l say.Language) *pageView {
	played := each.Count(b.Runs, func(r *bundle.Run) bool { return r.Judgement.History != nil })
	v := &pageView{
		Bundle: b, language: l, stories: stories, leading: max(b.Worst(), 0), detail: d,
		Title: sanitize.Text(b.Title(l), sanitize.MaxLine), Subtitle: sanitize.Text(b.Subtitle(l), sanitize.MaxLine), Backend: sanitize.Text(b.Backend, sanitize.MaxName),
		Mode: say.Text("real servers").In(l), Length: say.RunsTook.With(say.Number(played), say.Rounded(b.Simulated()), say.Flag(history.Simulated(b.Backend))).In(l), Speed: b.Speed().In(l),
		Head: design.Head(sanitize.Text(b.Title(l), sanitize.MaxLine), page.ReportCSS, figure.CSS, strip.CSS), Says: page.Says(l, scriptSays),
		Legend: diagram.Legend(b.Backend, l), Shapes: template.HTML(diagram.Shapes()), SetUp: setUp(b, l), Promises: promisesOf(b, l), linker: page.NewLinker(l),
	}
	if b.Backend == history.Sim {
		v.Backend = "" // the mode says it
	}
	if history.Simulated(b.Backend) {
		v.Mode = say.Text("simulated").In(l)
	}
	if b.Plan != nil {
		v.Said = b.Plan.Prose(l)
	}
	props := b.Properties()
	v.Properties = b.PropertyNames(l)
	for i := range b.Runs {
		v.Runs = append(v.Runs, newRunView(&b.Runs[i], i, props, &stories[i], d))
		v.Runs[i].Page = v
		state := beliefTable{}
		if b.Runs[i].Judgement.History != nil {
			state = beliefTableOf(b.Runs[i].Timeline(), v.Runs[i].shown, l)
		}
		v.State = append(v.State, state)
	}
	v.lead()
	v.Questions = v.predict()
	v.Compared = v.compare()
	v.align()
	if v.leading < len(stories) {
		v.Flips = flips(b, v.leading, &stories[v.leading])
	}
	v.Evidence = v.evidence()
	if d.figures {
		v.measurements(shared)
	} else {
		v.Left = say.Text("The measurements are left out to keep this page small; simulate report draws them with --format svg.").In(l)
	}
	return v
}

// maxLeads is the number of locks above which a sum of their verdicts leads the report.
const maxLeads = 4

// lead moves the verdict of the lock whose story is told first to the top, after a sum of many
// locks. The other stories are folded.
func (v *pageView) lead() {
	for i := range v.Runs {
		if i == v.leading {
			v.Runs[i].Leads = true
			v.Lead = &v.Runs[i]
		} else {
			v.Others = append(v.Others, v.Runs[i])
		}
	}
	if v.Lead == nil {
		return
	}
	if len(v.Runs) > maxLeads {
		broke := each.Count(v.Bundle.Runs, bundle.AnyBroken)
		sum := say.SomeBroke.With(say.Number(broke), say.Number(len(v.Runs)))
		if broke == len(v.Runs) {
			sum = say.AllBroke.With(say.Number(broke))
		}
		v.Leads = []string{sum.In(v.language)}
	}
	v.Leads = append(v.Leads, v.Lead.Verdict)
	v.Lead.Verdict = "" // it is at the top
}

// maxAligned limits the locks below each other in one figure.
const maxAligned = 12

func (v *pageView) align() {
	stories := each.Map(v.stories, func(s story) bundle.Story { return s.Story })
	drawn, n := strip.Aligned(stories, maxAligned, v.language)
	if n > maxAligned {
		v.AlignedSays = say.FirstOfLocks.With(say.Number(maxAligned), say.Number(n)).In(v.language)
	}
	if n > 1 {
		v.Aligned = template.HTML(drawn) // our own HTML, with all texts escaped
	}
}

// measurements groups the figures by kind. The distribution of waits follows the waits themselves.
func (v *pageView) measurements(shared *figure.Figure) {
	stories, l := v.stories, v.language
	for k, d := range figure.Drawers {
		g := figureGroup{Title: say.Text(d.Title).In(l), About: say.Text(d.About).In(l)}
		var absent []int // the locks without this figure
		for i := range stories {
			switch {
			case k >= len(stories[i].figures):
			case stories[i].figures[k].SVG == nil:
				absent = append(absent, i)
			default:
				g.Figures = append(g.Figures, page.NewFigure(v.Runs[i].Lock, &stories[i].figures[k], l))
			}
		}
		for _, why := range each.Groups(absent, func(i int) string { return stories[i].figures[k].Absent }) {
			says := say.NothingToShow.With(say.Text(why.Key))
			if len(why.All) < len(stories) {
				locks := each.Map(why.All, func(i int) say.Part { return say.Verbatim(v.Runs[i].Lock) })
				says = say.NotDrawnFor.With(locks, say.Text(why.Key))
			}
			g.Absent = append(g.Absent, says.In(l))
		}
		v.Groups = append(v.Groups, g)
		if d.Kind == "waits" && shared.SVG != nil {
			v.Groups = append(v.Groups, figureGroup{
				Title:   say.Text("Distribution of the waits").In(l),
				About:   say.Text("For each length of wait, the share of successful attempts that had the lock by then.").In(l),
				Figures: []page.Figure{page.NewFigure("", shared, l)},
			})
		}
	}
}
