// Package playpage draws the page of the playground: HTML, its style, its script and its worker.
// What the page shows of runs comes from the simulator, see package playground.
package playpage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/playground"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/page"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/tour"
	"lockstep/scenarios"
)

//go:embed playpage.html
var files embed.FS

//go:embed playpage.css
var style string

//go:embed playpage.js
var script []byte

//go:embed worker.js
var worker []byte

var pageTemplate = page.Template(files, "playpage.html")

// Policy lets the page do what it does and nothing else: its own scripts, its worker and the
// simulator, all from where it comes from.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// Names of the files beside the page. Program is the simulator, compressed; Go is what the
// distribution of Go has to start it with.
const (
	Program = "playground.wasm.gz"
	Go      = "wasm_exec.js"

	scriptFile = "playground.js"
)

// Scripts are the page's own scripts, by the names that it loads them under.
func Scripts() map[string][]byte {
	return map[string][]byte{scriptFile: append([]byte(diagram.CursorJS), script...), "worker.js": worker}
}

// Link leads to another page of the site.
type Link struct{ Href, Text string }

// option is one of a menu.
type option struct{ Value, Text string }

type chip struct {
	Kind, Text string
	Wire       bool
}

// view is what the template sees.
type view struct {
	Head             page.Head
	Shapes           template.HTML
	Home             string // of the site
	Links            []Link
	Other, OtherName string // the same page in the other language
	OtherLang        say.Language
	Controls         []playground.Setting
	Fences           []option
	Palette          []chip
	Stories          []option
	Lessons          []tour.Card
	Locks, Misprints []option
	Legend           []diagram.LegendItem
	Says             map[string]any
	Cards            []card
	Title            string
}

// card is a lesson as the script needs it.
type card struct {
	Name     string   `json:"name"`
	Heading  string   `json:"heading"`
	Story    string   `json:"story"`
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Right    int      `json:"right"` // index
	See      string   `json:"see"`
	Turn     string   `json:"turn"`
	Remember string   `json:"remember"`
	Start    string   `json:"start"` // the scenario to begin with
	Goal     []string `json:"goal"`  // facts of a frame's first lock: "mutual-exclusion kept"
}

// Names of the page in each language.
var names = map[say.Language]string{say.English: "index.html", say.Chinese: "zh.html"}

// Name is what the file of the page is called in a language.
func Name(l say.Language) string { return names[l] }

// HTML draws the page. home and links lead to the other pages of its site, from the folder above.
func HTML(cards []tour.Card, home string, links []Link, l say.Language) ([]byte, error) {
	word := func(english string) string { return say.Text(english).In(l) }
	v := view{
		Head: page.NewHead(word("Playground")+" · lockstep", page.ReportCSS, style).Loading(scriptFile, Policy), Shapes: template.HTML(diagram.Shapes()), Home: home, Links: links,
		Other: names[say.Chinese], OtherName: "中文", OtherLang: say.Chinese, Legend: diagram.Legend("sim", l), Lessons: cards, Says: wordsOf(l),
	}
	if l == say.Chinese {
		v.Other, v.OtherName, v.OtherLang = names[say.English], "English", say.English
	}
	for _, c := range playground.Controls() {
		c.Name = word(c.Name)
		v.Controls = append(v.Controls, c)
	}
	for _, w := range fences() {
		v.Fences = append(v.Fences, option{w.Word, word(w.Doc)})
	}
	for _, kind := range playground.Palette() {
		v.Palette = append(v.Palette, chip{kind, word(chips[kind]), playground.OnMessage(kind)})
	}
	for _, lock := range locks.Simulated() {
		menu := &v.Locks
		if locks.Misprint(lock.ID) {
			menu = &v.Misprints
		}
		*menu = append(*menu, option{lock.ID, lock.ID})
	}
	var err error
	if v.Stories, err = stories(l); err != nil {
		return nil, err
	}
	for i := range cards {
		v.Cards = append(v.Cards, newCard(&cards[i], len(cards), l))
	}
	var buf bytes.Buffer
	if err := pageTemplate(l).Execute(&buf, v); err != nil {
		return nil, fmt.Errorf("filling in the playground: %w", err)
	}
	return buf.Bytes(), nil
}

// chips are the faults of the palette, in words.
var chips = map[string]string{
	"pause": "pause", "crash": "crash", "cut-off": "cut off", "clock": "clock steps", "fail-over": "failover",
	"lose-request": "lose request", "lose-reply": "lose reply", "late-request": "late request", "late-reply": "late reply",
}

// fences are what the resource can check, and what that is.
func fences() []plan.Word {
	i := slices.IndexFunc(plan.WorkloadKeys.Keys, func(k plan.Key) bool { return k.Name == "fence" })
	return plan.WorkloadKeys.Keys[i].Words
}

// stories lists the shipped stories that a page can play.
func stories(l say.Language) (all []option, err error) {
	entries, err := fs.ReadDir(scenarios.Files, "lessons")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := scenarios.Files.ReadFile(path.Join("lessons", e.Name()))
		if err != nil {
			return nil, err
		}
		p, err := scenario.Parse(e.Name(), data)
		if err != nil {
			return nil, err
		}
		said := p.Prose(l)
		text := clean.Text(said.Name, clean.MaxLine)
		if said.Subtitle != "" {
			text += " · " + clean.Text(said.Subtitle, clean.MaxLine)
		}
		all = append(all, option{strings.TrimSuffix(e.Name(), ".yaml"), text})
	}
	slices.SortFunc(all, func(a, b option) int { return strings.Compare(a.Text, b.Text) })
	return all, nil
}

func newCard(c *tour.Card, of int, l say.Language) card {
	return card{
		Name: c.Name, Heading: say.LessonIs.With(say.Number(c.Number), say.Number(of), say.Both{English: c.Title, Chinese: c.Title}.Phrase()).In(l),
		Story: c.Story, Question: c.Question, Answers: c.Answers, Right: c.Right, See: c.See, Turn: c.Turn, Remember: c.Remember,
		Start: c.Start, Goal: c.Goal,
	}
}

// suggested are the locks that stand beside another one when somebody asks for one more.
var suggested = []string{"set-nx-lua", "watchdog-lua", "redlock", "etcd-mutex"}

// wordsOf are the words of the script, and what else it has to know.
func wordsOf(l say.Language) map[string]any {
	says := map[string]any{"most": playground.MaxLocks, "start": playground.Start, "begins": playground.Title(l), "suggest": suggested}
	for id, english := range map[string]string{ // order: none, a map again
		"kept": "✓ kept", "broken": "✗ broken", "unknown": "? unknown", "more": "Compare with another lock", "linked": "The link is copied.",
		"copied": "The scenario file is copied: simulate run FILE plays it.", "toolarge": "This file is larger than 1 MiB: a scenario is one short story.",
		"failed":   "The simulator does not start.",
		"noworker": "A browser runs it only from a server: simulate serve, or any static host.",
		"nowhere":  "Nothing was hit: drop it into a lane of the timeline, or onto an arrow of the diagram.",
		"step":     "Step {n} of {of}, {at}:",
		"turned":   "✓ Done: the lock holds now.", "next": "Go on:",
	} {
		says[id] = say.Text(english).In(l)
	}
	return says
}
