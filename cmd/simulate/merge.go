package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

type mergeFlags struct {
	*globals
	partial string
	walk    string
}

func mergeCommand(g *globals) *cobra.Command {
	f := &mergeFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "merge <part|folder>...",
		Short: "Merge the results of several machines",
		Long: `Merge the results of several machines: the parts that search, sweep, matrix, explore and
claims write with --shard (docs/machines.md). It prints what the command would have printed
on one machine, with the same exit code, and writes the same files. All parts are needed, in
any order.

` + exitHint,
		Example: `  simulate search redlock-storm --shard 3/16 --part part-3.json  # a share
  simulate dev merge part-*.json --json  # the whole result
  simulate dev merge part-1.json part-2.json --partial half.json  # resume later`,
		Args: arguments(1, many, "the parts, such as part-*.json, or their folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.merge(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&f.partial, "partial", "", "merge the parts that are there into this one, and show nothing")
	cmd.Flags().StringVar(&f.walk, "walk", "", "for parts of explore: keep the search in this file, for explore --resume")
	return speaks(cmd, g)
}

func (f *mergeFlags) merge(ctx context.Context, files []string) error {
	files, err := partFiles(files)
	if err != nil {
		return err
	}
	parts, err := eachOrError(files, readPart)
	if err != nil {
		return err
	}
	all, err := campaign.Merge(parts)
	if errors.Is(err, campaign.ErrDiverged) {
		return bug(err)
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

// partFiles are the files that the arguments name; of a folder, those named like part-3.json.
func partFiles(args []string) (files []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, environment(fmt.Errorf("%s does not exist: name the parts that --shard has written, or their folder", arg))
		}
		if err != nil {
			return nil, runstore.Unread(err)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, runstore.Unread(err)
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

func (f *mergeFlags) store(all *campaign.Results) error {
	if err := writeNew(f.partial, all.Store()); err != nil {
		return err
	}
	wrote := say.PartOfSeveral.With(say.Verbatim(f.partial), say.Number(all.Len()), say.Number(all.Shards))
	return f.reply(
		map[string]any{"part": f.partial, "holds": all.Len(), "shards": all.Shards}, f.named("wrote", wrote))
}

func (f *mergeFlags) show(ctx context.Context, all *campaign.Results) error {
	w := all.Work
	if f.walk != "" && w.Command != "explore" {
		return fmt.Errorf("--walk is for parts of simulate explore, and these are of simulate %s: leave it out", w.Command)
	}
	return f.again(ctx, shardFlags{scenario: w.Scenario, merged: all})
}

// again runs the command of the work with its options, to show merged parts or to play a range.
func (f *mergeFlags) again(ctx context.Context, shards shardFlags) error {
	w := shards.read()
	if (w.Command == "search" || w.Command == "sweep") && shards.scenario == nil {
		return fmt.Errorf("the parts of simulate %s lack its scenario: make them again", w.Command)
	}
	seeds := seedFlags{runFlags: simulated(f.globals), shards: shards}
	seeds.jobs = 1
	var options any
	var show func() error
	switch w.Command {
	case "search":
		x := &searchFlags{seedFlags: seeds}
		options, show = &x.seedOptions, func() error { return x.search(ctx, shards.scenario.File) }
	case "sweep":
		x := &sweepFlags{seeds}
		options, show = &x.seedOptions, func() error { return x.sweep(ctx, shards.scenario.File) }
	case "matrix":
		x, o := &matrixFlags{cellFlags: cellFlags{globals: f.globals, backend: sim.Backend}, shards: shards}, &matrixOptions{}
		options, show = o, func() error {
			x.locks, x.columns, x.scale, x.seeds = o.Locks, o.Faults, o.Scale, o.Seeds
			return x.measure(ctx, true)
		}
	case "explore":
		x := &exploreFlags{globals: f.globals, shards: shards, resume: f.walk}
		options, show = &x.exploreOptions, func() error { return x.explore(ctx) }
	case "claims":
		x := &claimsFlags{globals: f.globals, shards: shards}
		options, show = &x.claimsOptions, func() error { return x.measure(ctx) }
	default:
		return fmt.Errorf("these are parts of %q, which this program cannot merge", w.Command)
	}
	if err := json.Unmarshal(w.Options, options); err != nil {
		return fmt.Errorf("the parts have options that simulate %s does not know: %w", w.Command, err)
	}
	return show()
}

type workFlags struct {
	*globals
	jobs int
}

func workCommand(g *globals) *cobra.Command {
	f := &workFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "work <address>",
		Short: "Play what other machines hand out over a queue",
		Long: `Play ranges of searches, sweeps, matrices, explorations and claims that other machines hand out over
NATS JetStream, with --on nats://HOST or --on embedded, until it is stopped. Any number of
workers may come and go at any time, also by kill -9: what one of them was playing is played again.

It takes work of its own version only, so start coordinator and workers from the same
build. Credentials are read from the address or the environment: docs/machines.md.
It needs the program built with -tags queue; make build-live puts one next to this one.`,
		Example: `  simulate dev work nats://queue.example.com  # until Ctrl-C
  simulate dev work tls://a.example,tls://b.example --jobs 8  # two servers`,
		Args: arguments(1, 1, "the address of a queue, such as nats://queue.example.com"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.work(cmd.Context(), args[0]) },
	}
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many ranges to play at once, each in a process of its own")
	return cmd
}

// playRange plays a range for a worker and returns its result as a line.
func playRange(w *campaign.Work, s campaign.Shard) ([]byte, error) {
	x := &given{work: w}
	f := &mergeFlags{globals: &globals{quiet: true, out: nowhere, stdout: newScreen()}}
	err := f.again(context.Background(), shardFlags{scenario: w.Scenario, given: x, shard: s})
	switch _, ok := ended(err); {
	case !ok:
		return nil, err
	case x.line == nil:
		return nil, errors.New("it has no result")
	}
	return x.line, nil
}

// nowhere is a run store that cannot be written, since a worker stores nothing.
const nowhere = "/dev/null/nothing"
