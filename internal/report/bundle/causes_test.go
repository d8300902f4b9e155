package bundle_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
)

// The chain of causes of the pause: granted, frozen, the lease over, B in.
func TestCauses(t *testing.T) {
	r := reporttest.PauseRun("set-nx-lua", false)
	steps := reporttest.Steps(&r)
	var got []string
	for _, i := range bundle.CausesOf(r.Judgement.History, r.Judgement.Findings, steps) {
		got = append(got, r.Judgement.History.Events[steps[i].Event].Kind.String())
	}
	if want := "acquired froze expired acquired"; strings.Join(got, " ") != want {
		t.Errorf("causes %q, want %q", got, want)
	}
	if bundle.CausesOf(r.Judgement.History, nil, steps) != nil {
		t.Error("there are causes without findings")
	}
}

// The replication lag that explains a failover is that of the lock's own store.
func TestLagIsThatOfTheStore(t *testing.T) {
	p := plan.Default()
	p.Redis.Lag, p.Database("mysql").Lag, p.Database("postgres").Lag = 1, 2, 3
	b := &bundle.Bundle{Plan: &p}
	for lock, want := range map[string]time.Duration{"set-nx-lua": 1, "mysql-get-lock": 2, "pg-advisory": 3} {
		h := history.New(history.Header{Lock: lock, Lease: p.Lease})
		if got := b.Lag(h); got != want {
			t.Errorf("%s: %d, want %d", lock, got, want)
		}
	}
}

func TestChecksNameWhatIsMissing(t *testing.T) {
	b := reporttest.Bundle()
	j := b.Runs[0].Judgement
	failed := func() (out []string) {
		for _, c := range bundle.ChecksOf(&j) {
			if !c.OK {
				out = append(out, c.Text)
			}
		}
		return out
	}
	if got := failed(); len(got) != 1 || !strings.Contains(got[0], "progress") { // the history by hand has no quiet period
		t.Errorf("not satisfied: %q", got)
	}
	j.Waited, j.CutShort, j.Faults[0].Times, j.Faults[0].NoEffect = false, true, 0, true
	j.History.Whole = false
	j.History.Events[3].Cause = 900
	if got := failed(); len(got) != 7 {
		t.Errorf("not satisfied: %q", got)
	}
}
