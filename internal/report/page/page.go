// Package page has the shared parts of all pages: head, policy, style, templates.
package page

import (
	"bytes"
	"cmp"
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

// Every page has the same head and the same policy: it may request nothing, and run only its own script.

// parts are the templates that all pages share.
//
//go:embed parts.html
var parts embed.FS

// pageCSS is the style of all pages.
//
//go:embed page.css
var pageCSS string

// MaxHTML limits the size of the page of a run and of an index. Longer stories are cut, and the page
// says so.
const MaxHTML = 500_000

// ReportCSS is the further style of the report of a run and of a comparison.
//
//go:embed report.css
var ReportCSS string

// Head is the head of a page.
type Head struct {
	Title  string // clean already
	Mark   string // by which the program recognises its own page; "" for none
	Style  template.CSS
	Script template.JS // "" for none
	File   string      // of a script that the page loads; "" for none

	policy string // of a page that loads files; "" for the policy of its script
}

// NewHead makes the head of a page without a script. own are its styles besides that of all pages.
func NewHead(title string, own ...string) Head {
	return Head{Title: title, Style: template.CSS(pageCSS + strings.Join(own, ""))} // all of them are ours
}

// Scripted is the head of a page with a script of its own, which the page writes with
// {{template "script" .Head}}.
func (h Head) Scripted(s Script) Head {
	h.Script = template.JS(s.text)
	return h
}

// Loading is the head of a page that loads a script from a file beside it. policy says what else it may
// load.
func (h Head) Loading(file, policy string) Head {
	h.File, h.policy = file, policy
	return h
}

// Meta is the policy of the page, for a browser that opens it as a file.
func (h Head) Meta() template.HTML {
	var own []string
	if h.Script != "" {
		own = append(own, string(h.Script))
	}
	// The policy contains no foreign text.
	return template.HTML(`<meta http-equiv="Content-Security-Policy" content="` + cmp.Or(h.policy, policy(own...)) + `">`)
}

// Script is the script of a page. The page and its policy use the same text, so the policy always allows
// the script.
type Script struct{ name, text string }

// scripts are the scripts of all pages that the program can draw.
var scripts []Script

// NewScript registers a script of a page.
func NewScript(name, text string) Script {
	s := Script{name, text}
	scripts = append(scripts, s)
	return s
}

// Policy is the common policy of all pages of this program: with it, a server allows no other script.
func Policy() string {
	var all []string
	for _, s := range slices.SortedFunc(slices.Values(scripts), func(a, b Script) int { return strings.Compare(a.name, b.name) }) {
		all = append(all, s.text)
	}
	return policy(all...)
}

// SitePolicy is the common policy of the pages of the static site. Besides the scripts of Policy it
// allows the playground's scripts, worker and simulator, which are files of the site.
func SitePolicy() string {
	p := strings.ReplaceAll(Policy(), "script-src", "script-src 'self' 'wasm-unsafe-eval'")
	if !strings.Contains(p, "script-src") {
		p = "script-src 'self' 'wasm-unsafe-eval'; " + p
	}
	return p + "; worker-src 'self'; connect-src 'self'"
}

// policy allows scripts by their hashes, and inline styles: see DESIGN.md.
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

// Templates are the templates of a page, one for each language.
type Templates func(say.Language) *template.Template

// Fill fills in the page in a language with its view.
func (t Templates) Fill(l say.Language, view any) ([]byte, error) {
	var buf bytes.Buffer
	if err := t(l).Execute(&buf, view); err != nil {
		return nil, fmt.Errorf("filling in the page: %w", err)
	}
	return buf.Bytes(), nil
}

// Template makes the template of a page for each language. The first file is the page. It uses
// {{template "head" .Head}} for its head, {{template "numbers" .Table}} for the table of a figure,
// {{say "Verdict"}} for a text, and {{of .Lock "table of events"}} for a text about a lock.
func Template(own embed.FS, files ...string) Templates {
	return say.OnceForEach(func(l say.Language) *template.Template {
		words := template.FuncMap{
			"lang": func() string { return string(l) },
			"foreign": func() template.HTMLAttr { // for texts of a scenario on a page in another language
				if l == say.English {
					return ""
				}
				return ` translate="no"`
			},
			"say":  func(text string) template.HTML { return template.HTML(ours.Replace(say.Text(text).In(l))) },
			"unit": func() string { return say.AxisSeconds.With(say.Verbatim("")).In(l) }, // after seconds of a script
			"of":   func(lock, text string) string { return say.OfLock.With(say.Verbatim(lock), say.Text(text)).In(l) },
		}
		page := template.Must(template.New(files[0]).Funcs(words).ParseFS(own, files...))
		return template.Must(page.ParseFS(parts, "parts.html"))
	})
}

// ours escapes a text of the templates. html/template escapes further in attributes.
var ours = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Href is the address of a file at a relative path with slashes. No name can become a host or a scheme.
func Href(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}
