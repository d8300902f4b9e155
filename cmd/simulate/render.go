package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/runpage"
	"lockstep/internal/report/trace"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// format is one form of a judged run.
type format struct {
	name    string
	summary string
	render  func(b *bundle.Bundle, l say.Language) ([]runstore.File, error)
}

// formats are all of them, in the order of the help.
var formats = []format{
	{"html", "report.html, for people", report},
	{"json", "result.json, the verdicts", oneFile("result.json", export.Result)},
	{"junit", "junit.xml, for CI servers", oneFile("junit.xml", export.JUnit)},
	{"trace", "trace.json, for ui.perfetto.dev", oneFile("trace.json", trace.Chrome)},
	{"md", "summary.md, for pull requests", oneFile("summary.md", func(b *bundle.Bundle) ([]byte, error) {
		return export.Summary(b, export.MaxSummary), nil
	})},
	{"shiviz", "shiviz.log, for ShiViz", oneFile("shiviz.log", func(b *bundle.Bundle) ([]byte, error) {
		return trace.Shiviz(b), nil
	})},
	{"edn", "history.edn, for the checkers of Jepsen", ednFiles},
	{"svg", "plots/*.svg", plots},
}

func formatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// pickFormats finds formats by name.
func pickFormats(names []string) ([]format, error) {
	var picked []format
	for _, name := range names {
		i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
		if i < 0 {
			hint := "choose from " + strings.Join(formatNames(), ", ")
			if near := scenario.Nearest(name, formatNames()); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, fmt.Errorf("unknown format %q: %s", name, hint)
		}
		picked = append(picked, formats[i])
	}
	return picked, nil
}

// render makes the files of some formats, the page in a language.
func render(chosen []format, language say.Language, b *bundle.Bundle) ([]runstore.File, error) {
	var files []runstore.File
	for _, f := range chosen {
		made, err := f.render(b, language)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
	}
	return files, nil
}

// report is the report for people. What a scenario says stays in its own language.
func report(b *bundle.Bundle, l say.Language) ([]runstore.File, error) {
	data, err := runpage.HTML(b, l)
	return []runstore.File{{Name: "report.html", Data: data}}, err
}

// oneFile is a format that is a single file.
func oneFile(name string, draw func(*bundle.Bundle) ([]byte, error)) func(*bundle.Bundle, say.Language) ([]runstore.File, error) {
	return func(b *bundle.Bundle, _ say.Language) ([]runstore.File, error) {
		data, err := draw(b)
		return []runstore.File{{Name: name, Data: data}}, err
	}
}

// ednFiles are the histories for other checkers, a file for each lock.
func ednFiles(b *bundle.Bundle, _ say.Language) ([]runstore.File, error) {
	var files []runstore.File
	for i := range b.Runs {
		name := "history.edn"
		if len(b.Runs) > 1 {
			name = fmt.Sprintf("history-%d-%s.edn", i+1, unfitForFiles.ReplaceAllString(b.Runs[i].Lock, "-"))
		}
		if h := b.Runs[i].Judgement.History; h != nil {
			files = append(files, runstore.File{Name: name, Write: func(w io.Writer) error { return trace.EDN(w, h) }})
		}
	}
	return files, nil
}

// unfitForFiles matches what a file name had better not have.
var unfitForFiles = regexp.MustCompile(`[^a-z0-9.-]+`)

// plots are the figures of the report as files.
func plots(b *bundle.Bundle, _ say.Language) ([]runstore.File, error) {
	drawn, err := figure.Plots(b)
	if err != nil {
		return nil, err
	}
	var files []runstore.File
	for _, p := range drawn {
		files = append(files, runstore.File{Name: "plots/" + p.Name + ".svg", Data: p.SVG})
	}
	return files, nil
}
