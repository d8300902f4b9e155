package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path"

	"lockstep/internal/playground"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/page"
	"lockstep/internal/report/playpage"
	"lockstep/internal/say"
)

//go:embed *.html
var files embed.FS

//go:embed site.css
var siteCSS string

var index, reference = page.NewDesign("index", files), page.NewDesign("reference", files)

// pageView is the data of the templates.
type pageView struct {
	Head              page.Head
	Up                string // the path to the root of the site, such as "../"
	Home              string
	Links             []playpage.Link
	Other             playpage.Link // the same page in the other language; its Text is the language
	OtherIs           say.Language
	Body              template.HTML // of the reference
	Shapes            template.HTML
	Front, First      playground.Frame // of the first page: the frame it shows, and the input of its script
	Stage             template.HTML
	Start             playpage.Link
	WhichLock, Matrix string
	Gallery           []playpage.Link
}

// common is the data of pages that exist in both languages.
func common(title, own string, l say.Language, css ...string) pageView {
	other := map[say.Language]say.Language{say.English: say.Chinese, say.Chinese: say.English}[l]
	v := pageView{
		Head: page.NewHead(title, append(css, barCSS, siteCSS)...), Home: home(l), Links: links(l, false), OtherIs: other,
		Other:  playpage.Link{Href: named(own, other), Text: say.Text("English").In(other)},
		Shapes: template.HTML(diagram.Shapes()),
	}
	if own == "index" {
		v.Other.Href = home(other)
	}
	return v
}

//go:embed bar.css
var barCSS string

// withBar adds the navigation bar of the site to a page of the program.
func withBar(drawn []byte, own string, l say.Language) ([]byte, error) {
	v := common("", path.Base(own), l)
	if path.Dir(own) != "." {
		v.Up = "../"
	}
	bar, err := index.Part(l, "bar", &v)
	if err != nil {
		return nil, fmt.Errorf("the bar of %s: %w", own, err)
	}
	drawn = bytes.Replace(drawn, []byte("</head>"), []byte("<style>"+barCSS+"</style>\n</head>"), 1)
	return bytes.Replace(drawn, []byte("<body>"), append([]byte("<body>\n"), bar...), 1), nil
}

// indexPage shows a lock that breaks, and has a prominent link for newcomers.
func indexPage(in *Input, l say.Language) ([]byte, error) {
	front, err := playpage.Front(l)
	if err != nil {
		return nil, err
	}
	v := common("lockstep", "index", l)
	v.WhichLock, v.Matrix = named("which-lock", l), named("matrix", l)
	v.Head, v.Front = playpage.FrontHead("lockstep", barCSS, siteCSS), front
	v.First = playground.Frame{File: front.File, Window: front.Window}
	v.Stage = template.HTML(front.Locks[0].Stage) // generated, with all texts escaped
	for _, name := range in.Gallery {
		v.Gallery = append(v.Gallery, playpage.Link{Href: named("gallery/"+name, l), Text: in.Titles[l][name]})
	}
	n := len(in.Cards[l])
	v.Start = playpage.Link{
		Href: "playground/" + playpage.Name(l) + "#lesson=" + in.Cards[l][0].Name,
		Text: say.StartHere.With(say.Number(n), say.Number(n*minutesOfThree/30*10)).In(l),
	}
	return index.Fill(l, v)
}

// minutesOfThree is how long three lessons take, with reading, guessing and the change.
const minutesOfThree = 8
