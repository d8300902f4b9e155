package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/chaos"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// scripts/determinism plays these with many seeds: one with listed faults, one with drawn ones.
const (
	mixedScenario = "../../scenarios/search/mixed.yaml"
	stormScenario = "../../scenarios/search/redlock-storm.yaml"
)

// hashOfSeeds plays a plan with one lock and many seeds and returns one hash over
// the hashes of all histories, in the order of the seeds.
func hashOfSeeds(t *testing.T, p *plan.Plan, lock string, count, jobs int) string {
	t.Helper()
	hashes := make([]history.Hash, count)
	must.Do(t, Seeds(context.Background(), func() World { return sim.New() }, p, lock, 1, count, jobs, func(o *Outcome) {
		hashes[o.Seed-1] = o.Judgement.History.Hash()
	}))
	return history.CombineHashes(hashes).String()
}

// TestHashOfManySeeds prints the hash that scripts/determinism compares between builds and
// settings: many seeds of the mixed scenario and of a chaos, and a few of every scenario. By itself
// it checks that neither a repetition nor the number of workers changes anything.
func TestHashOfManySeeds(t *testing.T) {
	count, asked := 200, os.Getenv("LOCKSTEP_SEEDS")
	if asked != "" {
		count = must.Get(strconv.Atoi(asked))(t)
	}
	all := sha256.New()
	for _, file := range []string{mixedScenario, stormScenario} {
		p := scenariotest.Load(t, file)
		for _, lock := range p.Locks {
			share := count/len(p.Locks)/2 + 1
			got := hashOfSeeds(t, p, lock, share, runtime.GOMAXPROCS(0))
			fmt.Fprintln(all, lock, got)
			if asked == "" { // else other settings are compared
				if again := hashOfSeeds(t, p, lock, share, 1); again != got {
					t.Errorf("%s: one worker gives %s, %d workers give %s", lock, again, runtime.GOMAXPROCS(0), got)
				}
			}
		}
	}
	if asked == "" {
		return // no other run compares the hash
	}
	for _, p := range allScenarios(t) {
		for _, lock := range p.Locks {
			fmt.Fprintln(all, p.Slug, lock, hashOfSeeds(t, p, lock, 3, 1))
		}
	}
	t.Logf("hash of %d seeds: %x", count, all.Sum(nil))
}

// Every scenario with every lock gives the same hash in a new world and in one that has played
// others before.
func TestEveryScenarioRepeats(t *testing.T) {
	seeds := uint64(realtest.Tiers(1, 3))
	used := sim.New()
	defer used.Close()
	for _, p := range allScenarios(t) {
		for _, lock := range p.Locks {
			for seed := uint64(1); seed <= seeds; seed++ {
				p := chaos.Draw(p, seed)
				fresh, err := sim.Run(p, lock, seed)
				if err != nil {
					t.Fatalf("%s with %s: %v", p.File, lock, err)
				}
				again := must.Get(used.Run(p, lock, seed))(t)
				if fresh.Hash() != again.Hash() {
					t.Errorf("%s with %s, seed %d: a used world gives another history", p.File, lock, seed)
				}
			}
		}
	}
}

// Different seeds must give different histories, or the tests above prove nothing.
func TestSeedsDiffer(t *testing.T) {
	p := scenariotest.Load(t, mixedScenario)
	seen := map[history.Hash]uint64{}
	for seed := uint64(1); seed <= 50; seed++ {
		h := must.Get(sim.Run(p, p.Locks[0], seed))(t)
		if other, dup := seen[h.Hash()]; dup {
			t.Errorf("seeds %d and %d give the same history", seed, other)
		}
		seen[h.Hash()] = seed
	}
}

// failWithoutFault has the misprints that do not even work without faults, with their possible
// letters.
var failWithoutFault = map[string]string{
	"lit-unchecked": "VF", "lit-etcd-key": "V VF", "lit-mysql-ddl": "VF V F", // no client is kept out
	"lit-del-key": "L", "lit-lua-s2": "L", "lit-s3-units": "L S", // the release removes nothing
	"lit-s2-units": "D", "lit-s3-integer": "D", // no client gets in
}

// Without faults, every lock is safe with every seed. Misprints that are not must be caught.
func TestNoFaultNoOverlap(t *testing.T) {
	count := realtest.Tiers(100, 1000)
	p := plan.Default()
	p.Name = "no fault"
	p.Workload.Repeat = 2
	for _, v := range locks.Simulated() {
		if bad, ok := failWithoutFault[v.ID]; ok {
			expectLetters(t, &p, v.ID, 5, strings.Fields(bad))
			continue
		}
		acquired := expectLetters(t, &p, v.ID, count, []string{"S"})
		if want := count * (3*2 + 1); acquired != want { // three clients, two rounds, and the probe
			t.Errorf("%s: %d acquisitions, want %d", v.ID, acquired, want)
		}
	}
}

// expectLetters plays a plan with many seeds and returns how often the lock was
// acquired.
func expectLetters(t *testing.T, p *plan.Plan, lock string, count int, letters []string) (acquired int) {
	t.Helper()
	must.Do(t, Seeds(context.Background(), func() World { return sim.New() }, p, lock, 1, count, runtime.GOMAXPROCS(0), func(o *Outcome) {
		acquired += o.Judgement.Acquired
		if !slices.Contains(letters, string(o.Judgement.Letter)) {
			t.Errorf("%s, seed %d: outcome %s, want one of %v, overlap %v", lock, o.Seed, o.Judgement.Letter, letters, o.Judgement.Overlap)
		}
	}))
	return acquired
}

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
