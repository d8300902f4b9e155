package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/claims"
	"lockstep/internal/docs"
	"lockstep/internal/explore"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/measured"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/measurements"
)

const (
	docsDir     = "docs"
	docsMatrix  = "matrix.json"         // in measurements.Dir: the measured matrix, if somebody has stored one
	docsWorlds  = "worlds.json"         // in measurements.Dir: the comparison with real servers, likewise
	docsExplore = "explore.json"        // in measurements.Dir: what it takes to break each lock
	docsInFull  = "worlds-in-full.json" // in measurements.Dir: the same at a scale of 1, of some cells
	docsStories = "stories.json"        // in measurements.Dir: the stories of the walk in both worlds
	docsClaims  = "claims.json"         // in measurements.Dir: the measured claims, likewise
)

func docsCommand(g *globals) *cobra.Command {
	var man string
	cmd := &cobra.Command{
		Use:   "docs [dir]",
		Short: "Write the reference: pages about locks, faults and commands",
		Long: `Write the reference as Markdown: a page for each lock, and one for all faults,
properties and commands, made from the code, the command line and the scenarios below
scenarios/.
Without an argument it goes to docs/. Pages whose subject is gone are removed;
files that it did not write are left alone.

When measurements/matrix.json is there, or packed as matrix.json.gz, the pages of the locks show their measured rows:

  simulate matrix --json > measurements/matrix.json

with worlds.json what real servers came to,

  simulate dev compare-worlds --json > measurements/worlds.json

with worlds-in-full.json what came of cells that do harm only at a scale of
1, with stories.json what came of the stories of the walk (--stories),
with claims.json what came of the claims of the documents,

  simulate dev claims --json > measurements/claims.json

and with explore.json (simulate explore --into) what it takes to break each lock.`,
		Example: `  simulate dev docs                 # into docs/
  simulate dev docs /tmp/reference  # elsewhere
  simulate dev docs --man /tmp/man  # as manual pages`,
		Args: arguments(0, 1, "one folder, such as docs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if man != "" {
				return writeMan(g, cmd.OutOrStdout(), man)
			}
			dir := docsDir
			if len(args) > 0 {
				dir = args[0]
			}
			pages, err := reference(".", dir)
			if err != nil {
				return err
			}
			written, err := writePages(dir, pages)
			if err != nil {
				return &environmentError{fmt.Errorf("cannot write the docs: %w", err)}
			}
			removed, err := removeStale(dir, pages)
			if err != nil {
				return &environmentError{fmt.Errorf("cannot remove old pages: %w", err)}
			}
			if g.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{
					"schema": 1, "dir": dir, "pages": len(pages), "written": written, "removed": removed,
				})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s: %d written, %d removed, the others were up to date\n",
				len(pages), dir, written, removed)
			return err
		},
	}
	cmd.Flags().StringVar(&man, "man", "", "write manual pages of the commands to this folder instead")
	return cmd
}

