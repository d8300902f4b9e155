package docs

import (
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/schema"
	"lockstep/internal/sim"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Each example of the reference is a scenario that comes to what it expects.
func TestTheExamplesOfTheScenarioFilePlay(t *testing.T) {
	w := &writer{Input{Up: ".."}}
	found := yamlBlock.FindAllStringSubmatch(string(w.scenarioFile().Data), -1)
	if len(found) < 4 {
		t.Fatalf("%d examples", len(found))
	}
	for _, m := range found {
		p, err := scenario.Parse("example.yaml", []byte(m[1]))
		if err != nil {
			t.Errorf("%v\n%s", err, m[1])
			continue
		}
		r, err := run.All(t.Context(), func() run.World { return sim.New() }, p, 1, "sim")
		if err != nil || r.Status() > run.Met {
			t.Errorf("%s: %v, %v", p.Name, r.Status(), err)
		}
	}
}

// Every key that a file may have is on the page.
func TestTheScenarioFileHasEveryKey(t *testing.T) {
	w := &writer{Input{Up: ".."}}
	page := string(w.scenarioFile().Data)
	var look func(s *schema.Schema)
	look = func(s *schema.Schema) {
		for _, p := range s.Properties {
			if !strings.Contains(page, p.Name+"`") && !strings.Contains(page, "### "+p.Name) {
				t.Errorf("the page says nothing of %s", p.Name)
			}
			if p.Name != "faults" && p.Name != "expect" && p.Name != "zh" && p.Name != "vary" {
				look(p.Schema)
			}
		}
	}
	look(schema.Scenario())
}
