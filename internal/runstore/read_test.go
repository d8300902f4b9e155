package runstore

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/scenario"
)

const shortStory = "scenario: Alone\nlocks: [set-nx-lua]\nclients: [A, B]\nexpect:\n  set-nx-lua: {mutual-exclusion: kept}\n"

// FuzzStoredScenario reads a scenario.yaml and its environment. An accepted scenario survives being
// resolved, and errors name the file in the run directory.
func FuzzStoredScenario(f *testing.F) {
	f.Add([]byte(shortStory), []byte(`{"schema": 1, "scenario_file": "alone.yaml", "expect_lines": {"set-nx-lua/mutual-exclusion": -5}}`))
	f.Add([]byte("scenario: [x"), []byte(`{"schema": 1, "scenario_file": "../../etc/passwd", "scenario_sha256": "00"}`))
	f.Add([]byte(shortStory), []byte(fmt.Sprintf(`{"schema": 1, "scenario_sha256": %q}`, SHA256([]byte(shortStory)))))
	f.Fuzz(func(t *testing.T, story, env []byte) {
		s := &Run{Dir: t.TempDir()}
		for name, data := range map[string][]byte{StoryName: story, EnvName: env} {
			must.Do(t, os.WriteFile(s.file(name), data, 0o600))
		}
		err := s.readEnv()
		if err == nil {
			err = s.readPlan()
		}
		if err != nil {
			if text := sanitize.Lines(err.Error()); !bytes.Contains([]byte(text), []byte(sanitize.Line(s.Dir))) {
				t.Errorf("the error does not name the file: %s", text)
			}
			return
		}
		if was := s.Env.ScenarioSHA256; was != "" && was != SHA256(story) {
			t.Error("a scenario with another hash is accepted")
		}
		for _, e := range s.Plan.Expect {
			if e.Line < 0 {
				t.Errorf("an expectation in line %d", e.Line)
			}
		}
		if _, err := scenario.Parse("x.yaml", []byte(scenario.Resolved(s.Plan))); err != nil {
			t.Errorf("the resolved scenario is refused: %v", err)
		}
	})
}