// reference makes the pages for a folder from the repository at root.
func reference(root, dir string) ([]docs.Page, error) {
	plans, err := repositoryPlans(root)
	if err != nil {
		return nil, err
	}
	in := docs.Input{Root: rootCommand(), Plans: plans, Demands: func(v locks.Variant) string { return demands(v).In(say.English) }}
	in.Group = func(v locks.Variant) (int, string) { return groupOf(v).rank, groupOf(v).name.English() }
	in.Root.InitDefaultCompletionCmd()
	for _, c := range matrix.Columns() {
		column := docs.Column{Code: c.Code, Name: c.Name.English, Summary: c.Summary.English}
		for _, k := range c.Kinds() {
			column.Kinds = append(column.Kinds, strings.TrimSpace(k.Name+" "+duringInWords[k.During]))
		}
		in.Columns = append(in.Columns, column)
	}
	if in.Up, err = wayUp(root, dir); err != nil {
		return nil, &environmentError{err}
	}
	if in.Matrix, err = stored(filepath.Join(root, measurements.Dir, docsMatrix), "matrix", measured.ReadMatrix); err != nil {
		return nil, err
	}
	if in.Worlds, err = stored(filepath.Join(root, measurements.Dir, docsWorlds), "dev compare-worlds", measured.ReadWorlds); err != nil {
		return nil, err
	}
	if in.InFull, err = stored(filepath.Join(root, measurements.Dir, docsInFull), "dev compare-worlds --scale 1", measured.ReadWorlds); err != nil {
		return nil, err
	}
	if in.Stories, err = stored(filepath.Join(root, measurements.Dir, docsStories), "dev compare-worlds --stories", measured.ReadWorlds); err != nil {
		return nil, err
	}
	if in.Explored, err = stored(filepath.Join(root, measurements.Dir, docsExplore), "explore --faults 2", measured.ReadExplored); err != nil {
		return nil, err
	}
	if in.Explored != nil {
		if err := explore.Tell(in.Explored); err != nil {
			return nil, &bugError{err}
		}
	}
	if in.Libraries, err = storedLibraries(); err != nil {
		return nil, err
	}
	if in.Programs, err = storedPrograms(); err != nil {
		return nil, err
	}
	if in.Claims, err = storedClaims(filepath.Join(root, measurements.Dir, docsClaims)); err != nil {
		return nil, err
	}
	if in.Examples, err = counterexamples(in.Explored); err != nil {
		return nil, err
	}
	if in.Published, err = measureAgain(plans); err != nil {
		return nil, err
	}
	pages, err := docs.Pages(in)
	if err != nil {
		return nil, &bugError{err}
	}
	return pages, nil
}

// repositoryPlans are all scenarios of the repository, with their files relative to it.
func repositoryPlans(root string) ([]*plan.Plan, error) {
	scenarios := filepath.Join(root, scenarioRoot)
	if len(yamlFiles(scenarios)) == 0 {
		return nil, &environmentError{fmt.Errorf("there are no scenarios below %s: run this in the sources of lockstep", scenarios)}
	}
	plans, err := new(globals).loadAll(context.Background(), []string{scenarios}, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range plans {
		if p.File, err = filepath.Rel(root, p.File); err != nil {
			return nil, &bugError{err}
		}
		p.File = filepath.ToSlash(p.File)
	}
	return plans, nil
}

// stored reads what a command has measured and somebody has stored; nil when nobody has.
func stored[T any](path, command string, read func([]byte) (*T, error)) (*T, error) {
	data, err := measurements.Read(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	figures, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s %w; remove it, or measure it again: simulate %s --json > %s", path, err, command, path)
	}
	return figures, nil
}

// storedClaims are all claims, with what somebody has stored of their verdicts.
func storedClaims(path string) (out []measured.Claim, err error) {
	list, err := stored(path, "dev claims", measured.ReadClaims)
	for _, c := range claims.All() {
		out = append(out, list.Of(c.N, c.Text.English, c.Source))
	}
	return out, err
}

// wayUp is the path from a folder to the repository.
func wayUp(root, dir string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	up, err := filepath.Rel(from, to)
	return filepath.ToSlash(up), err
}

// writePages writes the pages that are not there or differ, and counts them.
func writePages(dir string, pages []docs.Page) (written int, err error) {
	for _, p := range pages {
		path := filepath.Join(dir, filepath.FromSlash(p.Path))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, p.Data) {
			continue
		}
		if err := writeWhole(path, p.Data); err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}

// removeStale removes the pages of an earlier time that are no longer among pages.
func removeStale(dir string, pages []docs.Page) (removed int, err error) {
	stale, err := stalePages(dir, pages)
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, err
}

// stalePages finds files of ours that are not among the pages.
func stalePages(dir string, pages []docs.Page) (stale []string, err error) {
	current := map[string]bool{}
	for _, p := range pages {
		current[filepath.Join(dir, filepath.FromSlash(p.Path))] = true
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || current[path] || !strings.HasSuffix(path, ".md") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.HasPrefix(string(data), docs.Mark) {
			stale = append(stale, path)
		}
		return err
	})
	return stale, err
}
