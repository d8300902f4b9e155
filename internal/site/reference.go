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

// markdown reads the pages of simulate dev docs. HTML in them is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// referenceInto adds the reference, as HTML.
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

// referenceName is the page for a Markdown file below docs/.
func referenceName(name string) string {
	base := strings.TrimSuffix(name, ".md")
	if path.Base(base) == "README" {
		base = path.Join(path.Dir(base), "index")
	}
	return "reference/" + base + ".html"
}

// chinese is the Chinese page of the reference.
const chinese = "zh.md"

func referencePage(name string, in *Input) ([]byte, error) {
	source := in.Docs[name]
	if _, rest, ok := bytes.Cut(source, []byte("-->\n")); ok && bytes.HasPrefix(source, []byte("<!--")) {
		source = rest // without the comment that names its source
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
		Body: template.HTML(dead.ReplaceAllString(body.String(), "$1")), // from our docs, without embedded HTML
	}
	return reference.Fill(l, v)
}

// upFrom is the path from the page for a Markdown file to the root of the site.
func upFrom(name string) string {
	return strings.Repeat("../", strings.Count(referenceName(name), "/"))
}

// searched is the address that plays a story of the search in the playground, by the story's name;
// "" if there is none.
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

// toPlay are the places on a page for a link to the playground: each names a story of the search.
var toPlay = regexp.MustCompile(`<span data-play="([^"]*)"></span>`)

// withStories links the stories of a page to the playground; up is the path to the root.
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

// nowhere is the target of a link to a file that the site does not have. Only its text is kept.
const nowhere = "nowhere:"

var dead = regexp.MustCompile(`<a href="` + nowhere + `">(.*?)</a>`)

// leads is the target on the site for a link of a Markdown page: a page, or for a story the
// playground, which plays it with the lock that the page is about.
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

// playable is the address that plays a story in the playground; "" if it cannot be played there.
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

// unplayed are the parts of a scenario that the simulator ignores.
var unplayed = regexp.MustCompile(`^(level|story|question|lesson|origin|expect|zh):`)

// played is the text of a scenario without comments and prose, for a short link.
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
