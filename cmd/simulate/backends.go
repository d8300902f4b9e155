package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/images"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
	"lockstep/locktest/stories"
)

// lockCommand is a user's own lock, a program that flags name.
type lockCommand struct {
	text, store string
	breaks      []string // story=property,property
}

func (c *lockCommand) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.text, "lock-command", "", "play your own lock, a program that speaks JSON lines (docs/own-lock-programs.md), as in 'python3 mylock.py'")
	cmd.Flags().StringVar(&c.store, "lock-store", string(locks.StoreRedis), "what the lock of --lock-command keeps its entries in: "+strings.Join(locks.ProgramStores(), ", "))
}

// suite returns the arguments of simulate run; by default, the stories for a user's own lock.
func (c *lockCommand) suite(args []string) []string {
	if c.text != "" && len(args) == 0 {
		return stories.Names()
	}
	return args
}

// expect makes the plan expect that the program keeps every property, whatever the story expects of
// its own locks, except for the properties of --breaks.
func (c *lockCommand) expect(p *plan.Plan, own []string) error {
	if len(own) > 0 && !p.ExpectsNothing() {
		p.ExpectKept(own)
	}
	for _, text := range c.breaks {
		story, list, _ := strings.Cut(text, "=")
		if story != p.Slug {
			continue
		}
		broken := strings.Split(list, ",")
		for _, id := range broken {
			if _, ok := checker.Lookup(id); !ok {
				return fmt.Errorf("--breaks %.80q: there is no property %.40q; write it as in --breaks pause=mutual-exclusion (`simulate list properties`)", text, id)
			}
		}
		p.ExpectKept(own)
		p.Expect = append(p.Expect, run.Breaking(own, broken)...)
	}
	return nil
}

// unknownBreaks returns an error for a --breaks whose story is not played.
func (c *lockCommand) unknownBreaks(plans []*plan.Plan) error {
	for i, text := range c.breaks {
		story, _, ok := strings.Cut(text, "=")
		same := func(other string) bool { return strings.HasPrefix(other, story+"=") }
		switch {
		case c.text == "":
			return errors.New("--breaks is about the program of --lock-command: name that, too")
		case !ok || !slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p.Slug == story }):
			return fmt.Errorf("--breaks %.80q is about no story that is played: write it as in --breaks %s=mutual-exclusion", text, plans[0].Slug)
		case slices.ContainsFunc(c.breaks[:i], same):
			return fmt.Errorf("--breaks names the story %s twice: join its properties by commas", story)
		}
	}
	return nil
}

// add adds the program to the plan's locks and returns its id; nil without a program.
func (c *lockCommand) add(p *plan.Plan) ([]string, error) {
	if c.text == "" {
		if c.store != "" && c.store != string(locks.StoreRedis) { // "" if the command lacks these flags
			return nil, errors.New("--lock-store is about the program of --lock-command: name that, too")
		}
		return nil, nil
	}
	words, err := splitWords(c.text)
	if err != nil {
		return nil, err
	}
	v, err := locks.NewProgram("", words, locks.Store(c.store))
	if err != nil {
		return nil, err
	}
	if _, taken := p.Lock(v.ID); taken {
		return nil, fmt.Errorf("%s names a lock of its own %s, as --lock-command does: play it without --lock-command, or give it another name there", p.File, v.ID)
	}
	p.Programs = append(p.Programs, v)
	return []string{v.ID}, nil
}

// splitWords splits a command as a shell does, without running one.
func splitWords(text string) ([]string, error) {
	parser := shellwords.NewParser()
	words, err := parser.Parse(text)
	switch {
	case err != nil || strings.ContainsAny(text, "\n\x00"):
		return nil, fmt.Errorf("--lock-command %.80q is not one command: close its quotes, and write it on one line", text)
	case parser.Position >= 0:
		return nil, fmt.Errorf("--lock-command %.80q has an operator of the shell, and no shell runs it: quote it, or write a script", text)
	}
	return words, nil
}

