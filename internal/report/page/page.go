// Package page has the shared parts of all pages: head, policy, style, templates.
package page

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"

	"lockstep/internal/each"
)

// Every page has the same head and the same policy: it may request nothing, and run only its own
// script.

// pageCSS is the style of all pages.
//
//go:embed page.css
var pageCSS string

// MaxHTML limits the size of the page of a run and of an index. Longer stories are cut, and the
// page says so.
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
	Script template.JS // which the page writes with {{template "script" .Head}}; "" for none
	File   string      // of a script that the page loads; "" for none

	policy string // of a page that loads files; "" for the policy of its script
}

// NewHead makes the head of a page. own are its styles besides that of all pages.
func NewHead(title string, own ...string) Head {
	return Head{Title: title, Style: template.CSS(pageCSS + strings.Join(own, ""))} // all of them are ours
}

// Loading is the head of a page that loads a script from a file beside it. policy says what else it
// may load.
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

// scripts are the scripts of all pages that the program can draw, by the names of the pages.
var scripts = map[string]string{}

// Policy is the common policy of all pages of this program: with it, a server allows no other
// script.
func Policy() string {
	names := slices.Sorted(maps.Keys(scripts))
	return policy(each.Map(names, func(name string) string { return scripts[name] })...)
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

// policy allows the texts of scripts by their hashes, and inline styles: see DESIGN.md.
func policy(texts ...string) string {
	p := "default-src 'none'; style-src 'unsafe-inline'; "
	for i, text := range texts {
		if i == 0 {
			p += "script-src"
		}
		sum := sha256.Sum256([]byte(text))
		p += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	if len(texts) > 0 {
		p += "; "
	}
	return p + "img-src data:; base-uri 'none'; form-action 'none'"
}

// Href is the address of a file at a relative path with slashes. No name can become a host or a
// scheme.
func Href(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}
