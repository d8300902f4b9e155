// Package page has what all pages share: their head, their policy, their style, the parts of their
// templates.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"lockstep/internal/say"
)

// Every page has the same head and the same policy: it may ask for nothing, and runs no
// script but its own, if it has one.

// parts are what the templates of all pages share.
//
//go:embed parts.html
var parts embed.FS

// pageCSS is what all pages look like.
//
//go:embed page.css
var pageCSS string

// MaxHTML is how large the page of a run and an index may become. Longer stories are cut, visibly.
const MaxHTML = 500_000

// ReportCSS is what the report of a run and a comparison need on top.
//
//go:embed report.css
var ReportCSS string

// Head is what stands in the head of a page.
type Head struct {
	Title  string // clean already
	Mark   string // by which the program knows a page as its own; "" for none
	Style  template.CSS
	Script template.JS // "" for none
	File   string      // of a script that the page loads; "" for none

	policy string // of a page that loads what it needs; "" for that of its script
}

// NewHead makes the head of a page without a script. own are its own styles, on top
// of those of all pages.
func NewHead(title string, own ...string) Head {
	return Head{Title: title, Style: template.CSS(pageCSS + strings.Join(own, ""))} // all of them are ours
}

// Scripted is the head of a page that has a script of its own. The page writes it with
// {{template "script" .Head}}.
func (h Head) Scripted(s Script) Head {
	h.Script = template.JS(s.text)
	return h
}

// Loading is the head of a page that loads a script from a file beside it, and whose policy says
// what else it may load.
func (h Head) Loading(file, policy string) Head {
	h.File, h.policy = file, policy
	return h
}

// Meta is the policy of the page, for a browser that opens it as a file.
func (h Head) Meta() template.HTML {
	if h.policy != "" {
		return metaOf(h.policy)
	}
	var own []string
	if h.Script != "" {
		own = append(own, string(h.Script))
	}
	return metaOf(policy(own...))
}

func metaOf(policy string) template.HTML {
	return template.HTML(`<meta http-equiv="Content-Security-Policy" content="` + policy + `">`) // nothing of it is foreign
}

// Script is the script of a page. A page has its script and the policy that lets it run from the
// same text, so they cannot come apart.
type Script struct{ name, text string }

// scripts are those of all pages that the program can draw.
var scripts []Script

// NewScript notes a script that pages of this program have.
func NewScript(name, text string) Script {
	s := Script{name, text}
	scripts = append(scripts, s)
	return s
}

// Policy is what all pages of this program together may do: a server that sends it lets
// no other script run.
func Policy() string {
	var all []string
	for _, s := range slices.SortedFunc(slices.Values(scripts), func(a, b Script) int { return strings.Compare(a.name, b.name) }) {
		all = append(all, s.text)
	}
	return policy(all...)
}

// SitePolicy is what the pages of the static site may do together: besides the scripts that Policy
// names, those of the playground, which are files of the site, its worker, and its simulator.
func SitePolicy() string {
	own := strings.NewReplacer("script-src", "script-src 'self' 'wasm-unsafe-eval'")
	p := own.Replace(Policy())
	if !strings.Contains(p, "script-src") {
		p = "script-src 'self' 'wasm-unsafe-eval'; " + p
	}
	return p + "; worker-src 'self'; connect-src 'self'"
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

// Templates are those of a page, one for each language.
type Templates func(say.Language) *template.Template

// Fill fills in the page in a language with what it shows.
func (t Templates) Fill(l say.Language, view any) ([]byte, error) {
	var buf bytes.Buffer
	if err := t(l).Execute(&buf, view); err != nil {
		return nil, fmt.Errorf("filling in the page: %w", err)
	}
	return buf.Bytes(), nil
}

// Template makes the template of a page for each language. The page asks for its head
// with {{template "head" .Head}}, for the table behind a figure with
// {{template "numbers" .Table}}, for a text of its own with {{say "Verdict"}}, and for one
// about a lock with {{of .Lock "table of events"}}. The first file is the page.
func Template(own embed.FS, files ...string) Templates {
	return say.OnceForEach(func(l say.Language) *template.Template {
		words := template.FuncMap{
			"lang": func() string { return string(l) },
			"foreign": func() template.HTMLAttr { // on what a scenario says, where the page is in another language
				if l == say.English {
					return ""
				}
				return ` translate="no"`
			},
			"say":  func(text string) template.HTML { return template.HTML(ours.Replace(say.Text(text).In(l))) },
			"unit": func() string { return say.AxisSeconds.With(say.Verbatim("")).In(l) }, // behind a script's seconds
			"of":   func(lock, text string) string { return say.OfLock.With(say.Verbatim(lock), say.Text(text)).In(l) },
		}
		page := template.Must(template.New(files[0]).Funcs(words).ParseFS(own, files...))
		return template.Must(page.ParseFS(parts, "parts.html"))
	})
}

// ours escapes a text of the templates. What stands in attributes html/template escapes further.
var ours = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Href is the address of a file on a relative way with slashes. What stands in a name can neither become
// another host nor a scheme.
func Href(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}
