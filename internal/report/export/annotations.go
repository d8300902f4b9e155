package export

import (
	"fmt"
	"strings"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
)

// Annotations writes what is not as expected as workflow commands of GitHub Actions, one per line,
// which a pull request shows beside the lines of the scenario: an error for another verdict than
// expected, a warning for an unknown verdict or for something that was not put to the test.
//
// GitHub shows ten of each kind per step; the others are only in the log.
func Annotations(b *bundle.Bundle) string {
	var out strings.Builder
	for i := range b.Runs {
		r := &b.Runs[i]
		lock := sanitize.Text(r.Lock, sanitize.MaxName)
		if r.Judgement.History == nil {
			annotate(&out, b, "error", 0, lock, lines("There is no history to judge.", b.Again()))
			continue
		}
		for _, c := range r.Cases() {
			title := lock + " / " + sanitize.Text(c.Finding.Property, sanitize.MaxName)
			text := lines(c.Sentence(), c.Missed(), b.Again())
			switch {
			case c.State == bundle.StateMissed:
				annotate(&out, b, "error", c.Line, title, text)
			case c.State == bundle.StateUnknown && c.Expected != "":
				annotate(&out, b, "warning", c.Line, title, text)
			}
		}
		if !r.Judgement.Untested.Empty() {
			text := lines(sanitize.Text("Inconclusive: "+r.Judgement.Untested.English()+".", sanitize.MaxLine), b.Again())
			annotate(&out, b, "warning", 0, lock, text)
		}
	}
	return out.String()
}

// annotate writes one workflow command:
//
//	::error file=scenarios/a.yaml,line=27,title=set-nx-lua / progress::It is stuck.%0Aagain: ...
//
// Line 0 means the whole file.
func annotate(out *strings.Builder, b *bundle.Bundle, level string, line int, title, text string) {
	out.WriteString("::" + level + " ")
	if file := b.File(); file != "" {
		fmt.Fprintf(out, "file=%s,", commandProperty(sanitize.Text(file, sanitize.MaxLine)))
		if line > 0 {
			fmt.Fprintf(out, "line=%d,", line)
		}
	}
	fmt.Fprintf(out, "title=%s::%s\n", commandProperty(title), commandData(text))
}

// commandData escapes the message of a workflow command, which ends at the end of the line.
var commandData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace

// commandProperty escapes a value before the second "::", where colons and commas are separators.
var commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace
