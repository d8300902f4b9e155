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

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/locks"
	"lockstep/internal/runstore"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
	"lockstep/measurements"
)

type exploreFlags struct {
	*globals
	exploreOptions
	further, asIs bool
	jobs          int
	resume, into  string
	shards        shardFlags
}

type exploreOptions struct {
	Locks    []string `json:"locks,omitempty"`
	Faults   int      `json:"faults,omitempty"`
	Clients  int      `json:"clients"`
	Rounds   int      `json:"rounds"`
	Only     []string `json:"only,omitempty"`
	Profiles []string `json:"profiles,omitempty"` // nil: all
	Complete []string `json:"complete,omitempty"`
	Sample   int      `json:"sample,omitempty"`
	Further  string   `json:"further,omitempty"` // the hash of the stored result that is continued
}

func exploreCommand(g *globals) *cobra.Command {
	f := &exploreFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "explore [lock...]",
		Short: "Search all faults: what does it take to break a lock?",
		Long: `Search exhaustively: play a lock with every fault at every moment, in all the ways in
which locks are used (the usage profiles below), then with every two faults, and so on.
The result is the minimal sets of kinds of faults that break it, for each of four ways
to break:

  overlap          two clients believe they hold the lock
  damage           an update is lost, or a write meets a newer holder at work
  foreign-release  another client removes the holder's entry
  no-progress      no client gets the lock, although the store could serve

None means none of the schedules that were searched: docs/explore.md. Each set has a
story: simulate run set-nx-lua/pause plays one of the stored search; a search of your own
writes its stories as scenario files. Several faults are searched in plain and just-within,
or in the usage profiles of --complete; in the others, a random sample of each pair of
kinds. With --profile, all are searched in each profile named.

With --resume each piece of the search is stored as soon as it is done, and the same command
continues from there; without it, Ctrl-C stores what was searched in the run store.

Kinds of faults:
` + helpOf(faultkind.All(), kindMeans) + `

Usage profiles:
` + helpOf(explore.Profiles(), profileMeans),
		Example: `  simulate explore set-nx-lua  # every single fault
  simulate explore redlock --faults 2 --only cut --profile five-nodes  # pairs
  simulate explore redlock --faults 2 --resume walk.json  # and continue later`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Locks = args
			return f.explore(cmd.Context())
		},
	}
	cmd.Flags().IntVar(&f.Faults, "faults", 1, "the most faults in one schedule")
	cmd.Flags().IntVar(&f.Clients, "clients", 2, "clients, at least (some usage profiles have more)")
	cmd.Flags().IntVar(&f.Rounds, "rounds", 1, "rounds of each client, at least (some usage profiles have more)")
	cmd.Flags().StringSliceVar(&f.Only, "only", nil, "only these kinds of faults")
	cmd.Flags().StringSliceVar(&f.Profiles, "profile", nil, "only these usage profiles, and all of several faults in each of them")
	cmd.Flags().StringSliceVar(&f.Profiles, "world", nil, "as --profile")
	_ = cmd.Flags().MarkDeprecated("world", "it is called --profile") // shown with the message
	cmd.Flags().StringSliceVar(&f.Complete, "complete", nil, "search all of several faults in these usage profiles (default: plain and just-within)")
	cmd.Flags().IntVar(&f.Sample, "sample", 40, "how many schedules of each pair of kinds to draw in the other usage profiles")
	cmd.Flags().BoolVar(&f.further, "further", false, "keep the results of --into for several faults, and search only what is missing")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "how many schedules to play at once (default: one for each core)")
	cmd.Flags().StringVar(&f.resume, "resume", "", "continue the search in this file, and store each piece of it there")
	cmd.Flags().BoolVar(&f.asIs, "as-is", false, "do not search: print what the file of --resume holds; exit code 3 if it is incomplete")
	cmd.Flags().StringVar(&f.into, "into", "", "merge the result into the stored one in this file")
	f.shards.add(cmd)
	return speaks(cmd, g)
}

// explorable makes a world for walks.
func explorable() explore.World {
	w := sim.New()
	w.Reserve(sim.MaxRecorded - explore.MostEvents)
	w.MaxBackToBackRequests = explore.MaxBackToBackRequests
	w.OmitText = true
	return w
}

