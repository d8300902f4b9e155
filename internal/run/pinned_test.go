package run

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

var update = flag.Bool("update", false, "write the pinned hashes again")

// The tests of determinism compare a run with itself, so they do not see that all runs
// have changed their meaning. These hashes do: of one small scenario, with locks of
// every store.
//
// A hash may change when the same seed is meant to tell another story: a model was made
// to do what the real server does, a lock follows its document more closely, a history
// has an event more. Then `make golden` rewrites it, and the message of the commit says
// what changed and why. It may not change with a refactoring, an optimisation or a new
// feature that this scenario does not use; then the change is a bug.
func TestPinnedHashes(t *testing.T) {
	const golden = "testdata/pinned.txt"
	p := scenariotest.Load(t, "testdata/pinned.yaml")
	w := sim.New()
	defer w.Close()
	var got bytes.Buffer
	for _, lock := range p.Locks {
		for seed := uint64(1); seed <= 3; seed++ {
			out := One(context.Background(), w, p, lock, seed)
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			fmt.Fprintf(&got, "%s %d %s %s\n", lock, seed, out.Judgement.Letter, out.Judgement.History.Hash())
		}
	}
	if *update {
		must.Do(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	if bytes.Equal(got.Bytes(), want) {
		return
	}
	was := bytes.Split(want, []byte("\n"))
	for i, line := range bytes.Split(got.Bytes(), []byte("\n")) {
		if i >= len(was) || !bytes.Equal(line, was[i]) {
			t.Errorf("line %d of %s is now: %s", i+1, golden, line)
		}
	}
}
