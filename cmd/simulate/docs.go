package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"lockstep/internal/campaign/claims"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/docs"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/schema"
	"lockstep/measurements"
)

const docsDir = "docs"

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

The results in measurements/ are shown on the pages of the locks, each as its command
prints it with --json, or packed by gzip: matrix.json, explore.json and claims.json, and
of compare-worlds worlds.json, worlds-in-full.json (--scale 1) and stories.json (--stories).`,
		Example: `  simulate dev docs                 # into docs/
  simulate dev docs /tmp/reference  # elsewhere
  simulate dev docs --man /tmp/man  # as manual pages`,
		Args: arguments(0, 1, "one folder, such as docs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if man != "" {
				return writeMan(g, man)
			}
			dir := docsDir
			if len(args) > 0 {
				dir = args[0]
			}
			plans, err := repositoryPlans(".")
			if err != nil {
				return err
			}
			if err := os.MkdirAll(dir, 0o755); err != nil { // before the pages are made, which takes long
				return unwritable(fmt.Errorf("cannot write the docs: %w", err), "")
			}
			pages, err := reference(plans, ".", dir)
			if err != nil {
				return err
			}
			written, err := writePages(dir, pages)
			if err != nil {
				return unwritable(fmt.Errorf("cannot write the docs: %w", err), "")
			}
			stale, err := stalePages(dir, pages)
			for _, path := range stale {
				err = errors.Join(err, os.Remove(path))
			}
			if err != nil {
				return environment(fmt.Errorf("cannot remove old pages: %w", err))
			}
			return g.reply(
				map[string]any{"dir": dir, "pages": len(pages), "written": written, "removed": len(stale)},
				fmt.Sprintf("%d pages in %s: %d written, %d removed, the others were up to date",
					len(pages), dir, written, len(stale)))
		},
	}
	cmd.Flags().StringVar(&man, "man", "", "write manual pages of the commands to this folder instead")
	return cmd
}

// reference makes the pages for a folder from the repository at root and its scenarios.
func reference(plans []*plan.Plan, root, dir string) (pages []docs.Page, err error) {
	in := docs.Input{Root: rootCommand(), Plans: plans, Columns: matrix.Columns(), Demands: func(v locks.Variant) string { return demands(v).In(say.English) }}
	in.Group = func(v locks.Variant) (int, string) { return groupOf(v).rank, groupOf(v).name.English() }
	in.Root.InitDefaultCompletionCmd()
	if in.Up, err = relative(dir, root); err != nil {
		return nil, err
	}
	stored := filepath.Join(root, measurements.Dir)
	var list *results.Claims
	err = errors.Join(
		read(&in.Matrix, stored+"/matrix.json", "matrix", results.ReadMatrix),
		read(&in.Worlds, stored+"/worlds.json", "dev compare-worlds", results.ReadWorlds),
		read(&in.InFull, stored+"/worlds-in-full.json", "dev compare-worlds --scale 1", results.ReadWorlds),
		read(&in.Stories, stored+"/stories.json", "dev compare-worlds --stories", results.ReadWorlds),
		read(&in.Explored, stored+"/explore.json", "explore --faults 2", results.ReadExplored),
		read(&list, stored+"/claims.json", "dev claims", results.ReadClaims),
	)
	if err != nil {
		return nil, err
	}
	in.Claims = each.Map(claims.All(), func(c claims.Claim) results.Claim { return list.Of(c.N, c.English, c.Source) })
	if in.Explored != nil {
		if err := explore.AddTexts(in.Explored); err != nil {
			return nil, bug(err)
		}
	}
	if in.Libraries, err = storedLibraries(); err != nil {
		return nil, err
	}
	if in.Programs, err = storedIn(measurements.Programs()); err != nil {
		return nil, err
	}
	if in.Examples, err = counterexamples(in.Explored); err != nil {
		return nil, err
	}
	if in.Published, err = measureAgain(plans); err != nil {
		return nil, err
	}
	pages, err = docs.Pages(in)
	return pages, bug(err)
}

