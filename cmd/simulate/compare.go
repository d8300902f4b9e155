package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/comparepage"
	"lockstep/internal/report/export"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// maxCompared is how many runs are compared at once: all of their histories are in
// memory then.
const maxCompared = 20

// comparisonJSON is the name of a comparison for programs.
const comparisonJSON = "comparison.json"

// comparisonFormats are the forms of a comparison.
var comparisonFormats = []struct {
	name, file string
	render     func(*compare.Comparison) ([]byte, error)
}{
	{"html", "comparison.html", comparepage.HTML},
	{"json", comparisonJSON, export.Comparison},
}

// compare puts several stored runs side by side.
func (f *reportFlags) compare(ctx context.Context, w io.Writer, args []string) error {
	chosen, err := f.comparisonFormats()
	switch {
	case err != nil:
		return err
	case len(args) > maxCompared:
		return fmt.Errorf("%d runs are too many: compare %d at once at most", len(args), maxCompared)
	case f.to == "-" && f.json:
		return errors.New("--json and --to - would both write to stdout: leave one of them out")
	case f.to == "-" && len(chosen) != 1:
		return errors.New("--to - takes one --format")
	}
	c, worst, err := f.comparison(ctx, args)
	if err != nil {
		return err
	}
	var files []runstore.File
	for _, k := range comparisonFormats {
		if !slices.Contains(chosen, k.name) {
			continue
		}
		data, err := k.render(c)
		if err != nil {
			return &bugError{err}
		}
		files = append(files, runstore.File{Name: k.file, Data: data})
	}
	if f.to == "-" {
		return errors.Join(toStdout(w, files), statusExit(worst))
	}
	if err := f.writeComparison(files); err != nil {
		return err
	}
	if err := f.showComparison(w, c, files); err != nil {
		return err
	}
	return statusExit(worst)
}

// comparisonFormats checks --format.
func (f *reportFlags) comparisonFormats() ([]string, error) {
	if _, err := pickFormats(f.formats); err != nil {
		return nil, err
	}
	for _, name := range f.formats {
		if name != "html" && name != "json" {
			return nil, fmt.Errorf("a comparison of runs has no format %s: choose html or json, or name one run", name)
		}
	}
	return f.formats, nil
}

// comparison reads and judges the runs.
func (f *reportFlags) comparison(ctx context.Context, args []string) (*compare.Comparison, run.Status, error) {
	c := &compare.Comparison{Replay: "simulate report", Language: f.language}
	worst := run.NothingExpected
	for _, arg := range args {
		if err := ctx.Err(); err != nil {
			return nil, worst, errors.New("interrupted")
		}
		s, err := openRun(ctx, arg)
		if err != nil {
			return nil, worst, err
		}
		tellUnplayed(s)
		r := s.Result()
		b := bundle.Of(r, again(s, r), buildVersion())
		b.RunDir = s.Dir
		worst = max(worst, r.Status())
		one := compare.Run{Bundle: b, Dir: s.Dir, Href: f.hrefOf(s.Dir)}
		for _, setting := range scenario.Settings(s.Plan) {
			one.Settings = append(one.Settings, compare.Setting(setting))
		}
		c.Runs = append(c.Runs, one)
		c.Replay += " " + shell.Word(s.Dir) // "latest" is another run tomorrow
	}
	return c, worst, nil
}

// comparisonDir is where the comparison goes.
func (f *reportFlags) comparisonDir() string {
	if f.to != "" {
		return f.to
	}
	return f.out
}

// hrefOf is the address of a run's report, relative to the page of the comparison;
// "" when there is no way from one to the other.
func (f *reportFlags) hrefOf(dir string) string {
	page := reportPath(dir)
	if info, err := os.Stat(page); err != nil || !info.Mode().IsRegular() || f.to == "-" {
		return ""
	}
	from, err := filepath.Abs(f.comparisonDir())
	if err != nil {
		return ""
	}
	to, err := filepath.Abs(page)
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(relative), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "./" + strings.Join(parts, "/")
}

func (f *reportFlags) writeComparison(files []runstore.File) error {
	dir := f.comparisonDir()
	if err := writeApart(dir, files); err != nil {
		return err
	}
	if f.to != "" {
		return nil
	}
	return writeIndex(dir, f.language)
}

func (f *reportFlags) showComparison(w io.Writer, c *compare.Comparison, files []runstore.File) error {
	if f.json {
		return printComparison(w, c, files)
	}
	text := terminal.Comparison(c, f.terminal())
	_, err := fmt.Fprintln(w, text+f.named("wrote", wrote(files, f.comparisonDir())))
	return err
}

// printComparison prints the comparison for programs: the file, if there is one.
func printComparison(w io.Writer, c *compare.Comparison, files []runstore.File) error {
	for _, file := range files {
		if file.Name == comparisonJSON {
			_, err := w.Write(file.Data)
			return err
		}
	}
	data, err := export.Comparison(c)
	if err != nil {
		return &bugError{err}
	}
	_, err = w.Write(data)
	return err
}
