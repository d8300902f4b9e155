package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign"
	"lockstep/internal/interrupt"
	"lockstep/internal/plan"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// shardFlags are the flags of the commands whose work can be divided among machines.
type shardFlags struct {
	text string // --shard
	part string // --part
	on   string // --on: the queue whose workers play the work
	of   int    // --ranges: of the queue

	shard    campaign.Shard     // of --shard; the zero value is all of the work
	scenario *campaign.Scenario // the source, or that of the parts; nil for a command without one
	merged   *campaign.Results  // merged parts, whose results are used instead of playing
	given    *given             // a range that this process plays for a worker
	handed   *handed            // the work that a queue has done
	// seen receives each result of the queue, and returns the number of the last range that is
	// needed.
	seen func(number int, data json.RawMessage) (needed int, err error)
}

// given is a range of a queue, and the line of its result once it was played.
type given struct {
	work *campaign.Work
	line []byte
}

func (f *shardFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.text, "shard", "", "play one share of the work, such as 3/16 or auto/16; see docs/machines.md")
	cmd.Flags().StringVar(&f.part, "part", "", "with --shard: the file or folder of its result (default: part-3.json)")
	cmd.Flags().StringVar(&f.on, "on", "", "have the workers of a queue play it: nats://HOST or embedded; see docs/machines.md")
	cmd.Flags().IntVar(&f.of, "ranges", 64, "with --on: into how many ranges the work is divided")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.on == "" && cmd.Flags().Changed("ranges") {
			return errors.New("--ranges divides the work for a queue: add --on")
		}
		return f.handed.end(run(cmd, args))
	}
}

// asked reports whether to divide the work: to play one share here, or all elsewhere.
func (f *shardFlags) asked() bool { return f.text != "" || f.on != "" || f.given != nil }

func (f *shardFlags) parse() (err error) {
	switch {
	case f.on != "":
		return f.parseQueue()
	case f.text != "":
		f.shard, err = campaign.Parse(f.text, os.Getenv)
	case f.part != "":
		err = errors.New("--part says where the result of a shard goes: add --shard, such as --shard 3/16")
	}
	return err
}

// load reads the scenario of a work that may be divided: from the argument or from merged parts.
func (f *shardFlags) load(ctx context.Context, g *globals, arg string) ([]*plan.Plan, error) {
	if f.merged == nil && f.given == nil {
		if !f.asked() {
			return g.loadAll(ctx, []string{arg}, os.Stdin)
		}
		var err error
		if f.scenario, err = readScenario(ctx, g, arg); err != nil {
			return nil, err
		}
	}
	g.sets = f.scenario.Set
	changes, err := g.changes()
	if err != nil {
		return nil, err
	}
	p, err := scenario.Parse(f.scenario.File, []byte(f.scenario.Text), changes...)
	if err == nil && len(p.Programs) > 0 {
		return nil, fmt.Errorf("%s has a lock that is a program (exec), and other machines start none: play it here, without --shard and --on", p.File)
	}
	return []*plan.Plan{p}, err
}

// readScenario reads the source of one scenario, which goes into the part.
func readScenario(ctx context.Context, g *globals, arg string) (*campaign.Scenario, error) {
	if arg == "-" {
		return nil, errors.New("- reads a scenario from stdin, which other machines cannot: name a file for --shard or --on")
	}
	files, err := g.scenarioFiles(ctx, arg)
	if err != nil {
		return nil, err
	}
	if len(files) > 1 {
		return nil, fmt.Errorf("%s holds %d scenarios: name one of them", arg, len(files))
	}
	data, err := interrupt.Unless(ctx, "reading "+files[0], func() ([]byte, error) {
		return readSource(files[0], scenario.MaxBytes+1)
	})
	if err != nil {
		return nil, runstore.Unread(err)
	}
	return &campaign.Scenario{File: filepath.ToSlash(files[0]), Text: string(data), Set: g.sets}, nil
}

// work identifies the work of a command. options determine its result together with the scenario.
func (f *shardFlags) work(command string, options any) (*campaign.Work, error) {
	version, err := exactVersion()
	if err != nil {
		return nil, err
	}
	w, err := campaign.NewWork(version, command, f.scenario, options)
	return w, bug(err)
}

// exactVersion is the version of this program. Unless it was built from a commit or a release, it
// includes a hash of the executable, since all machines must run the same program.
var exactVersion = sync.OnceValues(readVersion)

