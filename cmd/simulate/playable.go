package main

import (
	"fmt"
	"io"
	"slices"

	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/say"
)

// leaveOut takes the locks out of a plan that are refused. They are remembered:
// nobody is to believe that they were tested.
func (f *runFlags) leaveOut(p *plan.Plan, refuse func(lock string) error) {
	p.PlayOnly(slices.DeleteFunc(slices.Clone(p.Locks), func(lock string) bool {
		err := refuse(lock)
		if err != nil {
			f.notPlayed = append(f.notPlayed, export.NotPlayed{Scenario: p.Slug, Lock: lock, Reason: err.Error()})
		}
		return err != nil
	}))
}

// notSimulated says why the simulator cannot play a lock, or nil.
func notSimulated(p *plan.Plan, lock string) error {
	v, _ := p.Lock(lock)
	return v.CheckSimulated()
}

// named reports whether an argument names this scenario file itself and not only a
// directory in which it lies. What somebody asks for by name has to be played or
// refused; of all that there is in a directory, the simulator plays what it can.
func named(args []string, file string) bool {
	for _, arg := range args {
		if arg == file || arg == scenarioName(file) || arg == "-" {
			return true
		}
	}
	return false
}

// tellNotPlayed lists what was left out, one line for each reason.
func (f *runFlags) tellNotPlayed(w io.Writer) {
	if len(f.notPlayed) == 0 {
		return
	}
	var reasons []string
	for _, n := range f.notPlayed {
		reasons = append(reasons, n.Reason)
	}
	fmt.Fprintf(w, "\n%s\n", f.said(say.NotPlayedWith.With(say.Verbatim(f.backend), say.Number(len(f.notPlayed)))))
	printReasons(w, reasons)
}

// printReasons prints each reason once, with how often it is one.
func printReasons(w io.Writer, all []string) {
	for _, r := range bundle.Reasons(all) {
		fmt.Fprintf(w, "  %4d  %s\n", r.N, terminalText(r.Text))
	}
}
