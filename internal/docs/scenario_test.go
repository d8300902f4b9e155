package docs

import (
	"cmp"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/report/reporttest"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/schema"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// playExamples plays the scenarios of a page: each meets its expectations.
func playExamples(t *testing.T, page string, least int) {
	t.Helper()
	found := yamlBlock.FindAllStringSubmatch(page, -1)
	if len(found) < least {
		t.Fatalf("%d examples, want %d at least", len(found), least)
	}
	for _, m := range found {
		p, err := scenario.Parse("example.yaml", []byte(m[1]))
		if err != nil {
			t.Errorf("%v\n%s", err, m[1])
			continue
		}
		if got := reporttest.Play(t, p, cmp.Or(p.Seed, 1)).Status(); got > run.Met {
			t.Errorf("%v\n%s", got, m[1])
		}
	}
}

func TestTheExamplesOfTheScenarioFilePlay(t *testing.T) {
	playExamples(t, pageOf(t, input(), "scenario.md"), 4)
}

// Every key that a file may have is on the page.
func TestTheScenarioFileHasEveryKey(t *testing.T) {
	page := pageOf(t, input(), "scenario.md")
	var look func(s *schema.Schema)
	look = func(s *schema.Schema) {
		for _, p := range s.Properties {
			if !strings.Contains(page, p.Name+"`") && !strings.Contains(page, "### "+p.Name) {
				t.Errorf("the page says nothing of %s", p.Name)
			}
			if p.Name != "faults" && p.Name != "expect" && p.Name != "zh" && p.Name != "vary" {
				look(p.Value)
			}
		}
	}
	look(schema.Scenario())
}
