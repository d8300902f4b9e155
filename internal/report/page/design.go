package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// parts are the templates that all pages share.
//
//go:embed parts.html
var parts embed.FS

// Design is what the pages of one kind have in common: template, style and script.
type Design struct {
	name, style, script string
	template            func(say.Language) *template.Template
}

// NewDesign reads NAME.html, which may use the other templates among the files, and NAME.css and
// NAME.js if they exist. Earlier are scripts that go before the latter.
func NewDesign(name string, files embed.FS, earlier ...string) *Design {
	style, _ := files.ReadFile(name + ".css") // most pages have one
	d := &Design{name: name + ".html", style: string(style)}
	if script, err := files.ReadFile(name + ".js"); err == nil {
		d.script = strings.Join(earlier, "") + string(script)
		scripts[name] = d.script
	}
	d.template = say.OnceForEach(func(l say.Language) *template.Template {
		page := template.Must(template.New(d.name).Funcs(words(l)).ParseFS(files, "*.html"))
		return template.Must(page.ParseFS(parts, "parts.html"))
	})
	return d
}

// words are the functions of templates for texts in a language. All texts of scenarios, histories
// and logs go through name, line, prose or in, which clean them.
func words(l say.Language) template.FuncMap {
	clean := func(limit int) func(text any) string {
		return func(text any) string {
			if p, ok := text.(say.Part); ok {
				return sanitize.Text(p.In(l), limit)
			}
			return sanitize.Text(fmt.Sprint(text), limit)
		}
	}
	return template.FuncMap{
		"name": clean(sanitize.MaxName), "line": clean(sanitize.MaxLine), "prose": clean(sanitize.MaxProse),
		"brief": clean(120), "lines": sanitize.Lines, "words": func(all []string) string { return strings.Join(all, " ") },
		"in": func(p say.Part) string { return sanitize.Sentence(p.In(l)) }, "sentence": sanitize.Sentence,
		"at": func(i history.Instant) say.Part { return say.Seconds(i) },
		"gap": func(steps int) string {
			if steps <= 0 {
				return ""
			}
			return say.StepsLeftOut.With(say.Grouped(steps)).In(l)
		},
		"lang": func() string { return string(l) },
		"foreign": func() template.HTMLAttr { // for texts of a scenario on a page in another language
			if l == say.English {
				return ""
			}
			return ` translate="no"`
		},
		"text": say.Text,
		"say":  func(text string) template.HTML { return template.HTML(ours.Replace(say.Text(text).In(l))) },
		"unit": func() string { return say.AxisSeconds.With(say.Verbatim("")).In(l) }, // of a script
		"of": func(lock any, text string) string {
			name := say.Verbatim(sanitize.Text(fmt.Sprint(lock), sanitize.MaxName))
			return say.OfLock.With(name, say.Text(text)).In(l)
		},
	}
}

// Says are the texts of a script in a language, by their names there.
func Says(l say.Language, english map[string]string) map[string]any {
	says := map[string]any{}
	for id, text := range english { // order: none, a map again
		says[id] = say.Text(text).In(l)
	}
	return says
}

// ours escapes a text of the templates. html/template escapes further in attributes.
var ours = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Head is the head of a page, which also has the styles of what it shows.
func (d *Design) Head(title string, styles ...string) Head {
	h := NewHead(title, append(styles, d.style)...)
	h.Script = template.JS(d.script)
	return h
}

// Fill fills in the page in a language with its view.
func (d *Design) Fill(l say.Language, view any) ([]byte, error) { return d.Part(l, d.name, view) }

// Part fills in one of the templates of the page.
func (d *Design) Part(l say.Language, name string, view any) ([]byte, error) {
	var buf bytes.Buffer
	if err := d.template(l).ExecuteTemplate(&buf, name, view); err != nil {
		return nil, fmt.Errorf("filling in the page: %w", err)
	}
	return buf.Bytes(), nil
}