func (f *exploreFlags) explore(ctx context.Context) error {
	all, err := chosenLocks(f.Locks)
	if err != nil {
		return err
	}
	if f.asIs && f.resume == "" {
		return errors.New("--as-is prints a stored search: add --resume FILE")
	}
	o := explore.Options{
		Locks: all, Faults: f.Faults, Clients: f.Clients, Rounds: f.Rounds, Only: f.Only, In: f.Profiles, Complete: f.Complete, Jobs: f.jobs, Worlds: explorable,
	}
	if f.Faults > 1 && f.Profiles == nil {
		o.Sample = f.Sample
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
		return f.exploreElsewhere(ctx, &o)
	}
	o.AsIs = f.asIs
	if o.Kept, err = f.open(); err != nil {
		return err
	}
	defer o.Kept.Close()
	s, err := f.walk(ctx, o)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		keeping.Store(true)
		return f.interrupted(s, o.Kept)
	case errors.As(err, new(*fs.PathError)):
		return f.unkept(err)
	default:
		return bug(err)
	}
	err = f.result(stored, s, &o)
	if err == nil && f.asIs && !s.Complete(&o) {
		warn("the search is incomplete: the same command without --as-is continues it")
		return silent(exitInconclusive)
	}
	return err
}

func (f *exploreFlags) walk(ctx context.Context, o explore.Options) (*explore.State, error) {
	debug.SetGCPercent(explore.GCPercent)
	limitMemory(int64(cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))) * explore.WorkerMemory)
	bar, part, printed := f.bar("", 0), "", time.Now()
	noLines := f.quiet || term.IsTerminal(int(os.Stderr.Fd()))
	o.Progress = func(p explore.Progress) {
		if now := fmt.Sprintf("%s, %d faults, %s", p.Lock, p.Faults, p.Profile); now != part {
			part = now
			bar.Describe(part)
			bar.Reset() // the time that is left is that of a part
			bar.ChangeMax(p.Units)
		}
		_ = bar.Set(p.Done)
		if now := time.Now(); !noLines && now.Sub(printed) >= 30*time.Second { // a search of an hour into a file
			printed = now
			fmt.Fprintf(os.Stderr, "%s: %d of %d; %d schedules\n", part, p.Done, p.Units, p.Walked)
		}
	}
	defer func() { _ = bar.Finish() }()
	return explore.Walk(ctx, o)
}

// keptAs identifies the work whose pieces a walk keeps. Locks, numbers of faults and samples are
// not part of it, since each piece has its own.
func (f *exploreFlags) keptAs() (*campaign.Work, error) {
	o := f.exploreOptions
	o.Locks, o.Faults, o.Sample = nil, 0, 0
	if f.further {
		data, err := os.ReadFile(f.into)
		if err != nil {
			return nil, runstore.Unread(err)
		}
		o.Further = runstore.SHA256(data)
	}
	return f.shards.work("explore", o)
}

// open opens the file of the walk to continue.
func (f *exploreFlags) open() (*campaign.Results, error) {
	w, err := f.keptAs()
	if err != nil {
		return nil, err
	}
	switch {
	case f.resume == "":
		return campaign.NewResults(w, 0), nil
	case f.asIs || f.shards.asked(): // read only
		kept, err := campaign.Look(f.resume, w, 0)
		return kept, f.unkept(err)
	}
	kept, err := campaign.Open(f.resume, w, 0)
	return kept, f.unkept(err)
}

// unkept is the error for a walk that cannot be written to its file or read from it.
func (f *exploreFlags) unkept(err error) error {
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		return unwritable(err, "--resume")
	}
	if errors.Is(err, campaign.ErrDiverged) {
		return bug(err)
	}
	return err
}

// interrupted stores an interrupted walk, unless it has a file, and says how to continue.
func (f *exploreFlags) interrupted(s *explore.State, kept *campaign.Results) (err error) {
	if f.resume == "" {
		f.resume = f.freeFile()
		err = unwritable(writeNew(f.resume, kept.Store()), "--resume")
	}
	return errors.Join(fmt.Errorf("interrupted after %d schedules, which are stored: the same command with --resume %s continues",
		s.Walked(), shell.Word(f.resume)), err)
}

// freeFile is an unused file in the run store for an interrupted walk.
func (f *exploreFlags) freeFile() string {
	for n := 1; ; n++ {
		name := "walk.json"
		if n > 1 {
			name = fmt.Sprintf("walk-%d.json", n)
		}
		file := filepath.Join(f.out, "explore", name)
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			return file
		}
	}
}

