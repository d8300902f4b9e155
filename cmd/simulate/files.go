package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lockstep/internal/each"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

// eachOrError maps a list by a function that can fail.
func eachOrError[T, U any](all []T, of func(T) (U, error)) (out []U, _ error) {
	for _, one := range all {
		made, err := of(one)
		if err != nil {
			return nil, err
		}
		out = append(out, made)
	}
	return out, nil
}

// onceEach is eachOrError for a user's choice. It refuses duplicates, which would count twice.
func onceEach[T comparable, U any](what string, all []T, of func(T) (U, error)) ([]U, error) {
	for i, one := range all {
		if slices.Contains(all[:i], one) {
			return nil, fmt.Errorf("%s %v is named twice: once is enough", what, one)
		}
	}
	return eachOrError(all, of)
}

func inEnglish(phrases []say.Phrase) []string {
	return append([]string{}, each.Map(phrases, say.Phrase.English)...)
}

func writeWhole(path string, data []byte) error {
	return runstore.WriteWhole(path, &runstore.File{Data: data})
}

// replaceFiles writes files into a directory, each of them atomically.
func replaceFiles(dir string, files []runstore.File) error {
	for i := range files {
		if err := runstore.WriteWhole(filepath.Join(dir, filepath.FromSlash(files[i].Name)), &files[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeApart writes files that were made from stored runs. A run directory is evidence, so nothing
// is written into one, not even through links.
func writeApart(dir string, files []runstore.File) error {
	for _, file := range files {
		if err := notInRun(filepath.Dir(filepath.Join(dir, filepath.FromSlash(file.Name)))); err != nil {
			return err
		}
	}
	return unwritable(replaceFiles(dir, files), "--to")
}

// notInRun refuses a directory that is a run directory or within one. It need not exist.
func notInRun(dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return environment(err)
	}
	for {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = real
			break
		}
		if _, there := os.Lstat(at); there == nil && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is a broken link: name another directory with --to", at)
		}
		if at == filepath.Dir(at) {
			return environment(err)
		}
		at = filepath.Dir(at)
	}
	for ; ; at = filepath.Dir(at) {
		switch {
		case runstore.IsRun(at):
			return fmt.Errorf("%s is a stored run, which is never changed: name a directory elsewhere with --to", at)
		case at == filepath.Dir(at):
			return nil
		}
	}
}

// relative is the path from one place to another, with slashes.
func relative(from, to string) (string, error) {
	from, err1 := filepath.Abs(from)
	to, err2 := filepath.Abs(to)
	way, err := filepath.Rel(from, to)
	if err := cmp.Or(err1, err2, err); err != nil {
		return "", environment(err)
	}
	return filepath.ToSlash(way), nil
}

// savePage writes a rendered page into the run store and lists it in the index.
func (g *globals) savePage(name string, data []byte, err error) (path string, _ error) {
	if err != nil {
		return "", bug(err)
	}
	path = filepath.Join(g.out, filepath.FromSlash(name))
	if err := writeWhole(path, data); err != nil {
		return path, unwritable(fmt.Errorf("cannot write the page: %w", err), "--out")
	}
	return path, writeIndex(g.out, g.language)
}

// stepSummaryMax bounds the total size of a step's summaries. GitHub refuses a file of more than 1
// MiB.
const stepSummaryMax = 1_000_000

// publish reports a run to GitHub Actions, if this program runs there: unexpected results as
// annotations, and a summary in the file that the runner names. share is the number of runs in the
// step's summary.
//
// Annotations go to stderr, where the runner reads them as well, so that --json prints only one
// object on stdout.
func publish(b *bundle.Bundle, share int) {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		fmt.Fprint(os.Stderr, export.Annotations(b))
	}
	file := os.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return
	}
	limit := min(export.MaxSummary, stepSummaryMax/max(share, 1))
	if err := appendSummary(file, export.Summary(b, limit)); err != nil {
		// The verdict does not depend on the summary.
		warn("cannot write the summary of the step: %v", err)
	}
}

// appendSummary appends a summary to the file of a step unless that would become too large.
func appendSummary(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Size()+int64(len(text)) > stepSummaryMax:
		err = fmt.Errorf("%s is full: the run directory has the summary", file)
	default:
		_, err = f.Write(append(text, '\n'))
	}
	return errors.Join(err, f.Close())
}
