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
	"lockstep/internal/say"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

// exploreFlags are the flags of the command explore.
type exploreFlags struct {
	*globals
	faults, clients, rounds int
	only, worlds            []string
	jobs                    int
	resume                  string
	stories                 string
	into                    string
	asIs                    bool
	shards                  shardFlags
	begun                   string // the hash of the walk that shards begin with
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
  robbed   somebody else frees a client's entry
  stuck    nobody gets the lock, although the store could serve

None means none of the schedules that were walked, and the scope says which those are;
those whose faults come to the same are played once.
Each set has a story, written as a scenario file. One fault is walked in all base
worlds, several together in the plain one; with --world, all of them in each that is
named.

Ctrl-C keeps what was walked; --resume goes on from there. --into replaces what a stored
result knows of the walked locks, and puts their stories into its folder.

Kinds of faults:
` + kindsHelp() + `

Base worlds:
` + worldsHelp(),
		Example: `  simulate explore set-nx-lua  # every single fault
  simulate explore redlock --faults 2 --only cut --world five-nodes  # pairs
  simulate explore redlock --faults 2 --into docs/explore.json  # keep it`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.explore(cmd.Context(), args) },
	}
	cmd.Flags().IntVar(&f.faults, "faults", 1, "the most faults in one schedule")
	cmd.Flags().IntVar(&f.clients, "clients", 2, "clients, at least (some base worlds have more)")
	cmd.Flags().IntVar(&f.rounds, "rounds", 1, "rounds of each client, at least (some base worlds have more)")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "only these kinds of faults")
	cmd.Flags().StringSliceVar(&f.worlds, "world", nil, "only these base worlds, and several faults in each of them")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "how many schedules to play at once (default: one for each core)")
	cmd.Flags().StringVar(&f.resume, "resume", "", "go on with the walk in this file, and keep it there (default: explore/walk.json in the run store)")
	cmd.Flags().BoolVar(&f.asIs, "as-is", false, "walk no further: print what the file of --resume holds; exit code 3 if that is not all")
	cmd.Flags().StringVar(&f.stories, "stories", "", "where to write the stories (default: explore in the run store)")
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
	w.Wordless, w.Recall = true, true
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
	if f.jobs < 0 {
		return errors.New("--jobs cannot be negative")
	}
	if f.asIs && f.resume == "" {
		return errors.New("--as-is prints a stored walk: add --resume FILE")
	}
	o := explore.Options{
		Locks: all, Faults: f.faults, Clients: f.clients, Rounds: f.rounds, Only: f.only, In: f.worlds, Jobs: f.jobs, Worlds: explorable,
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
		return explore.NewState(o), nil
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
func (f *exploreFlags) result(stored *storedResult, s *explore.State, o *explore.Options) error {
	if stored != nil {
		r, err := f.writeInto(stored, s, o)
		if err != nil {
			return err
		}
		r.Locks = slices.DeleteFunc(r.Locks, func(l measured.ExploredLock) bool {
			return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return v.ID == l.Lock })
		})
		f.print(r)
		return nil
	}
	r, stories, err := s.Result(o)
	if err != nil {
		return &bugError{err}
	}
	if f.worlds != nil && !slices.ContainsFunc(r.Locks, func(l measured.ExploredLock) bool { return len(l.Scope) > 0 }) {
		return fmt.Errorf("nothing to walk: none of these locks is used in the world %s", strings.Join(f.worlds, " or "))
	}
	if f.stories == "" {
		f.stories = filepath.Join(f.out, "explore")
	}
	if err := f.writeStories(stories); err != nil {
		return err
	}
	explore.Below(r, filepath.ToSlash(f.stories))
	if !f.json {
		f.print(r)
		return nil
	}
	version := buildVersion()
	if f.asIs {
		version = "" // this program has not walked it
	}
	data, err := r.JSON(version)
	if err != nil {
		return &bugError{err}
	}
	_, err = f.stdout.Write(data)
	return err
}

// noneOf is what it means that a lock has no set: only what was walked to its end, and of
// which everything is known, says that there is none.
func noneOf(l *measured.ExploredLock) say.Phrase {
	switch {
	case l.Complete == 0:
		return say.NotWalkedToTheEnd.With()
	case l.Walked == 0:
		return say.NothingToWalk.With()
	case l.Cut > 0 || len(l.Doubts) > 0:
		return say.NoneKnown.With()
	}
	return say.NoneUpTo.With(say.Number(l.Complete))
}

// line shows something under a name; "" for no name.
func (f *exploreFlags) line(name string, what say.Part) {
	ruler, widest := say.RulerFor(f.language), 8
	for _, way := range explore.Ways() {
		widest = max(widest, ruler.Width(say.Text(way.String()).In(f.language)))
	}
	for _, line := range ruler.Wrap(f.said(what), f.width()-widest-3) {
		fmt.Fprintf(f.stdout, "  %s %s\n", ruler.Pad(say.Text(name).In(f.language), widest), line)
		name = ""
	}
}

// printSets shows the sets of one way of breaking.
func (f *exploreFlags) printSets(l *measured.ExploredLock, name string, sets []measured.CutSet) {
	if len(sets) == 0 {
		f.line(name, noneOf(l))
	}
	for _, set := range sets {
		what := say.Text("breaks without a fault")
		if len(set.Kinds) > 0 {
			what = say.Text(strings.Join(set.Kinds, " + "))
		}
		f.line(name, what)
		name = ""
		if set.Text == "" {
			continue
		}
		schedule := say.InWorldSchedule.With(say.Verbatim(set.World), say.Both{English: set.Text, Chinese: set.TextChinese})
		for _, line := range say.RulerFor(f.language).Wrap(f.said(schedule), f.width()-13) {
			fmt.Fprintf(f.stdout, "             %s\n", line)
		}
	}
}

// print shows the sets of each lock.
func (f *exploreFlags) print(r *measured.Explored) {
	for i := range r.Locks {
		l := &r.Locks[i]
		if i > 0 {
			fmt.Fprintln(f.stdout)
		}
		if f.worlds != nil && len(l.Scope) == 0 {
			fmt.Fprintln(f.stdout, f.said(say.UsedInNoneOfThese.With(say.Verbatim(l.Lock))))
			continue
		}
		fmt.Fprintln(f.stdout, f.said(say.WalkedOf.With(say.Verbatim(l.Lock), say.Grouped(l.Walked), say.Number(l.Complete), say.Number(r.Scope.Faults))))
		for _, way := range explore.Ways() {
			f.printSets(l, way.String(), l.Breaks[way.String()])
		}
		if hung := l.Breaks[measured.Hung]; len(hung) > 0 {
			f.printSets(l, "  (hung)", hung)
		}
		if l.Cut > 0 {
			f.line("unknown", say.WithoutAnEnd.With(say.Grouped(l.Cut), say.Grouped(explore.MostRestless), say.Grouped(explore.MostEvents)))
		}
		for _, doubt := range l.Doubts {
			f.line("doubt", say.Verbatim(doubt))
		}
	}
}
