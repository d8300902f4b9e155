package report

import (
	_ "embed"
	"html/template"
	"strings"
)

// Every page has the same head and the same policy: it may ask for nothing, and runs no
// script but its own, if it has one.

//go:embed parts.html
var partsHTML string

// pageCSS is what all pages look like.
//
//go:embed page.css
var pageCSS string

// pageHead is what stands in the head of a page.
type pageHead struct {
	Title    string // clean already
	Foreign  bool   // the title is a scenario's, and stays in its language
	Scripted bool
	Mark     string // by which the program knows a page as its own; "" for none
	Style    template.CSS
}

// newHead makes the head of a page without a script. own are its own styles, on top
// of those of all pages.
func newHead(title string, own ...string) pageHead {
	return pageHead{Title: title, Style: template.CSS(pageCSS + strings.Join(own, ""))} // all of them are ours
}

// scripted is the head of a page that has a script of its own.
func (h pageHead) scripted() pageHead {
	h.Scripted = true
	return h
}

// foreign is the head of a page whose title stays in the language of its scenario.
func (h pageHead) foreign() pageHead {
	h.Foreign = true
	return h
}

// pageTemplate makes the template of a page, which asks for its head with
// {{template "head" .Head}}, and for the table behind a figure with
// {{template "numbers" .Table}}.
func pageTemplate(name, text string) *template.Template {
	return template.Must(template.Must(template.New(name).Parse(partsHTML)).Parse(text))
}
