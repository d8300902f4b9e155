// Package artifacts makes the files of judged runs: pages, figures and results for programs.
package artifacts

import (
	"fmt"
	"io"
	"slices"

	"lockstep/internal/each"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/comparepage"
	"lockstep/internal/report/export"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/runpage"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/trace"
	"lockstep/internal/say"
)

// File is one file of a run.
type File struct {
	Name  string // relative to a directory, with slashes
	Data  []byte
	Write func(io.Writer) error // writes content too large for memory; nil: the content is Data
}

// CopyTo writes the content of the file.
func (f *File) CopyTo(w io.Writer) error {
	if f.Write != nil {
		return f.Write(w)
	}
	_, err := w.Write(f.Data)
	return err
}

// Form is one form of a judged run.
type Form struct {
	Name    string
	Summary string
	Always  bool // every run directory has it; the others are optional
	render  func(b *bundle.Bundle, l say.Language) ([]File, error)
	compare func(*compare.Comparison) ([]byte, error) // of several runs; nil if there is no such form
}

// All are all forms, in the order of the help.
var All = []Form{
	{"html", "report.html, for people", true, report, comparepage.HTML},
	{"json", "result.json, the verdicts", true, oneFile("result.json", export.Result), export.Comparison},
	{"junit", "junit.xml, for CI servers", false, oneFile("junit.xml", export.JUnit), nil},
	{"trace", "trace.json, for ui.perfetto.dev", false, oneFile("trace.json", trace.Chrome), nil},
	{"md", "summary.md, for pull requests", false, oneFile("summary.md", func(b *bundle.Bundle) ([]byte, error) {
		return export.Summary(b, export.MaxSummary), nil
	}), nil},
	{"edn", "history.edn, for the checkers of Jepsen", false, ednFiles, nil},
	{"svg", "plots/*.svg, the measurements", false, plots, nil},
}

// With returns the forms of every run directory, and some others.
func With(others []Form) []Form {
	return slices.DeleteFunc(slices.Clone(All), func(f Form) bool {
		return !f.Always && !slices.ContainsFunc(others, func(o Form) bool { return o.Name == f.Name })
	})
}

// Render makes the files of some forms, the page in a language.
func Render(chosen []Form, language say.Language, b *bundle.Bundle) ([]File, error) {
	var files []File
	for _, f := range chosen {
		made, err := f.render(b, language)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
	}
	return files, nil
}

// Compares reports whether a comparison of runs has such a form.
func (f *Form) Compares() bool { return f.compare != nil }

// Compare makes the files of a comparison in those of the chosen forms that it has.
func Compare(chosen []Form, c *compare.Comparison) ([]File, error) {
	var files []File
	for _, f := range All {
		if !f.Compares() || !slices.ContainsFunc(chosen, func(o Form) bool { return o.Name == f.Name }) {
			continue
		}
		data, err := f.compare(c)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: "comparison." + f.Name, Data: data})
	}
	return files, nil
}

// report is the page of the run. Texts of a scenario stay in their own language.
func report(b *bundle.Bundle, l say.Language) ([]File, error) {
	data, err := runpage.HTML(b, l)
	return []File{{Name: "report.html", Data: data}}, err
}

func oneFile(name string, draw func(*bundle.Bundle) ([]byte, error)) func(*bundle.Bundle, say.Language) ([]File, error) {
	return func(b *bundle.Bundle, _ say.Language) ([]File, error) {
		data, err := draw(b)
		return []File{{Name: name, Data: data}}, err
	}
}

// ednFiles are the histories for the checkers of Jepsen, a file for each lock.
func ednFiles(b *bundle.Bundle, _ say.Language) ([]File, error) {
	var files []File
	for i := range b.Histories() {
		r, name := &b.Runs[i], "history.edn"
		if len(b.Runs) > 1 {
			name = fmt.Sprintf("history-%d-%s.edn", i+1, sanitize.Dashed(r.Lock))
		}
		files = append(files, File{Name: name, Write: func(w io.Writer) error { return trace.EDN(w, r.Timeline()) }})
	}
	return files, nil
}

func plots(b *bundle.Bundle, l say.Language) ([]File, error) {
	return each.Map(figure.Plots(b, l), func(p figure.Plot) File {
		return File{Name: "plots/" + p.Name + ".svg", Data: p.SVG}
	}), nil
}
