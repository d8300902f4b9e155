package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/say"
	"lockstep/internal/shard"
	"lockstep/internal/sim"
)

// mergeFlags are the flags of the command merge.
type mergeFlags struct {
	*globals
	partial string
	walk    string
}

func mergeCommand(g *globals) *cobra.Command {
	f := &mergeFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "merge <part|folder>...",
		Short: "Put together what several machines have played",
		Long: `Put together what several machines have played: the parts that search, sweep, matrix,
explore and claims write with --shard. It prints what the command would have printed on
one machine, with the same exit code, and writes the same files; what a search has found
is shrunk here. All parts must be there, each once, in any order.

docs/machines.md says how to start the shards on Kubernetes, Slurm and in CI.

` + exitHint,
		Example: `  simulate search redlock-storm --shard 3/16 --part part-3.json  # a share
  simulate dev merge part-*.json --json  # the whole result
  simulate dev merge part-1.json part-2.json --partial half.json  # go on later`,
		Args: arguments(1, many, "the parts, such as part-*.json, or their folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.merge(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&f.partial, "partial", "", "merge the parts that are there into this one, and show nothing")
	cmd.Flags().StringVar(&f.walk, "walk", "", "for parts of explore: keep the walk in this file, for explore --resume")
	return speaks(cmd, g)
}

func (f *mergeFlags) merge(ctx context.Context, files []string) error {
	var parts []*shard.Part
	files, err := partFiles(files)
	if err != nil {
		return err
	}
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return fmt.Errorf("%s is named twice: once is enough", file)
		}
		p, err := readPart(file)
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	all, err := shard.Merge(parts)
	if errors.Is(err, shard.ErrDiverged) {
		return &bugError{err}
	}
	if err != nil {
		return err
	}
	if f.partial != "" {
		return f.store(all)
	}
	if err := all.Missing(); err != nil {
		return err
	}
	return f.show(ctx, all)
}

// partFiles are the files that the arguments name; of a folder those that --shard calls part-3.json.
func partFiles(args []string) (files []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, unreadable(err)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, unreadable(err)
		}
		before := len(files)
		for _, e := range entries {
			if ok, _ := filepath.Match("part-*.json", e.Name()); ok && !e.IsDir() {
				files = append(files, filepath.Join(arg, e.Name()))
			}
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s holds no part: no file part-*.json", arg)
		}
	}
	return files, nil
}

// store writes one part of several.
func (f *mergeFlags) store(all *shard.Part) error {
	if err := writeNew(f.partial, all.Store()); err != nil {
		return err
	}
	if f.json {
		return printJSON(f.stdout, map[string]any{"schema": 1, "part": f.partial, "holds": len(all.Results), "shards": all.Shards})
	}
	_, err := fmt.Fprintln(f.stdout, f.named("wrote", say.PartOfSeveral.With(say.Verbatim(f.partial), say.Number(len(all.Results)), say.Number(all.Shards))))
	return err
}

// show shows what the command shows whose parts these are.
func (f *mergeFlags) show(ctx context.Context, all *shard.Part) error {
	w := all.Work
	if f.walk != "" && w.Command != "explore" {
		return fmt.Errorf("--walk is for parts of simulate explore, and these are of simulate %s: leave it out", w.Command)
	}
	return f.again(ctx, shardFlags{scenario: w.Scenario, merged: all})
}

// again has a command do what it did where the work began: show parts that were merged, or play a range.
func (f *mergeFlags) again(ctx context.Context, shards shardFlags) error {
	if of := shards.read().Command; (of == "search" || of == "sweep") && shards.scenario == nil {
		return fmt.Errorf("the parts of simulate %s lack its scenario: make them again", of)
	}
	simulated := runFlags{globals: f.globals, backend: sim.Backend, scale: "1", times: 1}
	switch of := shards.read().Command; of {
	case "search":
		return (&searchFlags{runFlags: simulated, shards: shards}).merge(ctx)
	case "sweep":
		return (&sweepFlags{runFlags: simulated, shards: shards}).merge(ctx)
	case "matrix":
		return (&matrixFlags{cellFlags: cellFlags{globals: f.globals, backend: sim.Backend}, shards: shards}).merge(ctx)
	case "explore":
		return (&exploreFlags{globals: f.globals, shards: shards}).merge(ctx, f.walk)
	case "claims":
		return (&claimsFlags{globals: f.globals, shards: shards}).merge(ctx)
	default:
		return fmt.Errorf("these are parts of %q, which this program cannot merge", of)
	}
}

// options reads the options of the work whose parts were merged.
func (f *shardFlags) options(into any) error {
	if err := json.Unmarshal(f.read().Options, into); err != nil {
		return fmt.Errorf("the parts have options that simulate %s does not know: %w", f.read().Command, err)
	}
	return nil
}
