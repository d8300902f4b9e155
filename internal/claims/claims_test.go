package claims

import (
	"context"
	"testing"

	"lockstep/internal/plan"
)

// The catalogue has 51 claims.
func TestEveryClaimOfTheCatalogueHasAnExperiment(t *testing.T) {
	have := map[int]bool{}
	for _, c := range All() {
		have[c.N] = true
		if c.N < 1 || c.N > 51 {
			t.Errorf("claim %d is not in the catalogue", c.N)
		}
		if c.Text == "" || c.Source == "" || c.Measure == nil {
			t.Errorf("claim %d has no text, no source or no experiment", c.N)
		}
	}
	for n := 1; n <= 51; n++ {
		if !have[n] {
			t.Errorf("claim %d has no experiment", n)
		}
	}
}

func TestMeasuringTwiceGivesTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("measures every claim twice")
	}
	measure := func(jobs int) []Measured {
		t.Helper()
		out, err := Measure(context.Background(), Options{Claims: All(), Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first, second := measure(1), measure(3)
	for i := range first {
		if first[i].Result != second[i].Result {
			t.Errorf("claim %d: %+v, then %+v", first[i].N, first[i].Result, second[i].Result)
		}
	}
}

// verdictOf measures one claim in a world that was changed on purpose.
func verdictOf(t *testing.T, n int, lab *Lab) Result {
	t.Helper()
	c, ok := Lookup(n)
	if !ok {
		t.Fatalf("there is no claim %d", n)
	}
	out, err := Measure(context.Background(), Options{Claims: []Claim{c}, NewLab: func() *Lab { return lab }})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Result
}

// A verdict that is measured changes with the world. Each row says what becomes
// of a claim in an ordinary world and in one in which the lock that it speaks of
// is another one, or the servers are.
func TestAChangedWorldChangesTheVerdict(t *testing.T) {
	tests := []struct {
		name           string
		n              int
		usual, changed string
		lab            *Lab
	}{
		{"a lock that expires is not stuck", 1, True, False, &Lab{Instead: map[string]string{"setnx": "set-nx-ex-del"}}},
		{"a comparing release robs nobody", 3, True, False, &Lab{Instead: map[string]string{"set-nx-ex-del": "set-nx-lua"}}},
		{"no value is compared at all", 4, Depends, False, &Lab{Instead: map[string]string{"set-nx-token-getdel": "set-nx-ex-del"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := verdictOf(t, tt.n, &Lab{}); got.Verdict != tt.usual {
				t.Errorf("in the usual world: %s: %s", got.Verdict, got.Figure)
			}
			if got := verdictOf(t, tt.n, tt.lab); got.Verdict != tt.changed {
				t.Errorf("in the changed world: %s: %s", got.Verdict, got.Figure)
			}
		})
	}
}

// An experiment whose fault never happened is an error and no verdict.
func TestAFaultThatNeverFiresEndsTheExperiment(t *testing.T) {
	c := Claim{N: 1, Text: "x", Source: "x", Measure: func(l *Lab) Result {
		l.One(Story{Lock: "setnx", Faults: []string{"when: A has the reply of EXPIRE; crash: A"}})
		return Result{Verdict: True}
	}}
	_, err := Measure(context.Background(), Options{Claims: []Claim{c}})
	if err == nil {
		t.Fatal("no error")
	}
}

// The tests' own switch works: Change is applied to every plan.
func TestChangeReachesThePlan(t *testing.T) {
	seen := 0
	lab := &Lab{Change: func(*plan.Plan) { seen++ }}
	lab.Play(Story{Lock: "setnx"}, 1)
	if seen != 1 {
		t.Errorf("Change was called %d times", seen)
	}
}
