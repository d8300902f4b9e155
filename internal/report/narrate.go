package report

import (
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
)

// Narrate tells one judged history step by step, all of it, for a terminal.
func Narrate(j checker.Judgement, o TerminalOptions) string {
	h := j.History
	b := &Bundle{
		Runs: []Run{{Lock: h.Header.Lock, Judgement: j}}, Backend: h.Header.Backend, Seed: h.Header.Seed,
	}
	t := newTerminal(b, o)
	t.head()
	for _, l := range t.r.Wrap(t.text(explain.Verdict(j)), t.o.Width) {
		t.line(l)
	}
	t.line("")
	t.part(explain.Tell(h, j.Findings))
	return harmlessLog(t.out.String())
}

// Clean makes a text from a scenario, a history or a file name safe to print on
// one line: control characters and invisible ones are shown instead of obeyed, and
// so are commands to CI servers.
func Clean(s string) string { return harmlessLog(clean(s, maxProse)) }

// CleanLines is Clean for a text of several lines, whose indentation it keeps.
func CleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		text := strings.TrimLeft(l, " ")
		indent := l[:len(l)-len(text)]
		lines[i] = indent + keepBlanks(text)
	}
	return harmlessLog(strings.Join(lines, "\n"))
}

// keepBlanks cleans the words of a line and keeps the blanks between them, so
// that excerpts with carets stay aligned.
func keepBlanks(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		words[i] = clean(w, maxProse)
	}
	return strings.Join(words, " ")
}
