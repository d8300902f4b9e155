package locktest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lockstep/internal/bubble/seeded"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
	"lockstep/locktest"
)

// contended is the plan of the compared runs: five clients, many rounds.
func contended(rounds int) func(*plan.Plan) {
	return func(p *plan.Plan) {
		p.Clients = []string{"A", "B", "C", "D", "E"}
		p.Lease = 2 * time.Second
		p.Workload.Repeat = rounds
		p.Workload.Work = plan.Range{Min: 5 * time.Millisecond, Max: 40 * time.Millisecond}
		p.Workload.Rest = plan.Range{Min: time.Millisecond, Max: 5 * time.Millisecond}
		p.Workload.Retry = 20 * time.Millisecond
	}
}

// library is a lock whose histories are compared.
type library struct {
	name    string
	store   locktest.Store
	newLock func(locktest.Client) locktest.Lock
}

// libraries has those on go-redis. The tag doors adds rueidis and one for each other door: client
// libraries that take minutes to compile with another runtime.
var libraries = []library{
	{"redislock", locktest.Redis{}, redislocks}, {"redsync", locktest.Redis{}, redsyncs}, {"redsync-5", locktest.Redis{Nodes: 5}, redsyncs},
}

// seedsVariable has TestSeeds print the hashes of so many seeds.
const seedsVariable = "LOCKTEST_SEEDS"

// The size of TestOneSeedOneHistory.
const (
	runsOfASeed = 60
	seeds       = 20 // in two processes
	roundsEach  = 20
	processes   = 16 // that begin with the same seed
)

// With the seeded runtime, one seed gives one history, in any process, and whatever wakes up
// outside its bubbles.
func TestOneSeedOneHistory(t *testing.T) {
	if !locktest.Seeded() {
		realtest.SecondTier(t) // it compiles everything with another runtime
		inSeeded(t)
		return
	}
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Fatalf("the seeded runtime has %d threads", n)
	}
	firstRuns(t)
	go func() {
		for t.Context().Err() == nil {
			time.Sleep(20 * time.Microsecond)
		}
	}()
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			seen := map[string]int{}
			for range runsOfASeed {
				hash := locktest.Play(t, l.store, l.newLock, 7, contended(roundsEach))
				seen[hash]++
			}
			if len(seen) != 1 {
				t.Errorf("%d histories in %d runs of one seed: %v", len(seen), runsOfASeed, seen)
			}
		})
	}
	asked := seedsVariable + "=" + strconv.Itoa(seeds)
	first, second := printed(t, "TestSeeds", asked), printed(t, "TestSeeds", asked)
	if first != second {
		t.Errorf("two processes disagree about %d seeds:\n%s\n%s", seeds, first, second)
	}
	lines := strings.Split(strings.TrimSpace(first), "\n")
	distinct := map[string]bool{}
	for _, line := range lines {
		distinct[line] = true
	}
	if want := seeds * len(libraries); len(lines) != want || len(distinct) != want {
		t.Errorf("%d hashes, %d of them distinct, want %d", len(lines), len(distinct), want)
	}
}

// inSeeded runs this test with the seeded runtime.
func inSeeded(t *testing.T) {
	t.Helper()
	goroot, version, err := seeded.Installed(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	overlay := must.Get(seeded.Write(goroot, version, t.TempDir()))(t)
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-tags", seeded.Tag+",doors", "-count=1", "-timeout=30m", "-v", "-run", "^(TestOneSeedOneHistory|TestMutexesWait)$", ".")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestOneSeedOneHistory/rueidislock")) || !bytes.Contains(out, []byte("--- PASS: TestMutexesWait")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// With the seeded runtime, time goes on while a goroutine waits for a mutex whose holder sleeps.
func TestMutexesWait(t *testing.T) {
	if !locktest.Seeded() {
		t.Skip("TestOneSeedOneHistory starts it")
	}
	synctest.Test(t, func(t *testing.T) {
		var plain sync.Mutex
		var both sync.RWMutex
		for _, l := range []struct{ held, awaited sync.Locker }{{&plain, &plain}, {&both, &both}, {&both, both.RLocker()}, {both.RLocker(), &both}} {
			l.held.Lock()
			began, got := time.Now(), make(chan time.Duration)
			go func() {
				l.awaited.Lock()
				defer l.awaited.Unlock()
				got <- time.Since(began)
			}()
			time.Sleep(time.Second)
			l.held.Unlock()
			if after := <-got; after != time.Second {
				t.Errorf("%T: it is locked after %v", l.awaited, after)
			}
		}
	})
}

// firstRuns compares the runs of one seed in processes that begin with one library each: the first
// run of a process, which initializes global state, has the same history as later ones.
func firstRuns(t *testing.T) {
	seen := map[string]map[string][]string{} // library -> hash -> where
	for i := range processes {
		for line := range strings.Lines(printed(t, "TestFirst", firstVariable+"="+strconv.Itoa(i))) {
			library, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
			hash, where, _ := strings.Cut(hash, " ")
			if seen[library] == nil {
				seen[library] = map[string][]string{}
			}
			seen[library][hash] = append(seen[library][hash], fmt.Sprintf("process %d: %s", i, where))
		}
	}
	if len(seen) != len(libraries) {
		t.Fatalf("%d libraries have played, want %d", len(seen), len(libraries))
	}
	for library, hashes := range seen {
		if len(hashes) != 1 {
			t.Errorf("%s: %d histories of one seed: %v", library, len(hashes), hashes)
		}
	}
}

// printed returns the output of a test in a process of its own.
func printed(t *testing.T, test, variable string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$")
	cmd.Env = append(os.Environ(), variable)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, _, _ := strings.Cut(string(out), "PASS")
	return text
}

// firstVariable has TestFirst play that library before all others.
const firstVariable = "LOCKTEST_FIRST"

// TestFirst prints the hashes of one seed of each library: of the first run of the process, of
// another one, and of one after a garbage collection, which empties pools.
func TestFirst(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv(firstVariable))
	if err != nil {
		t.Skip("TestOneSeedOneHistory starts it")
	}
	for i := range libraries {
		l := libraries[(first+i)%len(libraries)]
		for _, how := range []string{"first", "again", "collected"} {
			if how == "collected" {
				runtime.GC()
				runtime.GC()
			}
			hash := locktest.Play(t, l.store, l.newLock, 7, contended(4))
			fmt.Printf("%s %s %s run of library %d\n", l.name, hash, how, i+1)
		}
	}
}

func TestSeeds(t *testing.T) {
	asked, _ := strconv.Atoi(os.Getenv(seedsVariable))
	for seed := range asked {
		for _, l := range libraries {
			hash := locktest.Play(t, l.store, l.newLock, uint64(seed+1), contended(roundsEach))
			fmt.Println(l.name, seed+1, hash)
		}
	}
}