// replay returns the flags that name the lock.
func (c *lockCommand) replay() string {
	line := option("lock-command", shell.Word(c.text), "") +
		option("lock-store", c.store, string(locks.StoreRedis))
	for _, text := range c.breaks {
		line += option("breaks", shell.Word(text), "")
	}
	return line
}

// leaveOut removes the refused locks from a plan, and records them, so that they do not pass for
// tested.
func (f *runFlags) leaveOut(p *plan.Plan, refuse func(lock string) error) {
	p.PlayOnly(slices.DeleteFunc(slices.Clone(p.Locks), func(lock string) bool {
		err := refuse(lock)
		if err != nil {
			f.notPlayed = append(f.notPlayed, export.NotPlayed{Scenario: p.Slug, Lock: lock, Reason: err.Error()})
		}
		return err != nil
	}))
}

// notSimulated returns why the simulator cannot play a lock, or nil.
func notSimulated(p *plan.Plan, lock string) error {
	v, _ := p.Lock(lock)
	return v.CheckSimulated()
}

// named reports whether an argument names this scenario file itself, not just its directory. A file
// that the user names must be played or refused; of a directory, the simulator plays what it can.
func named(args []string, file string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return arg == file || arg == scenarioName(file) || arg == "-" })
}

// printNotPlayed lists what was left out, with a line for each reason.
func (f *runFlags) printNotPlayed() {
	if len(f.notPlayed) == 0 {
		return
	}
	fmt.Fprintf(f.stdout, "\n%s\n", f.said(say.NotPlayedWith.With(say.Verbatim(f.backend), say.Number(len(f.notPlayed)))))
	f.printReasons(each.Map(f.notPlayed, func(n export.NotPlayed) string { return n.Reason }))
}

func (g *globals) printReasons(all []string) {
	for _, r := range bundle.Reasons(all) {
		fmt.Fprintf(g.stdout, "  %4d  %s\n", r.N, terminalText(r.Text))
	}
}

const million = 1_000_000

// The backends with real servers: as child processes, in containers, or started by the user. See
// live.go and nolive.go.
const (
	processBackend = "process"
	dockerBackend  = "docker"
	composeBackend = "compose"
)

// backend returns the worlds of --backend. choice is the value of --image.
func backend(name string, scalePPM int64, choice []string) (run.Factory, error) {
	chosen, err := images.ParseChoice(choice)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 0 && name != dockerBackend {
		return nil, fmt.Errorf("--image is for --backend %s", dockerBackend)
	}
	switch {
	case name == sim.Backend:
		return simulator, nil
	case isLive(name):
		return liveBackend(name, scalePPM, chosen)
	}
	otherwise := "choose " + strings.Join(backendNames(), " or ")
	return nil, fmt.Errorf("unknown backend %q: %s", name, scenario.DidYouMean(name, backendNames(), otherwise))
}

func simulator() run.World { return sim.New() }

func backendNames() []string {
	return []string{sim.Backend, processBackend, dockerBackend, composeBackend}
}

// isLive reports whether a backend plays on real servers.
func isLive(name string) bool { return name != sim.Backend && slices.Contains(backendNames(), name) }

// refusal returns why a backend cannot play a plan with a lock, or nil.
func refusal(backend string, scalePPM int64, p *plan.Plan, lock string) error {
	if v, ok := p.Lock(lock); ok {
		if err := v.CheckLease(p.Lease); err != nil {
			return err
		}
	}
	if isLive(backend) {
		return liveRefusal(backend, scalePPM, p, lock)
	}
	return notSimulated(p, lock)
}

// parseScale parses a factor such as 0.1 as millionths, without floats.
func parseScale(text string) (int64, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	bad := fmt.Errorf("--scale %q is not a factor between 0.001 and 10: write 0.1 to play ten times as fast", text)
	if len(fraction) > 6 || strings.ContainsAny(text, "+-") {
		return 0, bad
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
	if err != nil || n < 1000 || n > 10*million {
		return 0, bad
	}
	return n, nil
}
