package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"

	"lockstep/internal/say"
)

// Every page has the same head and the same policy: it may ask for nothing, and runs no
// script but its own, if it has one.

// scripts are those of all pages. A page has its script and the policy that lets it run
// from the same text, so they cannot come apart.
//
//go:embed *.js
var scripts embed.FS

// pageFiles are the templates of all pages.
//
//go:embed *.html
var pageFiles embed.FS

// pageCSS is what all pages look like.
//
//go:embed page.css
var pageCSS string

// pageHead is what stands in the head of a page.
type pageHead struct {
	Title  string // clean already
	Mark   string // by which the program knows a page as its own; "" for none
	Style  template.CSS
	Script template.JS // "" for none
}

// newHead makes the head of a page without a script. own are its own styles, on top
// of those of all pages.
func newHead(title string, own ...string) pageHead {
	return pageHead{Title: title, Style: template.CSS(pageCSS + strings.Join(own, ""))} // all of them are ours
}

// scripted is the head of a page that has a script of its own, in a file of scripts. The
// page writes it with {{template "script" .Head}}.
func (h pageHead) scripted(file string) pageHead {
	h.Script = template.JS(scriptOf(file))
	return h
}

// Meta is the policy of the page, for a browser that opens it as a file.
func (h pageHead) Meta() template.HTML {
	var own []string
	if h.Script != "" {
		own = append(own, string(h.Script))
	}
	return template.HTML(`<meta http-equiv="Content-Security-Policy" content="` + policy(own...) + `">`) // nothing of it is foreign
}

func scriptOf(file string) string {
	text, err := scripts.ReadFile(file)
	if err != nil {
		panic(err) // it is embedded, and a test draws each page
	}
	return string(text)
}

// Policy is what all pages of this program together may do: a server that sends it lets
// no other script run.
func Policy() string {
	files, err := scripts.ReadDir(".")
	if err != nil {
		panic(err) // it is embedded
	}
	var all []string
	for _, f := range files {
		all = append(all, scriptOf(f.Name()))
	}
	return policy(all...)
}

// policy lets these scripts run, which it names by their hashes. Styles may be within the
// page: see DESIGN.md.
func policy(scripts ...string) string {
	p := "default-src 'none'; style-src 'unsafe-inline'; "
	for i, text := range scripts {
		if i == 0 {
			p += "script-src"
		}
		sum := sha256.Sum256([]byte(text))
		p += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	if len(scripts) > 0 {
		p += "; "
	}
	return p + "img-src data:; base-uri 'none'; form-action 'none'"
}

// pageTemplate makes the template of a page for each language. The page asks for its head
// with {{template "head" .Head}}, for the table behind a figure with
// {{template "numbers" .Table}}, for a text of its own with {{say "Verdict"}}, and for one
// about a lock with {{of .Lock "table of events"}}.
func pageTemplate(files ...string) func(say.Language) *template.Template {
	return say.OnceForEach(func(l say.Language) *template.Template {
		words := template.FuncMap{
			"lang": func() string { return string(l) },
			"foreign": func() template.HTMLAttr { // on what a scenario says, where the page is in another language
				if l == say.English {
					return ""
				}
				return ` translate="no"`
			},
			"say": func(text string) template.HTML { return template.HTML(ours.Replace(say.Text(text).In(l))) },
			"of":  func(lock, text string) string { return say.OfLock.With(say.Verbatim(lock), say.Text(text)).In(l) },
		}
		return template.Must(template.New(files[0]).Funcs(words).ParseFS(pageFiles, append(files, "parts.html")...))
	})
}

// ours escapes a text of the templates. What stands in attributes html/template escapes further.
var ours = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