// result writes the stories and prints the findings.
func (f *exploreFlags) result(stored *results.Explored, s *explore.State, o *explore.Options) error {
	r, err := f.found(stored, s, o)
	if err != nil {
		return err
	}
	if !f.json {
		f.print(r)
		return f.conclusive(r)
	}
	version := buildVersion()
	if f.asIs {
		version = "" // another program may have walked it
	}
	return cmp.Or(f.printed(r.JSON(version)), f.conclusive(r))
}

// found is the result of a walk with its stories as files, or what it has put into the stored one.
func (f *exploreFlags) found(stored *results.Explored, s *explore.State, o *explore.Options) (*results.Explored, error) {
	if stored != nil {
		r, err := f.writeInto(stored, s, o)
		if err == nil {
			r.Locks = slices.DeleteFunc(r.Locks, func(l results.ExploredLock) bool {
				return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return v.ID == l.Lock })
			})
		}
		return r, err
	}
	r, err := s.Result(o)
	if err != nil {
		return nil, bug(err)
	}
	if f.Profiles != nil && !slices.ContainsFunc(r.Locks, func(l results.ExploredLock) bool { return len(l.Scope) > 0 }) {
		return nil, fmt.Errorf("nothing to search: none of these locks is used in the profile %s", strings.Join(f.Profiles, " or "))
	}
	return r, f.writeStories(r)
}

// readInto reads the result of --into, before the walk, which takes long; nil without --into. With
// --further the walk continues it.
func (f *exploreFlags) readInto(o *explore.Options) (*results.Explored, error) {
	if f.into == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.into)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, environment(fmt.Errorf("--into %s: no such file: name a result of simulate explore --json", f.into))
	}
	if err != nil {
		return nil, runstore.Unread(err)
	}
	if data, err = measurements.Unpack(f.into, data); err != nil {
		return nil, fmt.Errorf("--into: %w", err)
	}
	r, err := results.ReadExplored(data)
	if err != nil {
		return nil, fmt.Errorf("--into %s: it %w", f.into, err)
	}
	if f.further {
		o.Further = r
	}
	if err := o.CheckInto(r); err != nil {
		return nil, fmt.Errorf("--into %s: %w", f.into, err)
	}
	return r, nil
}

// writeInto puts the walk into the stored result.
func (f *exploreFlags) writeInto(stored *results.Explored, s *explore.State, o *explore.Options) (*results.Explored, error) {
	r, err := s.Into(o, stored)
	if err != nil {
		return nil, fmt.Errorf("--into %s: %w", f.into, err)
	}
	data, err := r.JSON("")
	if err == nil {
		data, err = measurements.Pack(f.into, data)
	}
	if err != nil {
		return nil, bug(err)
	}
	if err := writeWhole(f.into, data); err != nil {
		return nil, unwritable(err, "--into")
	}
	if stale := explore.Stale(r); len(stale) > 0 {
		warn("%s keeps results that older code of a lock may have given, so they say nothing about this code: %s; "+
			"to search one again: simulate explore LOCK --faults %d --into %s",
			f.into, strings.Join(stale, ", "), r.Scope.Faults, shell.Word(f.into))
	}
	return r, nil
}

// writeStories writes the stories of a walk into the run store, as explore/LOCK/SET.yaml, and names
// them by their files.
func (f *exploreFlags) writeStories(r *results.Explored) error {
	var files []runstore.File
	known := map[string]bool{}
	for i := range r.Locks {
		l := &r.Locks[i]
		for _, s := range l.Stories() {
			file := s.Name + ".yaml"
			if s.Name = filepath.ToSlash(filepath.Join(f.out, "explore", file)); known[file] {
				continue
			}
			known[file] = true
			data, err := explore.Scenario(&r.Scope, l.Lock, s.Shown)
			if err != nil {
				return bug(err)
			}
			files = append(files, runstore.File{Name: file, Data: data})
		}
	}
	return unwritable(replaceFiles(filepath.Join(f.out, "explore"), files), "--out")
}

// checkInto returns why --into conflicts with other flags, or nil.
func (f *exploreFlags) checkInto() error {
	if f.into != "" && f.json {
		return errors.New("--json prints a result, and --into writes it: leave one of them out")
	}
	if f.further && f.into == "" {
		return errors.New("--further searches what a stored result lacks: add --into FILE")
	}
	return nil
}
