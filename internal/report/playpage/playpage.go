// Package playpage draws the page of the playground: HTML, style, script and worker. Runs come from
// the simulator, see package playground.
package playpage

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/playground"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/tour"
	"lockstep/scenarios"
)

//go:embed *.html *.css
var files embed.FS

var design = page.NewDesign("playpage", files)

//go:embed *.js
var scripts embed.FS

// Policy allows only the page's own scripts, its worker and the simulator, all from the same
// origin.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// Names of the files beside the page. Program is the compressed simulator; Go is the script of the
// Go distribution that starts it.
const (
	Program = "playground.wasm.gz"
	Go      = "wasm_exec.js"

	scriptFile = "playground.js"
	frontFile  = "front.js"
)

// Scripts are the page's own scripts, by file name.
func Scripts() map[string][]byte {
	joined := func(first string, others ...string) []byte {
		for _, name := range others {
			text, _ := scripts.ReadFile(name)
			first += string(text)
		}
		return []byte(first)
	}
	return map[string][]byte{
		scriptFile: joined(diagram.CursorJS+strip.BeforeJS, "hands.js", "playpage.js"),
		frontFile:  joined(strip.BeforeJS, "hands.js", "front.js"), "worker.js": joined("", "worker.js"),
	}
}

// Link is a link to another page of the site.
type Link struct{ Href, Text string }

// option is an option of a menu.
type option struct{ Value, Text string }

// group is a group of options.
type group struct {
	Name    string
	Options []option
}

// view is the view of the template.
type view struct {
	Head             page.Head
	Shapes           template.HTML
	Home             string // of the site
	Links            []Link
	Other, OtherName string // the same page in the other language
	OtherLang        say.Language
	Controls         []playground.Setting
	Fences           []plan.Word
	Palette          []playground.Kind
	Stories          []option
	Lessons          []tour.Card
	Named            []option // the first locks of the menu
	Locks            []group
	Legend           []diagram.LegendItem
	Says             map[string]any
	Cards            []card
	Words            []page.Word
	First            playground.Frame
}

// card is a lesson for the script.
type card struct {
	tour.Card
	Heading string `json:"heading"`
	Story   string `json:"story"` // HTML: its terms link to their explanations
	Done    string `json:"done"`  // the text when the first lock of a frame reaches the goal
}

// Names of the page in each language.
var names = map[say.Language]string{say.English: "index.html", say.Chinese: "zh.html"}

// Name is the file name of the page in a language.
func Name(l say.Language) string { return names[l] }

// HTML draws the page. home and links lead to other pages of the site, relative to the folder
// above.
func HTML(cards []tour.Card, home string, links []Link, l say.Language) ([]byte, error) {
	word := func(english string) string { return say.Text(english).In(l) }
	v := view{
		Head: design.Head(word("Playground")+" · lockstep", page.ReportCSS, strip.CSS, strip.BeforeCSS).Loading(scriptFile, Policy), Shapes: template.HTML(diagram.Shapes()), Home: home, Links: links,
		Other: names[say.Chinese], OtherName: say.Text("English").In(say.Chinese), OtherLang: say.Chinese, Legend: diagram.Legend("sim", l), Lessons: cards, Says: wordsOf(l),
		Palette: playground.Palette, Controls: playground.Controls(),
	}
	if l == say.Chinese {
		v.Other, v.OtherName, v.OtherLang = names[say.English], "English", say.English
	}
	v.Fences = each.Find(plan.WorkloadKeys.Keys, func(k *plan.Key) bool { return k.Name == "fence" }).Words
	v.Named, v.Locks = lockMenu(l)
	var err error
	var descriptions map[string]string
	if v.Stories, descriptions, err = stories(l); err != nil {
		return nil, err
	}
	v.Says["stories"] = descriptions
	words := map[string]bool{}
	for i := range cards {
		terms := page.NewLinker(l) // one for each lesson, since only one is shown
		v.Cards = append(v.Cards, newCard(&cards[i], len(cards), terms, l))
		for _, w := range terms.Words() {
			if !words[w.ID] {
				words[w.ID] = true
				v.Words = append(v.Words, w)
			}
		}
	}
	if v.First, err = played(playground.Request{Settled: true, Language: l}); err != nil {
		return nil, err
	}
	return design.Fill(l, v)
}

// FrontHead is the head of a page at the root of the site with a timeline, and styles of its own.
func FrontHead(title string, own ...string) page.Head {
	h := design.Head(title, page.ReportCSS, strip.CSS, strip.BeforeCSS)
	h.Style += template.CSS(strings.Join(own, "")) // ours
	return h.Loading("playground/"+frontFile, Policy)
}

