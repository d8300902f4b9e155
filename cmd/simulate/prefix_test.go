package main

import (
	"bytes"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/export"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

// No prefix of a run's histories is kept, and none keeps a property that the whole run breaks.
func TestNoPartOfARunIsKept(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/pause-past-lease.yaml")
	p.Locks = []string{"set-nx-lua", "watchdog-lua"}
	r := reporttest.Play(t, p, 1)
	var stored bytes.Buffer
	must.Do(t, history.WriteJSONL(&stored, r.Histories()...))
	whole := bytes.TrimRight(stored.Bytes(), "\n")
	parts := map[checker.Verdict]int{}
	for n := range whole {
		if whole[n] != '\n' && n%97 != 0 {
			continue // the ends of all lines, and some other places
		}
		all, err := history.ReadAllJSONL(bytes.NewReader(whole[:n]))
		if err != nil {
			continue // exit 2
		}
		worst := checker.Kept
		for i, h := range all {
			c := export.CheckedOf("part", i+1, h)
			worst = checker.Worse(worst, c.Verdict)
			for id, v := range c.Verdicts {
				if v.Verdict == checker.Kept && r.Outcomes[i].Judgement.Finding(id).Verdict == checker.Broken {
					t.Errorf("of the first %d bytes: %s is kept by %s, which breaks it", n, id, h.Header.Lock)
				}
			}
		}
		if parts[worst]++; worst == checker.Kept {
			t.Errorf("the first %d bytes are kept", n)
		}
	}
	if parts[checker.Unknown] == 0 || parts[checker.Broken] == 0 {
		t.Errorf("parts by their worst verdict: %v", parts)
	}
}
