package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/search"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// seedFlags are the flags of a search and of a sweep, which play many seeds of one scenario.
type seedFlags struct {
	runFlags // for what is stored and shown of a run
	seedOptions
	shards shardFlags
}

// seedOptions are the options that shards share.
type seedOptions struct {
	Locks      []string `json:"locks,omitempty"`
	Properties []string `json:"properties"` // of a sweep one
	Seed       uint64   `json:"seed"`
	Seeds      int      `json:"seeds"`
}

// simulated are the flags of a run in the simulator.
func simulated(g *globals) runFlags {
	return runFlags{globals: g, backend: sim.Backend, scale: "1", times: 1}
}

// add adds the flags, with what --lock and --seeds mean.
func (f *seedFlags) add(cmd *cobra.Command, locks string, seeds int, means string) {
	cmd.Flags().StringSliceVar(&f.Locks, "lock", nil, locks)
	cmd.Flags().Uint64Var(&f.Seed, "seed", 1, "the first seed")
	cmd.Flags().IntVar(&f.Seeds, "seeds", seeds, means)
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many seeds to play at once")
	f.shards.add(cmd)
}

// load checks the flags and reads the scenario, with the chosen locks.
func (f *seedFlags) load(ctx context.Context, arg string) (*plan.Plan, error) {
	f.locks, f.seed = f.Locks, f.Seed
	for _, id := range f.Properties {
		if _, ok := checker.Lookup(id); !ok {
			return nil, unknownName("property", id, each.Map(checker.All(), func(p checker.Property) string { return p.ID }))
		}
	}
	switch {
	case len(f.Properties) == 0:
		return nil, errors.New("--property is empty: name what must break")
	case f.Seeds < 1:
		return nil, fmt.Errorf("--seeds %d: must be more than 0", f.Seeds)
	case f.Seed == 0:
		return nil, errors.New("--seed 0: must be more than 0")
	case f.jobs < 1:
		return nil, fmt.Errorf("--jobs %d: must be more than 0", f.jobs)
	case f.Seed > math.MaxUint64-uint64(f.Seeds):
		return nil, fmt.Errorf("--seed %d --seeds %d goes past the largest seed: begin with a smaller one", f.Seed, f.Seeds)
	}
	if err := f.shards.parse(); err != nil {
		return nil, err
	}
	plans, err := f.shards.load(ctx, f.globals, arg)
	if err != nil {
		return nil, err
	}
	if len(plans) > 1 {
		return nil, fmt.Errorf("%s holds %d scenarios: name one of them", arg, len(plans))
	}
	return plans[0], f.choose(plans[0])
}

type searchFlags struct {
	seedFlags
	limit time.Duration

	tried []search.Tried // of each lock, if all seeds were played elsewhere; else nil
}

func searchCommand(g *globals) *cobra.Command {
	f := &searchFlags{seedFlags: seedFlags{runFlags: simulated(g)}}
	cmd := &cobra.Command{
		Use:   "search <file|name>",
		Short: "Find the seed that breaks a property, and shrink its story",
		Long: `Try seeds until a property breaks, then shrink the story to the smallest one that breaks
it in the same way: without the faults, clients and rounds that it does not need, with
short durations and plain moments. The result is a scenario file that stands alone, below
search/ in the run store, and a report of it. It does not depend on --jobs: the lowest seed
that breaks the property counts.

The exit code is 1 if a property breaks, even with expect: anything. If the scenario expects
exactly that of the lock, it is 0, and 1 means that no seed breaks the property.

` + exitHint,
		Example: `  simulate search scenarios/search/redlock-storm.yaml  # the usual 10,000 seeds
  simulate search redlock-storm --property no-lost-update --for 2m  # by time
  simulate search mixed --lock set-nx-lua --seeds 10000  # one lock`,
		Args: arguments(1, 1, "one scenario, such as redlock-storm"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("seeds") && cmd.Flags().Changed("for") {
				return errors.New("--seeds and --for both say when to stop: leave one of them out")
			}
			return f.search(cmd.Context(), args[0])
		},
	}
	f.add(cmd, "search for these locks instead of the scenario's", 10_000, "the most seeds to try")
	cmd.Flags().StringSliceVar(&f.Properties, "property", []string{checker.MutualExclusionID}, "what must break; any of several")
	cmd.Flags().DurationVar(&f.limit, "for", 0, "try seeds for that long instead, such as 2m")
	return speaks(settable(cmd, g), g)
}

