package main

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar is a progress bar on stderr, when somebody looks at it. A bar that cannot be
// drawn is no reason to stop, so nobody asks for its errors.
func (g *globals) bar(what string, all int) *progressbar.ProgressBar {
	visible := !g.quiet && term.IsTerminal(int(os.Stderr.Fd()))
	return progressbar.NewOptions(all,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(),
	)
}
