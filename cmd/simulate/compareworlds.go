package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/matrix"
	"lockstep/internal/report"
	"lockstep/internal/run"
	"lockstep/internal/sim"
	"lockstep/internal/worlds"
)

// worldsFlags are the flags of the command compare-worlds.
type worldsFlags struct {
	cellFlags
	times int
}

func compareWorldsCommand(g *globals) *cobra.Command {
	f := &worldsFlags{cellFlags: cellFlags{globals: g}}
	cmd := &cobra.Command{
		Use:   "compare-worlds",
		Short: "Play the matrix in the simulator and on real servers",
		Long: `Put the simulator to the test. Of each cell of the matrix the script that does
most harm is played in the simulator and on real servers, the same plan with the
same lock, and the letters are put side by side. Where they differ, the model or
the script is wrong.

S and L count as the same: a busy machine makes somebody wait. A cell that real
servers cannot play says why.

Exit codes:
  0    all cells agree that could be played
  1    some differ
  3    some put nothing to the test, or none could be played`,
		Example: `  simulate compare-worlds --lock set-nx-lua,watchdog-lua
  simulate compare-worlds --fault GP,LR --times 20
  simulate compare-worlds --scale 0.1 --json > worlds.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.compare(cmd) },
	}
	f.add(cmd, processBackend, "0.1")
	cmd.Flags().IntVar(&f.times, "times", 1, "how often each cell is played in each world")
	return cmd
}

func (f *worldsFlags) compare(cmd *cobra.Command) error {
	chosen, err := f.chosen()
	if err != nil {
		return err
	}
	switch {
	case f.times < 1:
		return fmt.Errorf("--times %d: at least 1", f.times)
	case f.backend == sim.Backend:
		return errors.New("--backend sim: the simulator is compared with real servers, so choose another one")
	}
	o := worlds.Options{
		Locks: chosen.locks, Columns: chosen.columns, ScalePPM: chosen.scalePPM, Refuse: chosen.refuse,
		Sim: simulator, Backend: f.backend, Times: f.times, Jobs: f.jobs,
	}
	if o.Real, err = backend(f.backend, o.ScalePPM, nil); err != nil {
		return err
	}
	bar := f.bar("compare-worlds", chosen.count())
	o.Progress = func(done, _ int) { _ = bar.Set(done) }
	started := time.Now()
	c, err := worlds.Compare(cmd.Context(), o)
	_ = bar.Finish()
	if err != nil {
		return err
	}
	data, err := report.WorldsHTML(f.page(c))
	if err != nil {
		return &bugError{err}
	}
	page, err := f.savePage("worlds.html", data)
	if err != nil {
		return err
	}
	if f.json {
		if err := printJSON(f.stdout, worldsJSON(c)); err != nil {
			return err
		}
		return statusExit(worldsStatus(c))
	}
	f.print(f.stdout, c)
	fmt.Fprintf(f.stdout, "\n%s in %.0f s   page %s\n", summaryOf(c), time.Since(started).Seconds(), page)
	return statusExit(worldsStatus(c))
}

func worldsStatus(c *worlds.Comparison) run.Status {
	switch {
	case c.Count(worlds.Differs) > 0:
		return run.Missed
	case c.Count(worlds.Untested) > 0 || c.Count(worlds.Agrees) == 0:
		return run.Inconclusive
	}
	return run.Met
}

func summaryOf(c *worlds.Comparison) string {
	return fmt.Sprintf("%d cells agree, %d differ, %d put nothing to the test, %d not played",
		c.Count(worlds.Agrees), c.Count(worlds.Differs), c.Count(worlds.Untested), c.Count(worlds.NotPlayed))
}

// print shows the table: one letter where the worlds agree, both where they differ.
// Below it stand the cells that need words.
func (f *worldsFlags) print(w io.Writer, c *worlds.Comparison) {
	width := 0
	for _, v := range c.Locks {
		width = max(width, len(v.ID))
	}
	head := fmt.Sprintf("%-*s", width, "")
	for _, col := range c.Columns {
		head += fmt.Sprintf("  %-5s", col.Code)
	}
	fmt.Fprintln(w, strings.TrimRight(head, " "))
	for i, v := range c.Locks {
		line := fmt.Sprintf("%-*s", width, v.ID)
		for k := range c.Columns {
			line += fmt.Sprintf("  %-5s", cellText(c.Cell(i, k)))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(w, "\n  V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played\n")
	f.tellWhy(w, c)
}

func cellText(c *worlds.Cell) string {
	switch c.Agreement {
	case worlds.NotPlayed:
		return "-"
	case worlds.Agrees:
		return string(c.Simulated)
	}
	return string(c.Simulated) + "/" + string(worstReal(c))
}

// worstReal is the letter that makes a cell differ, or that says that nothing was tested.
func worstReal(c *worlds.Cell) checker.Letter {
	out := checker.LetterUnknown
	for _, l := range c.Real {
		if !worlds.Same(c.Simulated, l) && (out == checker.LetterUnknown || matrix.Badness(l) > matrix.Badness(out)) {
			out = l
		}
	}
	return out
}

// tellWhy lists the cells that differ or tested nothing, and the reasons for which
// others were not played.
func (f *worldsFlags) tellWhy(w io.Writer, c *worlds.Comparison) {
	count := map[string]int{}
	var reasons []string
	for i := range c.Cells {
		cell := &c.Cells[i]
		switch cell.Agreement {
		case worlds.Differs, worlds.Untested:
			fmt.Fprintf(w, "\n%s under %s %s: simulated %s, real %s: %s\n", cell.Lock, cell.Fault, cell.Agreement, cell.Simulated, lettersOf(cell.Real), cell.Script)
			if cell.Why != "" {
				fmt.Fprintf(w, "  %s\n", terminalText(cell.Why))
			}
		case worlds.NotPlayed:
			if count[cell.Why] == 0 {
				reasons = append(reasons, cell.Why)
			}
			count[cell.Why]++
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintf(w, "\nNOT PLAYED with --backend %s:\n", c.Backend)
	}
	for _, reason := range reasons {
		fmt.Fprintf(w, "  %4d  %s\n", count[reason], terminalText(reason))
	}
}

// lettersOf counts letters: "V 19 times, S once".
func lettersOf(letters []checker.Letter) string {
	var order []checker.Letter
	count := map[checker.Letter]int{}
	for _, l := range letters {
		if count[l] == 0 {
			order = append(order, l)
		}
		count[l]++
	}
	var parts []string
	for _, l := range order {
		part := string(l)
		if len(letters) > 1 {
			part += fmt.Sprintf(" %d×", count[l])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// worldCellJSON is one cell, as other programs read it.
type worldCellJSON struct {
	Lock      string   `json:"lock"`
	Fault     string   `json:"fault"`
	Agreement string   `json:"agreement"`
	Script    string   `json:"script,omitempty"`
	Simulated string   `json:"simulated,omitempty"`
	Real      []string `json:"real,omitempty"`
	Why       string   `json:"why,omitempty"`
}

// timesJSON is a distribution of durations in microseconds.
type timesJSON struct {
	Count int   `json:"count"`
	P50   int64 `json:"p50_us"`
	P99   int64 `json:"p99_us"`
	Max   int64 `json:"max_us"`
}

func timesOf(sorted []time.Duration) timesJSON {
	if len(sorted) == 0 {
		return timesJSON{}
	}
	at := func(percent int) int64 { return sorted[(len(sorted)*percent+99)/100-1].Microseconds() }
	return timesJSON{Count: len(sorted), P50: at(50), P99: at(99), Max: at(100)}
}

func worldsJSON(c *worlds.Comparison) any {
	cells := make([]worldCellJSON, len(c.Cells))
	for i := range c.Cells {
		cell := &c.Cells[i]
		cells[i] = worldCellJSON{
			Lock: cell.Lock, Fault: cell.Fault, Agreement: string(cell.Agreement), Script: cell.Script,
			Simulated: string(cell.Simulated), Why: cell.Why,
		}
		for _, l := range cell.Real {
			cells[i].Real = append(cells[i].Real, string(l))
		}
	}
	times := map[string]any{}
	for _, s := range c.Samples {
		both := func(simulated, real []time.Duration) any {
			return map[string]timesJSON{"simulated": timesOf(simulated), "real": timesOf(real)}
		}
		times[s.Lock] = map[string]any{
			"wait": both(s.Simulated.Waits, s.Real.Waits), "hold": both(s.Simulated.Holds, s.Real.Holds),
			"failover": both(s.Simulated.Failovers, s.Real.Failovers),
		}
	}
	return map[string]any{
		"schema": 1, "backend": c.Backend, "scale_ppm": c.ScalePPM, "times": c.Times, "cells": cells, "durations": times,
		"agree": c.Count(worlds.Agrees), "differ": c.Count(worlds.Differs),
		"untested": c.Count(worlds.Untested), "not_played": c.Count(worlds.NotPlayed),
	}
}
