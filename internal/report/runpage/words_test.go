package runpage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The set-up describes the servers that the lock has.
func TestServersOfEveryStore(t *testing.T) {
	p := plan.Default()
	p.Redis.Replicas, p.Redis.Lag = 1, 100*time.Millisecond
	p.Database("mysql").Replicas, p.Database("mysql").Lag = 2, time.Second
	tests := map[string]string{
		"set-nx-lua":     "one Redis primary and 1 replica, 100 ms behind; a failover takes 500 ms",
		"redlock":        "5 independent Redis primaries",
		"etcd-mutex":     "etcd cluster of 3, which elects a new leader in 1 s",
		"zk-sequential":  "ZooKeeper cluster of 3, which elects a new leader in 1 s, tick 2 s",
		"mysql-get-lock": "one MySQL primary and 2 replicas, 1 s behind; a failover takes 500 ms",
		"pg-advisory":    "one PostgreSQL server",
		"consul-session": "Consul cluster of 3, which elects a new leader in 1 s",
		"redlock-fsync":  "5 independent Redis primaries; every write is on disk before its reply",
		"unknown-lock":   "redis-1",
	}
	for lock, want := range tests {
		r := reporttest.PauseRun(lock, false)
		if got := servers(&p, &r).In(say.English); got != want {
			t.Errorf("%s: %q, want %q", lock, got, want)
		}
	}
	p.Redis.Failover.By, p.Redis.MinReplicas, p.Redis.Persistence = plan.BySentinel, 1, plan.PersistEverySecond
	r := reporttest.PauseRun("set-nx-lua", false)
	if got, want := servers(&p, &r).In(say.English), "one Redis primary and 1 replica, 100 ms behind; 3 sentinels promote one after 2 s of silence and an election of 1 s; writes need 1 replica in contact; every write is in a file before its reply, on disk once per second"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A page says whose writes nothing compared.
func TestAFenceNeedsTokens(t *testing.T) {
	b := reporttest.Bundle()
	for fence, want := range map[plan.Fence]string{
		plan.FenceNone:           "The resource took every write: it compared no tokens.",
		plan.FenceReadsAndWrites: "The resource took every write of set-nx-lua, which hands out no tokens to compare.",
	} {
		b.Plan.Workload.Fence = fence
		if got := limitsOf(b, make([]story, len(b.Runs)), say.English); got[len(got)-1] != want {
			t.Errorf("%s: %q", fence, got)
		}
	}
}

// Locks with the same servers share a line.
func TestServersAreGrouped(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs = append(b.Runs, reporttest.PauseRun("etcd-mutex", false))
	serversOf := func(b *bundle.Bundle) (out []pair) {
		for _, p := range setUp(b, say.English) {
			if strings.HasPrefix(p.Name, "servers") {
				out = append(out, p)
			}
		}
		return out
	}
	got := serversOf(b)
	if len(got) != 2 || got[0].Name != "servers of set-nx-ex-del, set-nx-lua" || got[1].Name != "servers of etcd-mutex" {
		t.Errorf("%v", got)
	}
	if got = serversOf(reporttest.Bundle()); len(got) != 1 || got[0].Name != "servers" {
		t.Errorf("%v", got)
	}
}

// Clients with a workload of their own have lines of their own.
func TestTheSetUpOfClients(t *testing.T) {
	b := reporttest.Bundle()
	own := b.Plan.Workload
	own.Work, own.Resource = plan.Range{Min: 3 * time.Second, Max: 3 * time.Second}, "stock"
	b.Plan.Own = map[string]plan.Workload{"B": own}
	got := setUp(b, say.English)
	for _, want := range []pair{{"resource of A, C", "lock"}, {"resource of B", "stock"}, {"work inside of B", "3 s"}} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// A term is linked where it first occurs, and explained once.
func TestTermsAreLinkedOnce(t *testing.T) {
	l := page.NewLinker(say.English)
	first := string(l.Text("The lease ends & the <lease> ends in true time; a token."))
	if want := `The <button type="button" class="term" popovertarget="word-lease">lease</button> ends &amp; the &lt;lease&gt; ends in <button type="button" class="term" popovertarget="word-true-time">true time</button>; a <button type="button" class="term" popovertarget="word-fencing-token">token</button>.`; first != want {
		t.Errorf("got\n%s\nwant\n%s", first, want)
	}
	if again := string(l.Text("A lease, a token and true time.")); again != "A lease, a token and true time." {
		t.Errorf("linked again: %s", again)
	}
	if got := string(l.Text("untrue time, preleased")); strings.Contains(got, "<button") {
		t.Errorf("linked a part of a word: %s", got)
	}
	seen := map[string]bool{}
	for _, w := range l.Words() {
		if seen[w.ID] || w.Meaning == "" {
			t.Errorf("%s is explained twice or not at all", w.ID)
		}
		seen[w.ID] = true
	}
	// The fencing token is explained with the lock, and the lease with the store.
	for _, id := range []string{"lease", "true-time", "fencing-token", "lock", "store"} {
		if !seen[id] {
			t.Errorf("%s is not explained", id)
		}
	}
}

// Equal consecutive commands are one row, and every step keeps a row.
func TestEventTableFoldsRetries(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.Acquires(12, "A", 0)
	for n := range int64(50) {
		w.Command(100+n*100, "B", "SET lock B-1 NX PX 10000", "(nil)", func(int32) {})
	}
	w.Acquires(6000, "B", 0)
	steps := reporttest.Steps(&bundle.Run{Judgement: checker.Judgement{History: w.H}})
	rows, more := eventTable(timeline.Of(w.H), &story{Story: bundle.Story{Steps: steps}}, 0, int32(len(w.H.Events))-1, 100, func(i int) int { return i + 1 })
	if more != 0 {
		t.Errorf("%d rows are left out", more)
	}
	var folded []string
	numbers := 0
	for _, r := range rows {
		if strings.Contains(r.Text, "times until") {
			folded = append(folded, r.At+" "+r.Node+" "+r.Text)
		}
		if r.Step > 0 {
			numbers++
		}
	}
	if len(folded) != 1 || folded[0] != "0.102 s B SET lock B-1 NX PX 10000 -> (nil), 50 times until 5.002 s" {
		t.Errorf("folded rows %q", folded)
	}
	if numbers != len(steps) {
		t.Errorf("%d of %d steps are in the table", numbers, len(steps))
	}
	if rows, more = eventTable(timeline.Of(w.H), &story{Story: bundle.Story{Steps: steps}}, 0, int32(len(w.H.Events))-1, 4, func(int) int { return 0 }); len(rows) != 4 || more == 0 {
		t.Errorf("%d rows and %d more, want 4", len(rows), more)
	}
}

func TestLimitsOfRealServers(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs[0].Judgement.Faults[0].Times = 0
	b.Backend = "process"
	page := string(drawPage(t, b))
	reporttest.Has(t, page, "never fired", "A real run cannot be repeated bit for bit")
}

// The story speaks of faults by number, so the set-up says which are meant.
func TestSetUpListsTheFaults(t *testing.T) {
	b := reporttest.Bundle()
	rows := setUp(b, say.English)
	want := pair{"fault 1", b.Plan.Faults[0].Sentence().English()}
	if !slices.Contains(rows, want) || want.Value == "" {
		t.Errorf("%q lack %q", rows, want)
	}
	for len(b.Plan.Faults) < maxSetUpFaults+3 {
		b.Plan.Faults = append(b.Plan.Faults, b.Plan.Faults[0])
	}
	if rows := setUp(b, say.English); rows[len(rows)-1] != (pair{"faults", "3 more"}) {
		t.Errorf("the last row is %q", rows[len(rows)-1])
	}
}
