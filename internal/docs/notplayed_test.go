package docs

import (
	"os"
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/say"
)

// Each workaround of the page does what the page says: its stories meet their expectations.
func TestTheWorkaroundsPlay(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/not-played.md"))(t)
	playExamples(t, string(page), 9)
}

// Without the slow clock the story of the suspended host is one of a pause, which Redlock notices.
// The page of the verb says the difference, in both languages.
func TestAPauseIsNotASuspendedHost(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/not-played.md"))(t)
	_, story, _ := strings.Cut(string(page), "scenario: The host sleeps")
	story, _, _ = strings.Cut(story, "```")
	before, after, _ := strings.Cut(story, "  - when: A has the reply of SET the 5th time\n    drift-clock")
	_, after, _ = strings.Cut(after, "for: 15s\n")
	paused := "```yaml\nscenario: The host sleeps" + before + strings.Replace(after, "broken", "kept", 1) + "```"
	playExamples(t, paused, 1)
	spec, _ := faults.Lookup("pause")
	for text, want := range map[string]string{spec.Summary.English(): "clocks go on", spec.Summary.In(say.Chinese): "时钟照走"} {
		if !strings.Contains(text, want) {
			t.Errorf("the verb pause does not say %q: %s", want, text)
		}
	}
}