type hunt struct {
	lock   string
	tried  search.Tried
	idle   []faults.Fault // listed faults that no seed tested
	found  *search.Found  // nil if nothing broke
	file   string         // of the smallest version
	met    bool           // the scenario expects this result, and something was tested
	loaded *plan.Plan     // the parsed file
	runDir string
}

func (f *searchFlags) search(ctx context.Context, arg string) error {
	p, err := f.searched(ctx, arg)
	if err != nil {
		return err
	}
	if err := f.playElsewhere(ctx, p); err != nil {
		return err
	}
	var hunts []*hunt
	for _, lock := range p.Locks {
		h, err := f.hunt(ctx, p, lock)
		if err != nil {
			return errors.Join(f.searchError(ctx, h, err), writeIndex(f.out, f.language))
		}
		hunts = append(hunts, h)
		if !f.json {
			if len(hunts) > 1 {
				fmt.Fprintln(f.stdout)
			}
			if err := f.show(ctx, p, h); err != nil {
				return err
			}
		}
	}
	if f.json {
		if err := f.showJSON(ctx, p, hunts); err != nil {
			return err
		}
	}
	if err := writeIndex(f.out, f.language); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("interrupted while shrinking: the stored version could be smaller")
	}
	return verdictOf(hunts)
}

func (f *searchFlags) searched(ctx context.Context, arg string) (*plan.Plan, error) {
	switch {
	case f.limit < 0:
		return nil, fmt.Errorf("--for %v: must be more than 0", f.limit)
	case f.shards.asked() && f.limit > 0:
		return nil, errors.New("--for is a time, and each machine would play other seeds in it: use --seeds with --shard")
	}
	p, err := f.load(ctx, arg)
	if err != nil {
		return nil, err
	}
	if err := f.check(p); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	return p, nil
}

// searchError says how far an interrupted search came; any other error is a bug or the
// environment's.
func (f *searchFlags) searchError(ctx context.Context, h *hunt, err error) error {
	if ctx.Err() != nil && h.tried.Seed == 0 {
		return fmt.Errorf("interrupted: %s broke nothing in %d seeds; --seed %d continues from there", h.lock, h.tried.Seeds, f.seed+uint64(h.tried.Seeds))
	}
	return bug(err)
}

// hunt searches for one lock and stores the smallest version. On an error it returns the search so
// far.
func (f *searchFlags) hunt(ctx context.Context, p *plan.Plan, lock string) (*hunt, error) {
	h := &hunt{lock: lock}
	var err error
	if f.tried != nil {
		h.tried = f.tried[slices.Index(p.Locks, lock)]
	} else {
		h.tried, err = f.seek(ctx, p, lock, campaign.Shard{})
	}
	if err != nil {
		return h, err
	}
	if h.tried.Seed > 0 {
		if h.found, err = search.Smallest(ctx, simulator, p, lock, h.tried.Property, h.tried.Seed); err != nil {
			return h, err
		}
		if err := f.save(p, h); err != nil {
			return h, err
		}
	}
	h.idle = run.Idle(p, h.tried.Noticed)
	h.met = !h.inconclusive() && f.meets(p, h)
	return h, nil
}

// meets reports whether the scenario expects this result for the chosen properties.
func (f *searchFlags) meets(p *plan.Plan, h *hunt) bool {
	said, _ := p.ExpectationsFor(h.lock)
	for _, e := range said {
		if e.Verdict != string(checker.Broken) || !slices.Contains(f.Properties, e.Property) {
			continue
		}
		if h.found == nil || e.Property == h.found.Property {
			return h.found != nil
		}
	}
	return h.found == nil
}