// repositoryPlans are all scenarios of the repository, with their files relative to it.
func repositoryPlans(root string) ([]*plan.Plan, error) {
	scenarios := filepath.Join(root, scenarioRoot)
	if len(yamlFiles(scenarios)) == 0 {
		return nil, environment(fmt.Errorf("there are no scenarios below %s: run this in the sources of lockstep", scenarios))
	}
	plans, err := new(globals).loadAll(context.Background(), []string{scenarios}, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range plans {
		if p.File, err = filepath.Rel(root, p.File); err != nil {
			return nil, bug(err)
		}
		p.File = filepath.ToSlash(p.File)
	}
	return plans, nil
}

// read reads the stored measurements of a command; to stays nil if there are none.
func read[T any](to **T, path, command string, parse func([]byte) (*T, error)) error {
	data, err := measurements.Read(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return runstore.Unread(err)
	}
	if *to, err = parse(data); err != nil {
		return fmt.Errorf("%s %w; remove it, or measure it again: simulate %s --json > %s", path, err, command, path)
	}
	return nil
}

// writePages writes the pages that are missing or differ, and counts them.
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

// stalePages finds generated files that are not among the pages.
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

// counterexamples plays, for each lock that the stored walk breaks, the story of the smallest set
// of faults that breaks it.
func counterexamples(x *results.Explored) (map[string]docs.Example, error) {
	out := map[string]docs.Example{}
	if x == nil {
		return out, nil
	}
	w := simulator()
	defer w.Close()
	for i := range x.Locks {
		l := &x.Locks[i]
		set := smallestSet(l)
		if set == nil {
			continue
		}
		data, err := explore.Scenario(&x.Scope, l.Lock, &set.Shown)
		if err != nil {
			return nil, bug(err)
		}
		p, err := scenario.Parse(set.Name, data)
		if err != nil {
			return nil, err
		}
		if out[l.Lock], err = playExample(w, p, l.Lock, set); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// smallestSet is the set with the fewest faults that breaks a lock, in the first way that has one;
// nil if no set does.
func smallestSet(l *results.ExploredLock) (best *results.CutSet) {
	for _, way := range checker.Ways() {
		for i := range l.By(way) {
			if s := &l.By(way)[i]; s.Name != "" && (best == nil || len(s.Kinds) < len(best.Kinds)) {
				best = s
			}
		}
	}
	return best
}

// playExample plays the story of a set. It is an error if nothing breaks, since the page would be
// wrong.
func playExample(w run.World, p *plan.Plan, lock string, set *results.CutSet) (docs.Example, error) {
	out := run.One(context.Background(), w, p, lock, max(p.Seed, 1))
	if out.Err != nil {
		return docs.Example{}, bug(fmt.Errorf("%s with %s: %w", p.File, lock, out.Err))
	}
	j := &out.Judgement
	property := brokenIn(p, lock)
	if f := j.Finding(property); f.Verdict != checker.Broken {
		return docs.Example{}, fmt.Errorf("%s: %s no longer breaks %q; search again: simulate explore %s --faults 2 --further --into measurements/explore.json.gz", p.File, lock, property, lock)
	}
	return docs.ExampleOf(set, j), nil
}

// brokenIn is a property that a lock breaks in a story, preferably mutual exclusion.
func brokenIn(p *plan.Plan, lock string) string {
	property := ""
	said, _ := p.ExpectationsFor(lock)
	for _, e := range said {
		if e.Verdict == string(checker.Broken) && (property == "" || e.Property == checker.MutualExclusionID) {
			property = e.Property
		}
	}
	return property
}

// The stories below scenarios/published repeat published experiments. Playing them takes a second,
// so their figures are not stored.
const (
	publishedStories = scenarioRoot + "/published/"
	publishedSeeds   = 20
)

// measureAgain plays the published experiments and counts the lost updates of each lock.
func measureAgain(plans []*plan.Plan) (out []docs.Published, err error) {
	w := simulator()
	defer w.Close()
	for _, p := range plans {
		if !strings.HasPrefix(p.File, publishedStories) {
			continue
		}
		one := docs.Published{Plan: p, Seeds: publishedSeeds}
		one.Lost, err = eachOrError(p.Locks, func(lock string) (docs.Share, error) { return lostBy(w, p, lock) })
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func lostBy(w run.World, p *plan.Plan, lock string) (docs.Share, error) {
	share := docs.Share{Lock: lock}
	for seed := uint64(1); seed <= publishedSeeds; seed++ {
		played := run.One(context.Background(), w, p, lock, seed)
		if played.Err != nil {
			return share, bug(fmt.Errorf("%s with %s, seed %d: %w", p.File, lock, seed, played.Err))
		}
		lost, accepted := claims.Lost(played.Judgement.History)
		share.Lost, share.Accepted = share.Lost+lost, share.Accepted+accepted
	}
	return share, nil
}

// writeMan writes a manual page for every command into a folder. The pages have a fixed date, so
// that the same program writes the same bytes.
func writeMan(g *globals, dir string) error {
	root, epoch := rootCommand(), time.Unix(0, 0).UTC()
	root.DisableAutoGenTag = true
	head := &doc.GenManHeader{Section: "1", Source: "lockstep", Manual: "lockstep", Date: &epoch}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{Header: head, Path: dir, CommandSeparator: "-"})
	}
	if err != nil {
		return unwritable(err, "--man")
	}
	written, _ := filepath.Glob(filepath.Join(dir, "simulate*.1")) // the pattern is well formed
	return g.reply(
		map[string]any{"dir": dir, "pages": len(written)},
		fmt.Sprintf("%d manual pages in %s: man -l %s", len(written), terminalText(dir),
			terminalText(filepath.Join(dir, "simulate.1"))))
}

func schemaCommand(g *globals) *cobra.Command {
	all := schema.Documents()
	names := each.Map(all, func(d schema.Document) string { return d.Name })
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of scenario files, or of results",
		Long: `Print a JSON Schema, by default that of scenario files:

` + helpOf(all, func(d schema.Document) (string, string) { return d.Name, d.Summary }) + `

With the first one, editors complete keys, locks, faults and moments, explain them, and
mark mistakes. An editor with a YAML language server finds it by the first
line of a scenario, relative to the file:

  # yaml-language-server: $schema=../../schema/scenario.schema.json

simulate run --dry-run also finds mistakes that only the file as a whole shows.`,
		Example: `  simulate dev schema > schema/scenario.schema.json  # for an editor
  simulate dev schema result                         # what --json prints`,
		Args:      arguments(0, 1, "one schema: "+strings.Join(names, " or ")),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := all[0]
			if len(args) > 0 {
				at := slices.Index(names, args[0])
				if at < 0 {
					return fmt.Errorf("there is no schema %q: `simulate dev schema --help` lists them", args[0])
				}
				chosen = all[at]
			}
			return g.printed(schema.JSON(chosen.Schema()))
		},
	}
}
