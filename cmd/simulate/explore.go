package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	wrapped "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lockstep/internal/explore"
	"lockstep/internal/locks"
	"lockstep/internal/measured"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

// exploreFlags are the flags of the command explore.
type exploreFlags struct {
	*globals
	faults, clients, rounds int
	only, worlds, complete  []string
	sample                  int
	further                 bool
	jobs                    int
	resume                  string
	into                    string
	asIs                    bool
	shards                  shardFlags
	begun                   string // the hash of the walk that shards begin with
	named                   bool   // the locks are, rather than all
}

func exploreCommand(g *globals) *cobra.Command {
	f := &exploreFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "explore [lock...]",
		Short: "Walk the fault space: what does it take to break a lock?",
		Long: `Walk the fault space: play a lock with every fault at every moment, in all the ways in
which locks are used, then with every two faults, and so on. The result is the smallest
sets of kinds of faults that break it, for each of four ways to break:

  believe  two clients believe they hold the lock
  damage   an update is lost, or a write meets a newer holder at work
  robbed   another client removes a client's entry
  stuck    no client gets the lock, although the store could serve

None means none of the schedules that were walked, and the scope says which those are.
Each set has a story: one of the stored search is played by its name, simulate run
set-nx-lua/pause; those of a walk of your own are written as scenario files. One fault is walked in all base
worlds, several together in plain and just-within or in those of --complete; in the
others some schedules of each two kinds are drawn. With --world, all are walked in each
that is named.

Ctrl-C keeps what was walked; --resume goes on from there. --into replaces what a stored
result knows of the walked locks.

Kinds of faults:
` + kindsHelp() + `

Base worlds:
` + worldsHelp(),
		Example: `  simulate explore set-nx-lua  # every single fault
  simulate explore redlock --faults 2 --only cut --world five-nodes  # pairs
  simulate explore redlock --faults 2 --into walk.json  # keep it`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.explore(cmd.Context(), args) },
	}
	cmd.Flags().IntVar(&f.faults, "faults", 1, "the most faults in one schedule")
	cmd.Flags().IntVar(&f.clients, "clients", 2, "clients, at least (some base worlds have more)")
	cmd.Flags().IntVar(&f.rounds, "rounds", 1, "rounds of each client, at least (some base worlds have more)")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "only these kinds of faults")
	cmd.Flags().StringSliceVar(&f.worlds, "world", nil, "only these base worlds, and all of several faults in each of them")
	cmd.Flags().StringSliceVar(&f.complete, "complete", nil, "walk all of several faults in these base worlds (default: plain and just-within)")
	cmd.Flags().IntVar(&f.sample, "sample", 40, "how many schedules of each two kinds to draw in the other base worlds")
	cmd.Flags().BoolVar(&f.further, "further", false, "keep what the result of --into knows of several faults, and walk what it does not")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "how many schedules to play at once (default: one for each core)")
	cmd.Flags().StringVar(&f.resume, "resume", "", "go on with the walk in this file, and keep it there (default: explore/walk.json in the run store)")
	cmd.Flags().BoolVar(&f.asIs, "as-is", false, "walk no further: print what the file of --resume holds; exit code 3 if that is not all")
	cmd.Flags().StringVar(&f.into, "into", "", "put the result into the stored one in this file")
	f.shards.add(cmd)
	return speaks(cmd, g)
}

