package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lockstep/internal/report/export"
	"lockstep/internal/run"
	"lockstep/internal/rundir"
	"lockstep/internal/say"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

// replay plays a stored run again, with its resolved scenario, its seed and its locks, and compares the histories.
func (f *reportFlags) replay(ctx context.Context, w io.Writer, dir string) error {
	s, err := openRun(ctx, dir)
	if err != nil {
		return err
	}
	header := &s.Histories[0].Header
	if own := s.Env.Own; own != nil {
		return fmt.Errorf("%s was played by the code of %s itself, in a test, and this program does not have it. Where the test is:\n  %s",
			s.Dir, terminalText(header.Lock), terminalText(own.Again))
	}
	if header.Backend != sim.Backend {
		return fmt.Errorf("%s was played on real servers (%s), and such a run cannot be repeated: the operating system decides what comes first.\n"+
			"Play its simulated twin instead: simulate run %s --seed %d",
			s.Dir, terminalText(header.Backend), shell.Word(filepath.Join(s.Dir, rundir.StoryName)), header.Seed)
	}
	var all []export.Replayed
	same := true
	for _, stored := range s.Histories {
		played, err := sim.Again(ctx, s.Plan, stored)
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted: the histories were not compared to their end")
		case err != nil:
			return fmt.Errorf("%s: %w", s.Dir, err)
		}
		r := export.CompareHistories(stored, played)
		same = same && r.Identical
		all = append(all, r)
	}
	if err := showReplay(f.globals, w, s, all, same); err != nil {
		return err
	}
	tellUnplayed(s)
	now := buildVersion()
	switch {
	case same && len(s.Unplayed()) == 0:
		return nil
	case same:
		return statusExit(run.Inconclusive)
	case s.Env.Version != now || s.Env.ScenarioSHA256 == "": // without it, the scenario may be another one
		was := s.Env.Version
		if was == "" {
			was = "unknown"
		}
		fmt.Fprintln(os.Stderr, "simulate:", terminalText(fmt.Sprintf("the run was played by version %s of this program, and this is %s: the difference may be on purpose. Play it with that version to know", was, now)))
		return statusExit(run.Inconclusive)
	}
	return &bugError{errors.New("the same scenario, lock and seed gave another history (unless the program was changed without changing its version)")}
}

func showReplay(g *globals, w io.Writer, s *rundir.Run, all []export.Replayed, same bool) error {
	if g.json {
		return printJSON(w, map[string]any{"schema": 1, "identical": same, "run_dir": s.Dir, "locks": all})
	}
	fmt.Fprintf(w, "%s\n\n", g.said(say.Series{say.Verbatim(s.Plan.Prose(g.language).Name), say.SeedIs.With(say.Seed(s.Histories[0].Header.Seed))}))
	var rows [][]string
	for i := range all {
		r := &all[i]
		verdict := say.Text("identical")
		if !r.Identical {
			verdict = say.DifferentFrom.With(say.Number(r.First.Index))
			if r.First.Index < 0 {
				verdict = say.Text("DIFFERENT headers")
			}
		}
		rows = append(rows, []string{r.Lock, verdict.In(g.language), fmt.Sprint(r.Events), r.Stored[:16]})
	}
	g.printTable(w, []string{"lock", "history", "events", "hash"}, rows)
	for i := range all {
		r := &all[i]
		if f := r.First; f != nil {
			var what say.Clauses
			for _, field := range f.Fields {
				what = append(what, say.Text(field))
			}
			fmt.Fprintf(w, "\n%s\n", g.said(say.DiffersIn.With(say.Verbatim(r.Lock), what)))
			fmt.Fprintf(w, "  %s  %s\n", say.Text("stored").In(g.language), g.said(r.StoredWords))
			fmt.Fprintf(w, "  %s  %s\n", say.Text("played").In(g.language), g.said(r.PlayedWords))
		}
	}
	return nil
}
