package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

func checkCommand(g *globals) *cobra.Command {
	return speaks(&cobra.Command{
		Use:   "check <history.jsonl>...",
		Short: "Judge histories from anywhere: a live run, a production log",
		Long: `Judge histories from anywhere: a live run, a production log. A file holds one
JSON object per line, the header first; a history.jsonl of a run directory shows
the form. Nothing is expected of such a history, so a broken property gives exit
code 1, else an unknown one 3. - reads from stdin.

The history of a run says where it ends; where that is missing nothing counts as
kept. A log from elsewhere has no end: it is judged until its last line.

` + exitHelp,
		Example: `  simulate check reports/latest/history.jsonl
  simulate check production.jsonl --json
  zcat log.jsonl.gz | simulate check -`,
		Args: arguments(1, many, "files of histories, such as reports/latest/history.jsonl; - for stdin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), g, cmd.OutOrStdout(), args)
		},
	}, g)
}

// checked is one judged history.
type checked struct {
	File      string                    `json:"file"`
	Number    int                       `json:"number"` // of the history in its file, counted from 1
	Scenario  string                    `json:"scenario"`
	Lock      string                    `json:"lock"`
	Seed      uint64                    `json:"seed"`
	Backend   string                    `json:"backend"`
	Hash      string                    `json:"hash"`
	Events    int                       `json:"events"`
	Whole     bool                      `json:"whole"`   // false: it may go on behind its last line
	Verdict   checker.Verdict           `json:"verdict"` // the worst of all properties
	Letter    checker.Letter            `json:"letter"`
	Words     string                    `json:"words"`
	Verdicts  map[string]checkedVerdict `json:"verdicts"`
	OverlapUS int64                     `json:"overlap_us"`
	Acquired  int                       `json:"acquired"`
	judgement checker.Judgement
}

type checkedVerdict struct {
	Verdict   checker.Verdict `json:"verdict"`
	Count     int             `json:"count"`
	FirstAtUS *int64          `json:"first_at_us"` // null when nothing broke
	Words     string          `json:"words"`       // the first violation, or why the verdict is unknown
}

func check(ctx context.Context, g *globals, w io.Writer, files []string) error {
	all := []checked{}
	worst := checker.Kept
	for _, file := range files {
		histories, err := readHistoryFile(ctx, file)
		if err != nil {
			return err
		}
		name := file
		if file == "-" {
			name = "stdin"
		}
		for i, h := range histories {
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			c := checkOne(name, i+1, h)
			worst = worse(worst, c.Verdict)
			if g.json {
				c.judgement = checker.Judgement{} // the history may be large
				all = append(all, c)
				continue
			}
			if len(all) > 0 || i > 0 || file != files[0] {
				fmt.Fprintln(w)
			}
			showChecked(g, w, &c)
		}
	}
	if g.json {
		if err := printJSON(w, map[string]any{"schema": 1, "verdict": worst, "histories": all}); err != nil {
			return err
		}
	}
	switch worst {
	case checker.Broken:
		return statusExit(run.Missed)
	case checker.Unknown:
		return statusExit(run.Inconclusive)
	default:
		return nil
	}
}

// worse returns the worse of two verdicts: broken, unknown, kept.
func worse(a, b checker.Verdict) checker.Verdict {
	for _, v := range []checker.Verdict{checker.Broken, checker.Unknown} {
		if a == v || b == v {
			return v
		}
	}
	return checker.Kept
}

func readHistoryFile(ctx context.Context, file string) ([]*history.History, error) {
	if file == "-" {
		return readHistories(ctx, "stdin", os.Stdin)
	}
	f, err := unlessInterrupted(ctx, "opening "+file, func() (*os.File, error) { return os.Open(file) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file", file)
	case err != nil:
		return nil, notRead(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name a file, such as %s/history.jsonl, or `simulate report %s`", file, file, file)
	}
	return readHistories(ctx, file, f)
}

func checkOne(file string, number int, h *history.History) checked {
	j := checker.Judge(h)
	c := checked{
		File: file, Number: number, Scenario: h.Header.Scenario, Lock: h.Header.Lock, Seed: h.Header.Seed,
		Backend: h.Header.Backend, Hash: h.Hash().String(), Events: len(h.Events), Whole: h.Whole, Verdict: checker.Kept, Letter: j.Letter,
		Words: explain.Verdict(j).English(), Verdicts: map[string]checkedVerdict{}, OverlapUS: j.Overlap.Microseconds(),
		Acquired: j.Acquired, judgement: j,
	}
	for i := range j.Findings {
		f := &j.Findings[i]
		c.Verdict = worse(c.Verdict, f.Verdict)
		v := checkedVerdict{Verdict: f.Verdict, Count: f.Count, Words: f.Reason.English()}
		if f.Verdict == checker.Broken && len(f.Violations) > 0 {
			at := f.Violations[0].From.Duration().Microseconds()
			v.FirstAtUS, v.Words = &at, firstViolation(h, f).English()
		}
		c.Verdicts[f.Property] = v
	}
	return c
}

// firstViolation tells the step at which a property broke for the first time.
func firstViolation(h *history.History, f *checker.Finding) say.Phrase {
	alone := *f
	alone.Violations = f.Violations[:1]
	for _, step := range explain.Steps(h, []checker.Finding{alone}) {
		if step.Violation {
			return say.StepBreaks.With(say.Seconds(step.At), step.Sentence, step.Note)
		}
	}
	return say.AtTime.With(say.Seconds(f.Violations[0].From))
}

func showChecked(g *globals, w io.Writer, c *checked) {
	h := c.judgement.History
	clients := 0
	for _, n := range h.Header.Nodes {
		if n.Role == history.RoleClient {
			clients++
		}
	}
	where := c.File
	if c.Number > 1 {
		where = say.HistoryOf.With(say.Verbatim(c.File), say.Number(c.Number)).In(g.language)
	}
	fmt.Fprintln(w, g.said(say.OfLock.With(say.Verbatim(where), say.Listed.With(say.Series{
		say.Verbatim(c.Lock), say.SeedIs.With(seedText(c.Seed)), say.Verbatim(c.Backend),
		say.ClientsOf.With(say.Number(clients)), say.EventsOver.With(say.Number(c.Events), say.Seconds(h.End())),
	}))))
	fmt.Fprintf(w, "%s  %s\n\n", c.Letter, g.said(explain.Verdict(c.judgement)))
	var rows [][]string
	for _, id := range bundle.Properties(c.judgement.Findings) {
		f := c.judgement.Finding(id)
		words := f.Reason
		switch {
		case f.Verdict == checker.Broken && len(f.Violations) > 0:
			words = firstViolation(h, &f)
		case f.Verdict == checker.Kept && !h.Whole:
			words = say.UntilLastLine.With(say.Seconds(h.End()))
		}
		rows = append(rows, []string{id, bundle.VerdictText(&f, g.language), words.In(g.language)})
	}
	g.printTable(w, []string{"property", "verdict", "first violation, or why it is unknown"}, rows)
}