func kindsHelp() string {
	var b strings.Builder
	for _, k := range explore.Kinds() {
		b.WriteString(helpOf(k.Name, k.Summary))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func worldsHelp() string {
	var b strings.Builder
	for _, w := range explore.BaseWorlds() {
		b.WriteString(helpOf(w.Name, w.Summary))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// helpOf is a name in the help, and beside it what it means.
func helpOf(name, summary string) string {
	var b strings.Builder
	for _, line := range strings.Split(wrapped.WrapSoft(summary, 58), "\n") {
		fmt.Fprintf(&b, "  %-18s  %s\n", name, strings.TrimRight(line, " "))
		name = ""
	}
	return b.String()
}

// explorable makes a world that can be walked.
func explorable() explore.World {
	w := sim.New()
	w.Reserve(sim.MaxRecorded - explore.MostEvents)
	w.Restless = explore.MostRestless
	w.Wordless = true
	return w
}

// walkFile is where an interrupted walk is kept.
func (f *exploreFlags) walkFile() string {
	if f.resume != "" {
		return f.resume
	}
	return filepath.Join(f.out, "explore", "walk.json")
}

func (f *exploreFlags) explore(ctx context.Context, args []string) error {
	all, err := chosenLocks(args)
	if err != nil {
		return err
	}
	f.named = len(args) > 0
	if f.jobs < 0 {
		return errors.New("--jobs cannot be negative")
	}
	if f.asIs && f.resume == "" {
		return errors.New("--as-is prints a stored walk: add --resume FILE")
	}
	o := explore.Options{
		Locks: all, Faults: f.faults, Clients: f.clients, Rounds: f.rounds, Only: f.only, In: f.worlds, Complete: f.complete, Jobs: f.jobs, Worlds: explorable,
	}
	if f.faults > 1 && f.worlds == nil {
		o.Sample = f.sample
	}
	if err := errors.Join(o.Check(), f.checkInto()); err != nil {
		return err
	}
	stored, err := f.readInto(&o)
	if err != nil {
		return err
	}
	if err := f.shards.parse(); err != nil {
		return err
	}
	if f.shards.elsewhere() {
		return f.exploreElsewhere(ctx, args, &o)
	}
	s, err := f.begin(&o)
	if err != nil {
		return err
	}
	if f.further {
		if err := s.Take(&o, stored); err != nil {
			return fmt.Errorf("--into %s: %w", f.into, err)
		}
	}
	if f.asIs {
		err := f.result(stored, s, &o)
		if err == nil && !s.Complete(&o) {
			fmt.Fprintln(os.Stderr, "simulate: not all of this is walked: the same command without --as-is goes on")
			return &silentExit{code: exitInconclusive}
		}
		return err
	}
	err = f.walk(ctx, o, s)
	if ctx.Err() != nil {
		keeping.Store(true)
		return errors.Join(fmt.Errorf("interrupted after %d schedules, which are kept: the same command with --resume %s goes on",
			s.Walked(), shell.Word(f.walkFile())), f.keep(s))
	}
	if err != nil {
		return &bugError{err}
	}
	if f.resume != "" {
		if err := f.keep(s); err != nil {
			return err
		}
	}
	return f.result(stored, s, &o)
}

// walk goes on with a walk and tells how far it is.
func (f *exploreFlags) walk(ctx context.Context, o explore.Options, s *explore.State) error {
	debug.SetGCPercent(explore.GCPercent)
	limitMemory(int64(cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))) * explore.WorkerMemory)
	show := &walkProgress{f: f, tty: term.IsTerminal(int(os.Stderr.Fd())), locks: len(o.Locks), began: time.Now(), before: s.Walked(), save: func() error { return f.keep(s) }}
	o.Progress = show.tell
	defer show.clear()
	return explore.Walk(ctx, o, s)
}

// begin reads the walk to go on with, or begins one.
func (f *exploreFlags) begin(o *explore.Options) (*explore.State, error) {
	if f.resume == "" {
		return explore.NewState(o), f.mayKeep()
	}
	data, err := os.ReadFile(f.resume)
	if errors.Is(err, fs.ErrNotExist) {
		return explore.NewState(o), nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	s, err := explore.ReadState(data, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.resume, err)
	}
	return s, nil
}

// mayKeep says why a new walk that is interrupted could not be kept, or nil: another one is kept there, which is not
// finished.
func (f *exploreFlags) mayKeep() error {
	data, err := os.ReadFile(f.walkFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(err)
	}
	if walked := explore.Unfinished(data); walked > 0 {
		file := shell.Word(f.walkFile())
		return fmt.Errorf("%s keeps a walk of %d schedules that was interrupted: go on with --resume %s and the options that it began with, or keep this one elsewhere with --resume FILE, or remove it",
			file, walked, file)
	}
	return nil
}

// keep stores the walk.
func (f *exploreFlags) keep(s *explore.State) error {
	data, err := s.Store()
	if err != nil {
		return &bugError{err}
	}
	if err := writeWhole(f.walkFile(), data); err != nil {
		return unwritable(err, "--resume")
	}
	return nil
}

// result writes the stories and prints what was found.
func (f *exploreFlags) result(stored *measured.Explored, s *explore.State, o *explore.Options) error {
	if stored != nil {
		r, err := f.writeInto(stored, s, o)
		if err != nil {
			return err
		}
		r.Locks = slices.DeleteFunc(r.Locks, func(l measured.ExploredLock) bool {
			return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return v.ID == l.Lock })
		})
		f.print(r)
		return f.conclusive(r)
	}
	r, err := s.Result(o)
	if err != nil {
		return &bugError{err}
	}
	if f.worlds != nil && !slices.ContainsFunc(r.Locks, func(l measured.ExploredLock) bool { return len(l.Scope) > 0 }) {
		return fmt.Errorf("nothing to walk: none of these locks is used in the world %s", strings.Join(f.worlds, " or "))
	}
	if err := f.writeStories(r); err != nil {
		return err
	}
	if !f.json {
		f.print(r)
		return f.conclusive(r)
	}
	version := buildVersion()
	if f.asIs {
		version = "" // this program has not walked it
	}
	data, err := r.JSON(version)
	if err != nil {
		return &bugError{err}
	}
	if _, err = f.stdout.Write(data); err != nil {
		return err
	}
	return f.conclusive(r)
}
