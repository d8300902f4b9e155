package logcheck

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/must"
)

// example matches an example of the page about logs.
var example = regexp.MustCompile("(?s)<!-- example (csv|json) -->\n```\n(.*?)```")

// The examples of the page have the results that it shows.
func TestExamplesOfTheDocs(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/check.md"))(t)
	examples := example.FindAllSubmatch(page, -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, m := range examples {
		r := checked(t, string(m[2]), Options{})
		if r.Overlaps != (Count{Certain: 1}) || r.StaleWrites != (Count{Certain: 1}) || !strings.HasPrefix(r.Format, string(m[1])) || r.Events != 6 {
			t.Errorf("%s: %+v", m[1], r)
		}
	}
	mapping := regexp.MustCompile("(?s)<!-- example mapping -->\n```yaml\n(.*?)```").FindSubmatch(page)
	if mapping == nil {
		t.Fatal("no mapping")
	}
	log := at(noon, time.UTC)(badTale)
	r, err := Check(t.Context(), Options{Format: mapped(t, string(mapping[1]))}, source("log", strings.Replace(log, "lock released", "lock gone", 1)))
	if err != nil || r.Verdict() != Certain || r.Rules.Lease != 30*time.Second || r.Unit.At(r.First) != "2026-03-01T11:00:00.123Z" {
		t.Errorf("%+v, %v", r, err)
	}
	rows := regexp.MustCompile("(?m)^\\| [^|`]+: `([^|]*)` \\| `'(.*?)'`(?:, with `(.*)`)? \\|$").FindAllStringSubmatch(string(page), -1)
	must.Equalf(t, len(rows), 5, "patterns for lines")
	for _, row := range rows {
		unbarred := strings.ReplaceAll(row[2], `\|`, "|")
		r, err := Check(t.Context(), Options{Format: mapped(t, "pattern: '"+unbarred+"'\n"+row[3]+"\n")}, source("log", row[1]+"\n"))
		if err != nil || r.Events != 1 || r.Locks != 1 || r.Unread != 0 || r.Findings[0].Lock != "invoices" || r.Findings[0].Acquired != 1 {
			t.Errorf("%s: %+v, %v", row[1], r, err)
		}
	}
	for _, preset := range logline.Presets() {
		if !strings.Contains(string(page), "`"+preset+"`") {
			t.Errorf("the page does not say what writes %s", preset)
		}
	}
	for _, word := range logline.EventWords {
		if !strings.Contains(string(page), "| `"+word+"` | ") {
			t.Errorf("the page does not say what %s is", word)
		}
	}
}

// The page shows what is said of each line, and a line that the verdict counts as not understood is
// shown as such.
func TestTheExplanationOfTheDocs(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/check.md"))(t)
	var log, want []string
	for _, m := range regexp.MustCompile(`(?m)^    \d: (.*)\n       (.*)$`).FindAllStringSubmatch(string(page), -1) {
		log, want = append(log, m[1]), append(want, m[2])
	}
	log = append(log, strings.Replace(log[1], "17 rows", "17 of invoices", 1)) // the name of the lock
	want = append(want, want[2])
	x, err := Explain(t.Context(), Options{}, source("pod-1.log", strings.Join(log, "\n")+"\n"))
	if err != nil || len(log) != 4 || len(x.Lines) != 4 {
		t.Fatalf("%q: %+v, %v", log, x, err)
	}
	for i := range x.Lines {
		said := strings.Join(strings.Fields("= "+strings.Join(x.Lines[i].Says(x.Unit), "; ")), " ")
		switch err := x.Lines[i].Err; {
		case errors.Is(err, logline.ErrOther):
			said = "- about something else"
		case err != nil:
			said = "! " + err.Error()
		}
		must.Equalf(t, said, want[i], "%s", log[i])
	}
}
