package report

import (
	"fmt"
	"strings"
)

// Annotations writes what is not as expected as workflow commands of GitHub
// Actions, one per line, which show up beside the scenario's lines in the pull
// request: an error where a verdict is not the expected one, a warning where it
// is unknown or something was not put to the test. "" when there is nothing to say.
//
// GitHub shows ten of each kind per step; the others are in the log only.
func Annotations(b *Bundle) string {
	var out strings.Builder
	for i := range b.Runs {
		r := &b.Runs[i]
		lock := clean(r.Lock, maxName)
		if r.Judgement.History == nil {
			b.annotate(&out, "error", 0, lock, lines("There is no history to judge.", b.again()))
			continue
		}
		for _, c := range b.cases(r) {
			title := lock + " / " + clean(c.finding.Property, maxName)
			text := lines(c.sentence(), c.missed(), b.again())
			switch {
			case c.state == stateMissed:
				b.annotate(&out, "error", c.line, title, text)
			case c.state == stateUnknown && c.expected != "":
				b.annotate(&out, "warning", c.line, title, text)
			}
		}
		if !r.Untested.Empty() {
			text := lines(clean("Inconclusive: "+r.Untested.English()+".", maxLine), b.again())
			b.annotate(&out, "warning", 0, lock, text)
		}
	}
	return out.String()
}

// annotate writes one workflow command:
//
//	::error file=scenarios/a.yaml,line=27,title=set-nx-lua / progress::It is stuck.%0Aagain: ...
//
// line 0 stands for the file as a whole.
func (b *Bundle) annotate(out *strings.Builder, level string, line int, title, text string) {
	out.WriteString("::" + level + " ")
	if file := b.file(); file != "" {
		fmt.Fprintf(out, "file=%s,", commandProperty(clean(file, maxLine)))
		if line > 0 {
			fmt.Fprintf(out, "line=%d,", line)
		}
	}
	fmt.Fprintf(out, "title=%s::%s\n", commandProperty(title), commandData(text))
}

// commandData escapes the message of a workflow command: what follows the second
// "::" ends at the end of the line.
var commandData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace

// commandProperty escapes a value before the second "::", where colons and
// commas mean something too.
var commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace
