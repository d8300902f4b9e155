package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/report"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// matrixFlags are the flags of the command matrix.
type matrixFlags struct {
	*globals
	locks   []string
	columns []string
	seeds   int
	jobs    int
}

func matrixCommand(g *globals) *cobra.Command {
	f := &matrixFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Measure every lock under every kind of fault",
		Long: `Measure every lock under every kind of fault. Each cell plays scripts that bring the
fault about, made to fit the commands which the lock sends, and then random
variations of them. Its letter is the worst that was seen:

  S   safe: no two holders, and others get the lock within normal waiting
  L   safe, but somebody waits for a lease or an election, or gets an error
  D   stuck: nobody gets the lock for ten leases after the fault is over
  F   a release removes the entry of another client
  V   two clients hold the lock at once
  VF  both
  -   the lock has no step that the fault could hit

No letter is written down anywhere: they are all measured.`,
		Example: `  simulate matrix
  simulate matrix --lock set-nx-lua,redlock --fault GP,RS --seeds 1000
  simulate matrix --json > matrix.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.measure(cmd) },
	}
	cmd.Flags().StringSliceVar(&f.locks, "lock", nil, "only these locks")
	cmd.Flags().StringSliceVar(&f.columns, "fault", nil, "only these columns, by their codes")
	cmd.Flags().IntVar(&f.seeds, "seeds", 200, "random variations of each cell's scripts")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "workers (default: one for each core)")
	return cmd
}

func (f *matrixFlags) measure(cmd *cobra.Command) error {
	o := matrix.Options{
		Seeds: f.seeds, Jobs: f.jobs, Backend: sim.Backend,
		Worlds: func() run.World { return sim.New() },
	}
	var err error
	if o.Locks, err = chosenLocks(f.locks); err != nil {
		return err
	}
	if o.Columns, err = chosenColumns(f.columns); err != nil {
		return err
	}
	if f.seeds < 0 {
		return errors.New("--seeds cannot be negative")
	}
	bar := f.progress(len(o.Locks) * len(o.Columns))
	o.Progress = func(done, _ int) { _ = bar.Set(done) } // a bar that cannot be drawn is no reason to stop
	started := time.Now()
	m, err := matrix.Measure(cmd.Context(), o)
	_ = bar.Finish()
	if err != nil {
		return err
	}
	page := filepath.Join(f.out, "matrix.html")
	if err := f.save(cmd.Context(), page, m); err != nil {
		return err
	}
	if f.json {
		return printJSON(os.Stdout, matrixJSON(m))
	}
	f.print(os.Stdout, m)
	fmt.Printf("\n%d runs in %.1f s   page %s\n", runsOf(m), time.Since(started).Seconds(), page)
	if len(m.Cells) == 1 {
		return f.again(m)
	}
	return nil
}

func (f *matrixFlags) progress(cells int) *progressbar.ProgressBar {
	visible := !f.quiet && term.IsTerminal(int(os.Stderr.Fd()))
	return progressbar.NewOptions(cells,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription("matrix"), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(),
	)
}

// chosenLocks are the rows, all of them when none are named.
func chosenLocks(ids []string) ([]locks.Variant, error) {
	if len(ids) == 0 {
		return locks.All(), nil
	}
	var known []string
	for _, v := range locks.All() {
		known = append(known, v.ID)
	}
	var out []locks.Variant
	for _, id := range ids {
		v, ok := locks.Lookup(id)
		if !ok {
			return nil, unknownName("lock", id, known)
		}
		out = append(out, v)
	}
	return out, nil
}

func chosenColumns(codes []string) ([]matrix.Column, error) {
	if len(codes) == 0 {
		return matrix.Columns(), nil
	}
	var known []string
	for _, c := range matrix.Columns() {
		known = append(known, c.Code)
	}
	var out []matrix.Column
	for _, code := range codes {
		c, ok := matrix.Lookup(strings.ToUpper(code))
		if !ok {
			return nil, unknownName("fault column", code, known)
		}
		out = append(out, c)
	}
	return out, nil
}

func unknownName(what, name string, known []string) error {
	if best := scenario.Nearest(name, known); best != "" {
		return fmt.Errorf("unknown %s %q: did you mean %q?", what, name, best)
	}
	return fmt.Errorf("unknown %s %q: there are %s", what, name, strings.Join(known, ", "))
}

// print shows the table and what the codes mean.
func (f *matrixFlags) print(w io.Writer, m *matrix.Matrix) {
	width := 0
	for _, v := range m.Locks {
		width = max(width, len(v.ID))
	}
	fmt.Fprintf(w, "%-*s", width, "")
	for _, c := range m.Columns {
		fmt.Fprintf(w, " %2s", c.Code)
	}
	fmt.Fprintln(w)
	for i, v := range m.Locks {
		fmt.Fprintf(w, "%-*s", width, v.ID)
		for k := range m.Columns {
			letter := m.Cell(i, k).Letter
			fmt.Fprintf(w, " %s", f.paint(letter))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	for _, c := range m.Columns {
		fmt.Fprintf(w, "%2s  %s\n", c.Code, c.Name)
	}
}

// paint colours a letter, padded to two columns.
func (f *matrixFlags) paint(l checker.Letter) string {
	text := fmt.Sprintf("%2s", string(l))
	if !f.color() {
		return text
	}
	colour := map[checker.Letter]string{
		checker.LetterSafe: "32", checker.LetterDelay: "33", checker.LetterStuck: "35", matrix.NotApplicable: "2",
	}[l]
	if colour == "" {
		colour = "31"
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func runsOf(m *matrix.Matrix) (n int) {
	for i := range m.Cells {
		n += m.Cells[i].Runs + m.Cells[i].Untested
	}
	return n
}

// cellJSON is one cell, as other programs read it.
type cellJSON struct {
	Lock     string       `json:"lock"`
	Fault    string       `json:"fault"`
	Letter   string       `json:"letter"`
	Runs     int          `json:"runs"`
	Untested int          `json:"untested"`
	Broken   int          `json:"broken"`
	Stuck    int          `json:"stuck"`
	Rate     float64      `json:"rate"`
	Low      float64      `json:"rate_low"`
	High     float64      `json:"rate_high"`
	Scripted *sightedJSON `json:"scripted"` // null when no script tested anything
	Worst    *sightedJSON `json:"worst"`
	Note     string       `json:"note"`
}

type sightedJSON struct {
	Letter string `json:"letter"`
	Script string `json:"script"`
	Seed   uint64 `json:"seed"` // of the variation; 0: the script as it stands
	Hash   string `json:"hash"`
}

func matrixJSON(m *matrix.Matrix) any {
	cells := make([]cellJSON, len(m.Cells))
	for i := range m.Cells {
		c := &m.Cells[i]
		cells[i] = cellJSON{
			Lock: c.Lock, Fault: c.Fault, Letter: string(c.Letter), Runs: c.Runs, Untested: c.Untested,
			Broken: c.Broken, Stuck: c.Stuck, Rate: c.Rate, Low: c.Low, High: c.High,
			Scripted: sighted(c.Scripted), Worst: sighted(c.Worst), Note: c.Note,
		}
	}
	return map[string]any{"schema": 1, "backend": m.Backend, "seeds": m.Seeds, "cells": cells}
}

func sighted(s *matrix.Sighting) *sightedJSON {
	if s == nil {
		return nil
	}
	return &sightedJSON{Letter: string(s.Letter), Script: s.Name, Seed: s.Seed, Hash: s.Hash}
}

// save writes the page.
func (f *matrixFlags) save(ctx context.Context, path string, m *matrix.Matrix) error {
	shown, err := f.matrixPage(ctx, m)
	if err != nil {
		return err
	}
	data, err := report.MatrixHTML(shown)
	if err != nil {
		return &bugError{err}
	}
	if err := writeWhole(path, data); err != nil {
		return &environmentError{fmt.Errorf("cannot write the page: %w: choose another place with --out", err)}
	}
	return nil
}

// again saves the worst run of the only cell as a scenario file and says how to
// play it.
func (f *matrixFlags) again(m *matrix.Matrix) error {
	c := &m.Cells[0]
	if c.Worst == nil {
		fmt.Printf("\n%s\n", c.Note)
		return nil
	}
	path := filepath.Join(f.out, "matrix", c.Lock+"-"+c.Fault+".yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return &environmentError{err}
	}
	if err := os.WriteFile(path, []byte(scenario.Resolved(c.Worst.Plan())), 0o644); err != nil {
		return &environmentError{err}
	}
	fmt.Printf("\nworst    %s: %s\nagain    simulate run %s --seed %d\n", c.Worst.Letter, c.Note, path, max(c.Worst.Seed, 1))
	return nil
}
