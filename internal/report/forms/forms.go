// Package forms makes the files of a judged run: its page, its figures, its results for programs.
package forms

import (
	"fmt"
	"io"
	"slices"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/export"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/runpage"
	"lockstep/internal/report/trace"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

// Form is one form of a judged run.
type Form struct {
	Name    string
	Summary string
	Always  bool // every run directory has it; the others are written for those who ask
	render  func(b *bundle.Bundle, l say.Language) ([]runstore.File, error)
}

// All are all of them, in the order of the help.
var All = []Form{
	{"html", "report.html, for people", true, report},
	{"json", "result.json, the verdicts", true, oneFile("result.json", export.Result)},
	{"junit", "junit.xml, for CI servers", false, oneFile("junit.xml", export.JUnit)},
	{"trace", "trace.json, for ui.perfetto.dev", false, oneFile("trace.json", trace.Chrome)},
	{"md", "summary.md, for pull requests", false, oneFile("summary.md", func(b *bundle.Bundle) ([]byte, error) {
		return export.Summary(b, export.MaxSummary), nil
	})},
	{"edn", "history.edn, for the checkers of Jepsen", false, ednFiles},
	{"svg", "plots/*.svg, the measurements", false, plots},
}

// With are the forms that every run directory has, and some others.
func With(others []Form) []Form {
	return slices.DeleteFunc(slices.Clone(All), func(f Form) bool {
		return !f.Always && !slices.ContainsFunc(others, func(o Form) bool { return o.Name == f.Name })
	})
}

// Render makes the files of some formats, the page in a language.
func Render(chosen []Form, language say.Language, b *bundle.Bundle) ([]runstore.File, error) {
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
			name = fmt.Sprintf("history-%d-%s.edn", i+1, clean.Dashed(b.Runs[i].Lock))
		}
		if h := b.Runs[i].Judgement.History; h != nil {
			files = append(files, runstore.File{Name: name, Write: func(w io.Writer) error { return trace.EDN(w, h) }})
		}
	}
	return files, nil
}

// plots are the figures of the report as files.
func plots(b *bundle.Bundle, l say.Language) ([]runstore.File, error) {
	drawn, err := figure.Plots(b, l)
	if err != nil {
		return nil, err
	}
	var files []runstore.File
	for _, p := range drawn {
		files = append(files, runstore.File{Name: "plots/" + p.Name + ".svg", Data: p.SVG})
	}
	return files, nil
}