func readVersion() (string, error) {
	version := buildVersion()
	modified := !strings.HasPrefix(version, "v") || strings.Contains(version, "+dirty")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.modified" {
				modified = s.Value == "true"
			}
		}
	}
	if !modified {
		return version, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", environment(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", runstore.Unread(err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", runstore.Unread(err)
	}
	return version + "+" + hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// elsewhere reports whether other machines take part in the work.
func (f *shardFlags) elsewhere() bool { return f.asked() || f.merged != nil }

// read is the work of the merged parts or of the given range.
func (f *shardFlags) read() *campaign.Work {
	if f.given != nil {
		return f.given.work
	}
	return f.merged.Work
}

// divided returns the results of the shards of a work, by number. Without other machines there is
// one shard, which is played here. Merged parts and queues provide their results. With --shard it
// plays that share and writes its part; then nothing is left to do, so it returns a silent exit.
func divided[R any](ctx context.Context, f *shardFlags, g *globals, command string, options any, play func(campaign.Shard) (R, error)) ([]R, error) {
	if !f.elsewhere() {
		all, err := play(campaign.Shard{})
		return []R{all}, err
	}
	w, err := f.work(command, options)
	if err != nil {
		return nil, err
	}
	mine := func() (any, error) { return play(f.shard) }
	switch {
	case f.given != nil:
		return nil, f.playGiven(w, mine)
	case f.on != "":
		if err := f.handOut(ctx, g, w); err != nil {
			return nil, err
		}
	}
	if f.merged != nil {
		if how := f.merged.Work.Differs(w); how != "" {
			return nil, fmt.Errorf("the parts cannot be merged here: they are of different work than this program would do: %s", how)
		}
		return campaign.All[R](f.merged)
	}
	if err := f.playShard(g, w, mine); err != nil {
		return nil, err
	}
	return nil, silent(exitMet)
}

// gather is divided for a work that is kept piece by piece: it has the pieces of all
// shards in the end.
func (f *shardFlags) gather(ctx context.Context, g *globals, command string, options any, kept *campaign.Results, play func(campaign.Shard) error) error {
	shards, err := divided(ctx, f, g, command, options, func(s campaign.Shard) ([]*campaign.Line, error) {
		err := play(s)
		return kept.Lines(), err
	})
	for _, one := range slices.Concat(shards...) {
		err = errors.Join(err, kept.Put(one))
	}
	return err
}

// playGiven plays the range of a worker and keeps its line.
func (f *shardFlags) playGiven(w *campaign.Work, play func() (any, error)) error {
	if how := f.given.work.Differs(w); how != "" {
		return errors.New("the work is not what this program would do: " + how)
	}
	line, err := f.line(w, play)
	if err != nil {
		return err
	}
	f.given.line = line.Store()
	return silent(exitMet)
}

// line plays the share of this machine and returns its result.
func (f *shardFlags) line(w *campaign.Work, play func() (any, error)) (*campaign.Line, error) {
	result, err := play()
	if err != nil {
		return nil, err
	}
	line, err := campaign.NewLine(w, f.shard.String(), result)
	return line, bug(err)
}

// playShard plays one share and writes its part. An existing part of the same share is kept, since
// engines may start a share twice.
func (f *shardFlags) playShard(g *globals, w *campaign.Work, play func() (any, error)) error {
	path := f.partFile()
	switch known, err := campaign.Look(path, w, f.shard.Of); {
	case errors.Is(err, campaign.ErrOther):
		return fmt.Errorf("%s already exists and is a part of something else, which is not "+
			"overwritten: choose another --part, or remove it", path)
	case err != nil:
		return fmt.Errorf("an existing file is not overwritten: choose another --part, or "+
			"remove it: %w", err)
	case known.Get(f.shard.String()) != nil:
		return f.printPart(g, path)
	}
	line, err := f.line(w, play)
	if err != nil {
		return err
	}
	part, err := campaign.Open(path, w, f.shard.Of)
	if err == nil {
		err = errors.Join(part.Put(line), part.Close())
	}
	if errors.Is(err, campaign.ErrDiverged) {
		return bug(err)
	}
	if err != nil {
		return unwritable(fmt.Errorf("cannot write the part: %w", err), "--part")
	}
	return f.printPart(g, path)
}

// partFile is the file of the part. In a folder it is named after its number.
func (f *shardFlags) partFile() string {
	name := fmt.Sprintf("part-%d.json", f.shard.Number)
	if f.part == "" {
		return name
	}
	if info, err := os.Stat(f.part); err == nil && info.IsDir() || strings.HasSuffix(f.part, "/") {
		return filepath.Join(f.part, name)
	}
	return f.part
}

func (f *shardFlags) printPart(g *globals, path string) error {
	shard := f.shard.String()
	wrote := say.PartOf.With(say.Verbatim(path), say.Verbatim(shard))
	return g.reply(map[string]any{"part": path, "shard": shard}, g.named("wrote", wrote))
}

func readPart(path string) (*campaign.Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, runstore.Unread(err)
	}
	return campaign.Read(path, data)
}
