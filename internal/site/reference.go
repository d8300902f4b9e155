package site

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"lockstep/internal/campaign/explore"
	"lockstep/internal/playground"
	"lockstep/internal/report/page"
	"lockstep/internal/report/playpage"
	"lockstep/internal/say"
)

// markdown reads what simulate dev docs has written. HTML in it is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// referenceInto adds the reference: each page of Markdown as one of HTML.
func referenceInto(out Tree, in *Input) error {
	for _, name := range slices.Sorted(maps.Keys(in.Docs)) {
		if path.Ext(name) != ".md" {
			continue
		}
		data, err := referencePage(name, in)
		if err != nil {
			return fmt.Errorf("reference, %s: %w", name, err)
		}
		out[referenceName(name)] = data
	}
	return nil
}

// referenceName is the page of a file of Markdown below docs/.
func referenceName(name string) string {
	base := strings.TrimSuffix(name, ".md")
	if path.Base(base) == "README" {
		base = path.Join(path.Dir(base), "index")
	}
	return "reference/" + base + ".html"
}

// chinese is the page of the reference that is in Chinese.
const chinese = "zh.md"

func referencePage(name string, in *Input) ([]byte, error) {
	source := in.Docs[name]
	if _, rest, ok := bytes.Cut(source, []byte("-->\n")); ok && bytes.HasPrefix(source, []byte("<!--")) {
		source = rest // where it comes from
	}
	doc := markdown.Parser().Parse(text.NewReader(source))
	title := "lockstep"
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Level == 1 {
				title = plain(n, source)
			}
		case *ast.Link:
			if entering {
				n.Destination = []byte(leads(string(n.Destination), name, in))
			}
		case *ast.CodeSpan:
			if address := in.searched(plain(n, source)); entering && address != "" {
				to := ast.NewLink()
				to.Destination = []byte(upFrom(name) + "playground/index.html#" + address)
				n.Parent().ReplaceChild(n.Parent(), n, to)
				to.AppendChild(to, n)
				return ast.WalkSkipChildren, nil
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, source, doc); err != nil {
		return nil, err
	}
	l := say.English
	if name == chinese {
		l = say.Chinese
	}
	v := pageView{
		Head: page.NewHead(title+" · lockstep", barCSS, siteCSS), Up: upFrom(name), Home: home(l), Links: links(l, false),
		Body: template.HTML(withoutDead(body.String())), // of our own docs, without HTML in them
	}
	return v.render("reference.html", l)
}

// upFrom leads from the page of a file of Markdown to the root of the site.
func upFrom(name string) string {
	return strings.Repeat("../", strings.Count(referenceName(name), "/"))
}

// searched is the address by which the playground plays a story of the search, by its name; "" when there is none.
func (in *Input) searched(name string) string {
	lock, set, ok := strings.Cut(name, "/")
	if !ok || in.Explored == nil {
		return ""
	}
	for i := range in.Explored.Locks {
		l := &in.Explored.Locks[i]
		if l.Lock != lock {
			continue
		}
		if shown := l.Story(set); shown != nil {
			if data, err := explore.Scenario(&in.Explored.Scope, lock, shown); err == nil {
				return playground.Address(played(string(data)))
			}
		}
	}
	return ""
}

// toPlay are the places on a drawn page that lead to the playground on the site: each names a story of the search.
var toPlay = regexp.MustCompile(`<span data-play="([^"]*)"></span>`)

// withStories links the stories of a drawn page to the playground; up leads from the page to the root.
func (in *Input) withStories(drawn []byte, up string, l say.Language) []byte {
	return toPlay.ReplaceAllFunc(drawn, func(span []byte) []byte {
		address := in.searched(html.UnescapeString(string(toPlay.FindSubmatch(span)[1])))
		if address == "" {
			return span
		}
		return fmt.Appendf(nil, ` <a class="play" href="%s">%s</a>`, html.EscapeString(up+"playground/"+playpage.Name(l)+"#"+address), say.Text("play it").In(l))
	})
}

// plain is the text of a heading.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
		} else {
			b.WriteString(plain(c, source))
		}
	}
	return strings.ReplaceAll(b.String(), `\`, "")
}

// nowhere marks a link to a file that the site does not have: its words stay, and the link goes.
const nowhere = "nowhere:"

var dead = regexp.MustCompile(`<a href="` + nowhere + `">(.*?)</a>`)

func withoutDead(body string) string { return dead.ReplaceAllString(body, "$1") }

// leads is where a link of a page of Markdown leads to on the site: pages to pages, and a story to
// the playground, which plays it with the lock that the page is about.
func leads(to, name string, in *Input) string {
	target, anchor, _ := strings.Cut(to, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	if u, err := url.Parse(to); err != nil || u.Scheme != "" || target == "" {
		return to
	}
	target, err := url.PathUnescape(target)
	if err != nil {
		return nowhere
	}
	file := path.Join("docs", path.Dir(name), target)
	up := upFrom(name)
	if below, ok := strings.CutPrefix(file, "docs/"); ok && path.Ext(below) == ".md" && in.Docs[below] != nil {
		return up + referenceName(below) + anchor
	}
	if story, ok := strings.CutPrefix(file, "scenarios/"); ok {
		lock := ""
		if path.Dir(name) == "locks" {
			lock = strings.TrimSuffix(path.Base(name), ".md")
		}
		if address := playable(story, lock, in); address != "" {
			return up + "playground/index.html#" + address
		}
	}
	return nowhere
}

// locksLine is the line of a scenario that names its locks.
var locksLine = regexp.MustCompile(`(?m)^locks: .*$`)

// playable is the address by which the playground plays a story, "" when it cannot.
func playable(story, lock string, in *Input) string {
	data := in.Scenarios[story]
	folder, name := path.Dir(story), strings.TrimSuffix(path.Base(story), ".yaml")
	switch {
	case data == nil || folder == "libraries":
		return ""
	case folder == "lessons" || folder == "search" || folder == "bugs":
		return playground.StoryAddress(name, lock)
	case lock != "":
		data = locksLine.ReplaceAll(data, []byte("locks: ["+lock+"]"))
	}
	return playground.Address(played(string(data)))
}

// unplayed are the parts of a scenario that say nothing to the simulator.
var unplayed = regexp.MustCompile(`^(level|story|question|lesson|origin|expect|zh):`)

// played is the text of a scenario without comments and what only people read, so that its link
// stays short.
func played(file string) string {
	var kept []string
	skip := false
	for _, line := range strings.Split(file, "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			skip = unplayed.MatchString(line)
		}
		if trimmed := strings.TrimSpace(line); !skip && trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
