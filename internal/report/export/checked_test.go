package export

import (
	"bytes"
	"slices"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// A stored history is asked for the properties of its story, also those that are not core. One that
// this program does not know is unknown.
func TestAStoredHistoryIsAskedForWhatItsStoryAsks(t *testing.T) {
	checker.Register(checker.Property{ID: "never", Check: func(*history.History) checker.Finding {
		return checker.Finding{Property: "never", Verdict: checker.Broken}
	}})
	check := func(expect string, change func(*history.Header)) Checked {
		p := scenariotest.Parse(t, "test", "scenario: x\nlocks: [set-nx-lua]\n"+expect)
		h := run.One(t.Context(), sim.New(), p, "set-nx-lua", 1).Judgement.History
		change(&h.Header)
		var stored bytes.Buffer
		must.Do(t, history.WriteJSONL(&stored, h))
		return CheckedOf("test", 1, must.Get(history.ReadAllJSONL(&stored))(t)[0])
	}
	as := func(*history.Header) {}
	for _, tt := range []struct {
		name, expect string
		change       func(*history.Header)
		want         checker.Verdict
		notAsked     []string
	}{
		{"core alone", "expect: {every lock: {mutual-exclusion: kept}}\n", as, checker.Kept, []string{"never"}},
		{"asked", "expect: {every lock: {mutual-exclusion: kept, never: kept}}\n", as, checker.Broken, nil},
		{"not known here", "", func(h *history.Header) { h.Asked = "later" }, checker.Unknown, []string{"never"}},
	} {
		c := check(tt.expect, tt.change)
		if c.Verdict != tt.want || !slices.Equal(c.Judgement.NotAsked(), tt.notAsked) {
			t.Errorf("%s: %s, not asked: %v; want %s, %v", tt.name, c.Verdict, c.Judgement.NotAsked(), tt.want, tt.notAsked)
		}
	}
}