// Front is the timeline of the site's first page, played in advance.
func Front(l say.Language) (playground.Frame, error) {
	return played(playground.Request{Edit: playground.Edit{Open: playground.Front}, Timeline: true, Language: l})
}

func played(r playground.Request) (playground.Frame, error) {
	f := playground.New().Play(context.Background(), r)
	if len(f.Problems) > 0 {
		return f, fmt.Errorf("a story of the playground: %s", strings.Join(f.Problems, "; "))
	}
	return f, nil
}

// stories lists the shipped stories that a page can play, and their descriptions by title.
func stories(l say.Language) (all []option, descriptions map[string]string, err error) {
	descriptions = map[string]string{}
	entries, err := fs.ReadDir(scenarios.Files, "lessons")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		data, err := scenarios.Files.ReadFile(path.Join("lessons", e.Name()))
		if err != nil {
			return nil, nil, err
		}
		p, err := scenario.Parse(e.Name(), data)
		if err != nil {
			return nil, nil, err
		}
		prose := p.Prose(l)
		text := sanitize.Text(prose.Name, sanitize.MaxLine)
		descriptions[text] = sanitize.Text(strings.TrimSpace(prose.Story+" "+prose.Question), sanitize.MaxProse)
		if prose.Subtitle != "" {
			text += " · " + sanitize.Text(prose.Subtitle, sanitize.MaxLine)
		}
		all = append(all, option{strings.TrimSuffix(e.Name(), ".yaml"), text})
	}
	slices.SortFunc(all, func(a, b option) int { return strings.Compare(a.Text, b.Text) })
	return all, descriptions, nil
}

// named are the first locks of the menu.
var named = []string{"set-nx-ex-del", "set-nx-lua", "set-nx-incr-fence", "watchdog-lua", "redlock", "etcd-mutex", "zk-sequential", "pg-advisory"}

// lockMenu lists the locks that the page can play: the named ones, and all others in groups.
func lockMenu(l say.Language) (first []option, groups []group) {
	called := func(id string) option { return option{id, say.WithAside.With(locks.Name(id), say.Verbatim(id)).In(l)} }
	for _, english := range []string{"More designs", "More: bugs that were published", "More: misprints of texts"} {
		groups = append(groups, group{Name: say.Text(english).In(l)})
	}
	for _, lock := range locks.Simulated() {
		into := &groups[0].Options
		switch {
		case slices.Contains(named, lock.ID):
			continue
		case locks.Misprint(lock.ID):
			into = &groups[2].Options
		case lock.Bug != nil:
			into = &groups[1].Options
		}
		*into = append(*into, called(lock.ID))
	}
	return each.Map(named, called), groups
}

func newCard(c *tour.Card, of int, terms *page.Linker, l say.Language) card {
	return card{
		Card: *c, Heading: say.LessonIs.With(say.Number(c.Number), say.Number(of), say.Both{English: c.Title, Chinese: c.Title}.Phrase()).In(l),
		Story: string(terms.Text(c.Story)), Done: say.Text(done[c.Goal[0]]).In(l),
	}
}

// done are the texts for a completed lesson, by the first of its goals.
var done = map[string]string{
	"mutual-exclusion kept":   "Done: the lock holds now.",
	"mutual-exclusion broken": "Done: now two are inside.",
	"owner-only-release kept": "Done: each client removes its own key only.",
	"no-stale-write kept":     "Done: the data are safe now.",
	"no-lost-update kept":     "Done: the data are safe now.",
	"progress kept":           "Done: the others get in now.",
}

// suggested are the locks that the page adds one after the other.
var suggested = []string{"set-nx-lua", "watchdog-lua", "redlock", "etcd-mutex"}

// wordsOf are the texts and settings of the script.
func wordsOf(l say.Language) map[string]any {
	says := page.Says(l, map[string]string{
		"more": "Compare with another lock", "linked": "The link is copied.",
		"copied": "The scenario file is copied: simulate run FILE plays it.", "toolarge": "This file is larger than 1 MiB: a scenario is one short story.",
		"failed":   "The simulator cannot start.",
		"noworker": "A browser runs it only from a server: simulate serve, or any static host.",
		"nowhere":  "Nothing was hit: drop it onto a lane of the timeline, or onto an arrow of the diagram.",
		"only":     "This one is for: {nodes}", "none": "no lane of this lock",
		"step": "Step {n} of {of}, {at}:",
		"next": "Go on:", "right": "Right.", "tale": "The story",
	})
	says["most"], says["suggest"] = playground.MaxLocks, suggested
	says["start"], says["begins"] = playground.Start, playground.Title(l)
	return says
}