// save writes the smallest version and reads it back.
func (f *searchFlags) save(p *plan.Plan, h *hunt) error {
	h.file = filepath.Join(f.out, "search", p.Slug, h.lock+"-"+h.found.Property+".yaml")
	if err := writeWhole(h.file, []byte(h.found.YAML)); err != nil {
		return unwritable(fmt.Errorf("cannot write the smallest version: %w", err), "--out")
	}
	var err error
	h.loaded, err = scenario.Load(h.file)
	return err
}

// stored plays the smallest version and stores the run.
func (f *searchFlags) stored(ctx context.Context, h *hunt, out *output, show bool) error {
	r, err := run.All(context.WithoutCancel(ctx), simulator, h.loaded, h.loaded.Seed, f.backend)
	if err != nil {
		return bug(err)
	}
	if h.found.Judgement.History.Hash().String() != history.HashAll(r.Histories()) {
		return bug(fmt.Errorf("%s plays another history than the one found", h.file))
	}
	if show {
		return out.result(r)
	}
	b, err := out.store(r)
	if err == nil {
		h.runDir = b.RunDir
	}
	return err
}

// inconclusive reports whether no seed tested the lock, or one of the listed faults.
func (h *hunt) inconclusive() bool {
	return h.found == nil && (h.tried.Untested == h.tried.Seeds || len(h.idle) > 0)
}

func verdictOf(hunts []*hunt) error {
	worst := run.Met
	for _, h := range hunts {
		switch {
		case h.inconclusive():
			worst = max(worst, run.Inconclusive)
		case !h.met:
			worst = run.Missed
		}
	}
	return statusExit(worst)
}

func (f *searchFlags) show(ctx context.Context, p *plan.Plan, h *hunt) error {
	line := func(name string, what say.Part) { fmt.Fprintln(f.stdout, f.named(name, what)) }
	percent := func(ppm int64) say.Verbatim { return say.Verbatim(rate.Percent(ppm)) }
	lock, tested := say.Verbatim(h.lock), h.tried.Tested()
	if h.inconclusive() {
		why := say.NoSeedTests.With(lock, say.Number(h.tried.Seeds))
		if h.tried.Untested < h.tried.Seeds {
			why = say.OfLock.With(say.Verbatim(h.lock), say.NoSeedNoticed.With(say.Number(h.tried.Seeds), run.IdleRemarks(h.idle)))
		}
		f.printSaid(why)
		return nil
	}
	if h.found == nil {
		f.printSaid(say.KeepsInSeeds.With(lock, f.Properties, say.Number(tested), say.Number(h.tried.Seeds), tested < h.tried.Seeds))
		_, high := rate.Wilson(0, tested)
		line("rate", say.FewerThan.With(percent(high)))
		return nil
	}
	x := h.found
	share, low, high := h.tried.Rate()
	fmt.Fprintf(f.stdout, "%s\n\n", f.said(h.breaks()))
	line("rate", say.OneOf.With(say.Number(tested), percent(share), percent(low), percent(high)))
	line("found", x.Before.Words())
	line("smallest", say.AfterReplays.With(x.After.Words(), say.Number(x.Plays)))
	for _, fault := range x.Smallest.Faults {
		line("", fault.Sentence())
	}
	line("file", say.Verbatim(h.file))
	line("original", say.Verbatim(f.replay(p, h.lock, x.Seed)))
	fmt.Fprintln(f.stdout)
	out := newOutput(&runFlags{globals: f.globals, backend: f.backend, scale: f.scale, seed: h.loaded.Seed})
	return f.stored(ctx, h, out, true)
}

// breaks says what broke, and how the previous seeds ended.
func (h *hunt) breaks() say.Phrase {
	breaks := say.BreaksWithSeed.With(say.Verbatim(h.lock), say.Property(h.found.Property), say.Seed(h.found.Seed))
	n := h.tried.Seeds - 1
	switch {
	case h.tried.Untested > 0:
		return say.SeedsBefore.With(breaks, say.Number(n), say.Number(h.tried.Tested()-1), say.Number(h.tried.Untested))
	case n == 0:
		return breaks
	case n == 1:
		return say.SeedBeforeKept.With(breaks)
	default:
		return say.SeedsBeforeKept.With(breaks, say.Number(n))
	}
}
