package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/shell"
)

// lockCommand is a lock that is a program of the user's own, as flags name it.
type lockCommand struct{ text, store string }

func (c *lockCommand) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.text, "lock-command", "", "play your own lock, a program that speaks JSON lines (docs/own-lock-programs.md), as in 'python3 mylock.py'")
	cmd.Flags().StringVar(&c.store, "lock-store", string(locks.StoreRedis), "what the lock of --lock-command keeps its entries in: "+strings.Join(locks.ProgramStores(), ", "))
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
	return words
}
