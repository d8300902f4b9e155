package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/page"
	"lockstep/internal/report/playpage"
	"lockstep/internal/say"
	"lockstep/internal/tour"
)

//go:embed *.html
var files embed.FS

//go:embed site.css
var siteCSS string

var templates = map[string]func(say.Language) *template.Template{
	"index.html": page.Template(files, "index.html", "bar.html"), "tour.html": page.Template(files, "tour.html", "bar.html"),
	"reference.html": page.Template(files, "reference.html", "bar.html"),
}

// pageView is what the templates see.
type pageView struct {
	Head     page.Head
	Up       string // the way to the root of the site: "../", or "" in it
	Home     string
	Links    []playpage.Link
	Other    playpage.Link // the same page in the other language; its Text is the language
	OtherIs  say.Language
	Body     template.HTML // of the reference
	Picture  template.HTML
	Caption  string
	Shapes   template.HTML
	Gallery  []playpage.Link
	Lessons  []lessonView
	Starters []playpage.Link
}

func (v *pageView) render(name string, l say.Language) ([]byte, error) {
	var buf bytes.Buffer
	if err := templates[name](l).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in %s: %w", name, err)
	}
	return buf.Bytes(), nil
}

// common is what the pages in both languages have.
func common(title, own string, l say.Language, css ...string) pageView {
	other := map[say.Language]say.Language{say.English: say.Chinese, say.Chinese: say.English}[l]
	v := pageView{
		Head: page.NewHead(title, append(css, barCSS, siteCSS)...), Home: home(l), Links: links(l, false), OtherIs: other,
		Other:  playpage.Link{Href: named(own, other), Text: map[say.Language]string{say.English: "English", say.Chinese: "中文"}[other]},
		Shapes: template.HTML(diagram.Shapes()),
	}
	if own == "index" {
		v.Other.Href = home(other)
	}
	return v
}

//go:embed bar.css
var barCSS string

// withBar puts the bar of the site over a page that the program has drawn, which knows nothing of the site.
func withBar(drawn []byte, own string, l say.Language) ([]byte, error) {
	v := common("", path.Base(own), l)
	if path.Dir(own) != "." {
		v.Up = "../"
	}
	var bar bytes.Buffer
	if err := templates["index.html"](l).ExecuteTemplate(&bar, "bar", &v); err != nil {
		return nil, fmt.Errorf("filling in the bar of %s: %w", own, err)
	}
	drawn = bytes.Replace(drawn, []byte("</head>"), []byte("<style>"+barCSS+"</style>\n</head>"), 1)
	return bytes.Replace(drawn, []byte("<body>"), append([]byte("<body>\n"), bar.Bytes()...), 1), nil
}

// indexPage leads to all others, and shows what it is about: the first lesson that breaks.
func indexPage(in *Input, l say.Language) ([]byte, error) {
	v := common("lockstep", "index", l, page.ReportCSS)
	for _, name := range in.Gallery {
		v.Gallery = append(v.Gallery, playpage.Link{Href: named("gallery/"+name, l), Text: in.Titles[l][name]})
	}
	for _, c := range in.Cards[l] {
		v.Starters = append(v.Starters, playpage.Link{Href: "playground/" + playpage.Name(l) + "#lesson=" + c.Name, Text: c.Title})
		if c.Name == "pause" {
			told := newToldView(c.First, c.Name+"-a", l) // its steps are told on the page of the tour
			v.Picture, v.Caption = template.HTML(strings.ReplaceAll(string(told.Picture), `href="#`, `href="`+named("tour", l)+`#`)), told.Verdict
		}
	}
	return v.render("index.html", l)
}

// lessonView is a lesson on the page of the tour.
type lessonView struct {
	tour.Card
	Heading, Try  string
	Answer        string
	First, Second toldView
}

// toldView is a run, told.
type toldView struct {
	Lock, Verdict string
	Class         string
	Picture       template.HTML
	Steps         []stepView
}

type stepView struct {
	ID                 string
	Number             int
	At, Sentence, Note string
	Truth              string
	Gap                string
	Bad                bool
}

// mostTold is how many steps of a run a lesson tells.
const mostTold = 14

func newToldView(p *tour.Played, prefix string, l say.Language) toldView {
	j := &p.Judgement
	nice := func(phrase say.Phrase) string { return clean.Sentence(phrase.In(l)) }
	v := toldView{Lock: clean.Text(p.Run.Lock, clean.MaxName), Verdict: nice(explain.Verdict(*j)), Class: string(checker.Unknown)}
	if j.Letter == checker.LetterSafe || j.Letter == checker.LetterDelay {
		v.Class = string(checker.Kept)
	}
	for _, f := range j.Findings {
		if f.Verdict == checker.Broken {
			v.Class = string(checker.Broken)
		}
	}
	steps, before, after := explain.Story(explain.Steps(j.History, j.Findings), mostTold)
	if drawn := diagram.NewLayout(j.History, steps, before == 0, after == 0); drawn != nil {
		v.Picture = template.HTML(diagram.Draw(drawn, bundle.BarsOf(j.History), prefix, l)) // made by us, all texts escaped
	}
	for i, s := range steps {
		var gap string
		if s.Skipped > 0 {
			gap = nice(say.StepsLeftOut.With(say.Grouped(s.Skipped)))
		}
		v.Steps = append(v.Steps, stepView{
			Gap: gap,
			ID:  fmt.Sprintf("%s%d", prefix, i+1), Number: i + 1, At: say.Seconds(s.At).In(l), Sentence: nice(s.Sentence), Note: nice(s.Note), Bad: s.Violation, Truth: nice(s.Belief),
		})
	}
	return v
}

// tourPage is the tour as one page to read: each lesson with both of its runs.
func tourPage(in *Input, l say.Language) ([]byte, error) {
	title := say.Text("The tour").In(l)
	v := common(title+" · lockstep", "tour", l, page.ReportCSS)
	for _, c := range in.Cards[l] {
		lesson := lessonView{
			Card: c, Heading: say.LessonIs.With(say.Number(c.Number), say.Number(len(in.Cards[l])), say.Both{English: c.Title, Chinese: c.Title}.Phrase()).In(l),
			Try:   "playground/" + playpage.Name(l) + "#lesson=" + c.Name,
			First: newToldView(c.First, c.Name+"-a", l), Second: newToldView(c.Second, c.Name+"-b", l),
		}
		if c.Right >= 0 {
			lesson.Answer = c.Answers[c.Right]
		}
		v.Lessons = append(v.Lessons, lesson)
	}
	return v.render("tour.html", l)
}
