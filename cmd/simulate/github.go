package main

import (
	"fmt"
	"os"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
)

// stepSummaryMax is how much all of a step's summaries may come to. GitHub
// refuses a file of more than 1 MiB as a whole.
const stepSummaryMax = 1_000_000

// publish tells GitHub Actions about a run, when this program runs there: what is
// not as expected as annotations, and the summary in the file that the runner
// names. share is the number of runs that the step's summary has to hold.
//
// Annotations go to stderr, where the runner reads them as well, so that --json
// stays one object on stdout.
func publish(b *bundle.Bundle, share int) {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		fmt.Fprint(os.Stderr, export.Annotations(b))
	}
	file := os.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return
	}
	limit := min(export.MaxSummary, stepSummaryMax/max(share, 1))
	if err := appendSummary(file, export.Summary(b, limit)); err != nil {
		// The verdict counts, not the page that shows it.
		fmt.Fprintln(os.Stderr, "simulate: cannot write the summary of the step:", terminalText(err.Error()))
	}
}

// appendSummary adds a summary to the file of a step unless that gets too large.
func appendSummary(file string, text []byte) (err error) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size()+int64(len(text)) > stepSummaryMax {
		return fmt.Errorf("%s is full: the run directory has the summary", file)
	}
	_, err = f.Write(append(text, '\n'))
	return err
}
