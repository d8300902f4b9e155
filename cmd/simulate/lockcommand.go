package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/shell"
	"lockstep/locktest/stories"
)

// lockCommand is a lock that is a program of the user's own, as flags name it.
type lockCommand struct {
	text, store string
	breaks      []string // story=property,property
}

func (c *lockCommand) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.text, "lock-command", "", "play your own lock, a program that speaks JSON lines (docs/own-lock-programs.md), as in 'python3 mylock.py'")
	cmd.Flags().StringVar(&c.store, "lock-store", string(locks.StoreRedis), "what the lock of --lock-command keeps its entries in: "+strings.Join(locks.ProgramStores(), ", "))
}

// suite are the arguments of simulate run: without any, the stories for a lock of one's own.
func (c *lockCommand) suite(args []string) []string {
	if c.text != "" && len(args) == 0 {
		return stories.Names()
	}
	return args
}

// expect has the plan expect of the program that it keeps every property, whatever the story says of the locks
// that it was written for, and that it breaks what --breaks says.
func (c *lockCommand) expect(p *plan.Plan, own []string) error {
	if len(own) > 0 && !p.OnlyLooks() {
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

// unknownBreaks says which --breaks is about no story that is played; nil when all are.
func (c *lockCommand) unknownBreaks(plans []*plan.Plan) error {
	for i, text := range c.breaks {
		story, _, ok := strings.Cut(text, "=")
		same := func(other string) bool { return strings.HasPrefix(other, story+"=") }
		switch {
		case c.text == "":
			return errors.New("--breaks is about the program of --lock-command: name that, too")
		case !ok || !slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p.Slug == story }):
			return fmt.Errorf("--breaks %.80q is about no story that is played: write it as in --breaks pause=mutual-exclusion", text)
		case slices.ContainsFunc(c.breaks[:i], same):
			return fmt.Errorf("--breaks names the story %s twice: join its properties by commas", story)
		}
	}
	return nil
}

// add makes the program a lock of the plan and returns its id; none without a program.
func (c *lockCommand) add(p *plan.Plan) ([]string, error) {
	if c.text == "" {
		if c.store != "" && c.store != string(locks.StoreRedis) { // "": a command without these flags
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

// splitWords splits a command as a shell does, and runs none.
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

// replay are the words that name the lock once more.
func (c *lockCommand) replay() []string {
	words := []string{"--lock-command", shell.Word(c.text)}
	if c.store != string(locks.StoreRedis) {
		words = append(words, "--lock-store", c.store)
	}
	for _, text := range c.breaks {
		words = append(words, "--breaks", shell.Word(text))
	}
	return words
}
