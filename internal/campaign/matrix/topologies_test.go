package matrix_test

import (
	"context"
	"testing"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/locks"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

// The outcome of a lock that waits for no replica, and of one that does, as on real servers
// (compare-worlds --topologies). S or L depends on which client has to wait, so both are L here.
var topologies = map[string][2]string{
	"T1": {"V", "L"}, "T2": {"V", "L"}, "T3": {"L", "L"}, "T4": {"L", "L"}, "T5": {"V", "L"},
	"T6": {"L", "L"}, "T7": {"V", "V"}, "T8": {"V", "V"}, "T9": {"V", "L"}, "T10": {"L", "L"},
	"T11": {"L", ""}, "T12": {"V", ""}, "T13": {"V", ""}, "T14": {"V", "V"}, "T15": {"L", "D"},
	"T16": {"V", "D"}, "T17": {"V", "L"}, "T18": {"L", "L"}, "T19": {"V", "V"},
}

func TestTopologies(t *testing.T) {
	w := sim.New()
	defer w.Close()
	columns := matrix.Topologies()
	if len(columns) != len(topologies) {
		t.Errorf("%d topologies have a letter, there are %d", len(topologies), len(columns))
	}
	for i, lock := range []string{"set-nx-lua", "set-wait"} {
		v, _ := locks.Lookup(lock)
		for _, c := range columns {
			want := topologies[c.Code][i]
			scripts, _, err := matrix.ScriptsOf(context.Background(), w, v, c)
			if err != nil {
				t.Fatal(err)
			}
			if (len(scripts) == 0) != (want == "") {
				t.Errorf("%s for %s has %d scripts", c.Code, lock, len(scripts))
				continue
			}
			for seed := uint64(1); want != "" && seed <= 20; seed++ {
				out := run.One(context.Background(), w, scripts[0].Plan(), lock, seed)
				got := string(out.Judgement.Letter)
				if got == "S" {
					got = "L"
				}
				if out.Err != nil || got != want {
					t.Errorf("%s (%s) with %s, seed %d: %s, want %s (%v)", c.Code, c.Name.English(), lock, seed, out.Judgement.Letter, want, out.Err)
					break
				}
			}
		}
	}
}
