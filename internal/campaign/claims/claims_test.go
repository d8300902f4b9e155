package claims

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario"
)

// The claims are numbered without a gap, and say the same in both languages.
func TestTheCatalogueOfClaims(t *testing.T) {
	for i, c := range All() {
		if c.N != i+1 {
			t.Errorf("claim %d is in the place of claim %d", c.N, i+1)
		}
		if c.English == "" || c.Source == "" || len(c.Plays) == 0 || len(c.Must)+len(c.Cases) == 0 {
			t.Errorf("claim %d has no text, no source, no experiment or no rule", c.N)
		}
		if left := reporttest.EnglishRuns(c.Chinese); c.Chinese == "" || len(left) > 0 {
			t.Errorf("claim %d in Chinese: %q, with the English words %q", c.N, c.Chinese, left)
		}
		var said [2][]string
		for i, figure := range []string{c.Template, c.TemplateZh} {
			for _, m := range placeholder.FindAllStringSubmatch(figure, -1) {
				if !strings.Contains(m[2], "|") {
					m[1] += ":" + m[2]
				}
				said[i] = append(said[i], m[1])
			}
			slices.Sort(said[i])
		}
		if !slices.Equal(said[0], said[1]) {
			t.Errorf("claim %d does not say the same in both languages:\n%q\n%q", c.N, said[0], said[1])
		}
	}
	if n := len(All()); n < 58 {
		t.Errorf("%d claims, where there were 58", n)
	}
}

// Every claim gives the stored result, on any machine and with any number of workers.
func TestMeasuredClaimsAreThoseStored(t *testing.T) {
	if testing.Short() {
		t.Skip("measures every claim")
	}
	measure := func(of []Claim, jobs int) []Measured {
		t.Helper()
		return must.Get(Measure(context.Background(), Options{Claims: of, Jobs: jobs}))(t)
	}
	first, few, stored := measure(All(), 3), All()[:8], storedClaims(t)
	for i, alone := range measure(few, 1) {
		if first[i].Result != alone.Result {
			t.Errorf("claim %d: %+v, and with one worker %+v", first[i].N, first[i].Result, alone.Result)
		}
	}
	for i := range first {
		if got, r := stored.Of(first[i].N, first[i].English, first[i].Source), first[i].Result; got.Verdict != r.Verdict || got.Figure != r.Figure.English {
			t.Errorf("claim %d is not what measurements/claims.json says: simulate dev claims --json > measurements/claims.json, then simulate dev docs\nmeasured %+v\nstored   %+v",
				first[i].N, r, got)
		}
		if left := reporttest.EnglishRuns(first[i].Figure.Chinese); len(left) > 0 {
			t.Errorf("claim %d: English in the Chinese figure: %q", first[i].N, left)
		}
	}
}

// storedClaims are the results in the repository.
func storedClaims(t *testing.T) *results.Claims {
	t.Helper()
	return must.Get(results.ReadClaims(must.Get(os.ReadFile("../../../measurements/claims.json"))(t)))(t)
}

// measured measures a claim that a text describes.
func measured(t *testing.T, lab *Lab, text string) (Result, error) {
	t.Helper()
	some := must.Get(parse([]byte(text)))(t)
	m, err := measure(t.Context(), lab, some[0])
	return m.Result, err
}

// runsOf plays a story that a text describes.
func runsOf(t *testing.T, lab *Lab, p play) []*Run {
	t.Helper()
	lab.ctx = t.Context()
	return lab.runs(&p, nil)
}

// verdictOf measures one claim in a changed world.
func verdictOf(t *testing.T, n int, lab *Lab) Result {
	t.Helper()
	c, ok := Lookup(n)
	if !ok {
		t.Fatalf("there is no claim %d", n)
	}
	return must.Get(measure(t.Context(), lab, c))(t).Result
}

// instead plays other locks: pairs are a lock and the other one.
func instead(pairs ...string) *Lab {
	lab := &Lab{Instead: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		lab.Instead[pairs[i]] = pairs[i+1]
	}
	return lab
}

func changing(change func(*plan.Plan)) *Lab { return &Lab{Change: change} }

// A measured verdict changes with the world. Each row has the verdict on a claim in an ordinary
// world, which is stored, and in one with another lock or other servers.
func TestAChangedWorldChangesTheVerdict(t *testing.T) {
	longLease := func(p *plan.Plan) { p.Lease = time.Minute }
	tests := []struct {
		name           string
		n              int
		usual, changed string
		lab            *Lab
	}{
		{"a lock that expires is not stuck", 1, True, False, instead("setnx", "set-nx-ex-del")},
		{"a comparing release robs no client", 3, True, False, instead("set-nx-ex-del", "set-nx-lua")},
		{"no value is compared at all", 4, Depends, False, instead("set-nx-token-getdel", "set-nx-ex-del")},
		{"no client renews", 5, Depends, False, instead("redisson-3.12.3", "redisson-lease")},
		{"no client renews", 6, True, False, instead("redisson-3.12.3", "redisson-lease")},
		{"no client renews", 7, Depends, False, instead("redisson-3.12.3", "redisson-lease")},
		{"the work is over before 30 s", 8, False, True, changing(func(p *plan.Plan) {
			p.Workload.Work = plan.Range{Min: 25 * time.Second, Max: 25 * time.Second}
		})},
		{"both renew", 9, True, False, instead("redisson-lease", "redisson")},
		{"the lease outlasts the pause", 12, True, False, changing(longLease)},
		{"the script compares with a constant", 13, True, False, instead("set-nx-lua", "set-nx-lua-const")},
		{"a lock that expires is not stuck", 14, True, False, instead("setnx", "set-nx-ex-del")},
		{"no value is constant", 15, True, False, instead("set-nx-lua-const", "set-nx-lua")},
		{"the script returns a list", 17, True, False, instead("redisson-3.12.3", "redisson-fenced")},
		{"waiters poll", 19, True, False, instead("redisson-3.12.3", "watchdog-lua")},
		{"no client renews", 20, True, False, instead("redisson-3.12.3", "redisson-lease")},
		{"replication takes no time", 21, True, False, changing(func(p *plan.Plan) { p.Redis.Lag = 0 })},
		{"a node forgets nothing", 25, Depends, False, changing(func(p *plan.Plan) { p.Redlock.Persistence = plan.PersistAlways })},
		{"a value that is drawn for each acquisition", 53, Depends, True, instead("set-nx-lua-thread", "set-nx-lua")},
		{"the try ends on the monotonic clock", 54, Depends, True, instead("lua-setex", "set-nx-lua")},
		{"no client pauses", 26, True, False, changing(func(p *plan.Plan) { p.Faults = nil })},
		{"a release on all nodes in both designs", 27, True, False, instead("redlock-minrelease", "redlock")},
		{"WAIT on another connection blocks no client", 28, True, False, instead("set-wait", "set-wait-pooled")},
		{"every partition ends before WAIT does", 29, Depends, True, changing(endSoon)},
		{"clocks play no part", 34, Depends, False, instead("setnx-timestamp-del", "set-nx-lua", "setnx-timestamp-getset", "set-nx-lua")},
		{"no lock has an expiry", 36, Depends, True, instead(
			"set-nx-lua", "setnx", "lua-setex", "setnx", "redlock", "setnx", "mysql-unique-ttl", "mysql-unique")},
		{"clusters of one server", 37, True, False, changing(func(p *plan.Plan) { p.Cluster("etcd").Nodes, p.Cluster("zookeeper").Nodes = 1, 1 })},
		{"all locks of a database try an INSERT", 38, Depends, True, instead(
			"mysql-get-lock", "mysql-unique", "mysql-for-update", "mysql-unique", "pg-advisory", "mysql-unique")},
		{"a table that expires its rows", 39, True, False, instead("mysql-unique", "mysql-unique-ttl")},
		{"both queue", 42, Depends, True, instead("etcd-txn", "etcd-mutex")},
		{"neither queues", 42, Depends, False, instead("etcd-mutex", "etcd-txn")},
		{"a lease of 3 s", 43, False, True, changing(func(p *plan.Plan) { p.Lease = 3 * time.Second })},
		{"a lease that outlasts the faults", 44, False, True, changing(longLease)},
		{"the same lock twice", 45, False, True, instead("etcd-mutex", "etcd-txn")},
		{"a session that is a connection", 46, Depends, True, instead("zk-ephemeral", "mysql-get-lock")},
		{"a lock without a session", 47, True, False, instead("zk-ephemeral", "mysql-unique")},
		{"all watch one key", 57, True, False, instead("etcd-prefix-watch", "etcd-mutex")},
		{"the small cluster is the large one", 58, False, True, changing(func(p *plan.Plan) { p.Cluster("etcd").Nodes = 6 - p.Cluster("etcd").Nodes })},
		{"a lease that outlasts the faults", 50, Depends, False, changing(longLease)},
		{"a world without faults", 51, True, False, changing(func(p *plan.Plan) { p.Faults = nil })},
	}
	stored := storedClaims(t)
	for _, tt := range tests {
		t.Run(fmt.Sprintf("claim %d, %s", tt.n, tt.name), func(t *testing.T) {
			c, _ := Lookup(tt.n)
			if got := stored.Of(c.N, c.English, c.Source); got.Verdict != tt.usual {
				t.Errorf("in the usual world: %s: %s", got.Verdict, got.Figure)
			}
			if got := verdictOf(t, tt.n, tt.lab); got.Verdict != tt.changed {
				t.Errorf("in the changed world: %s: %s", got.Verdict, got.Figure)
			}
		})
	}
}

// endSoon lets no fault last longer than 4 s.
func endSoon(p *plan.Plan) {
	shorter := append([]faults.Fault(nil), p.Faults...)
	for i := range shorter {
		shorter[i].End.For = min(shorter[i].End.For, 4*time.Second)
	}
	p.Faults = shorter
}

// A lock of one machine always fails among several, so no world makes claim 55 false; without
// contention nothing is measured.
func TestALockOfOneMachineNeedsContenders(t *testing.T) {
	c, _ := Lookup(55)
	alone := changing(func(p *plan.Plan) { p.Clients = p.Clients[:1] })
	if _, err := measure(t.Context(), alone, c); err == nil || !strings.Contains(err.Error(), "no client ever had to wait") {
		t.Errorf("alone: the experiment ends with %v", err)
	}
}

// Must and Cases decide together.
func TestTheRuleOfAClaim(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{"must: [1 == 1, 2 > 1]", True},
		{"must: [1 == 1, 2 < 1]", False},
		{"cases: [1 == 1, 2 > 1]", True},
		{"cases: [1 == 1, 2 < 1]", Depends},
		{"cases: [1 == 0, 2 < 1]", False},
		{"must: [1 == 1]\n  cases: [2 < 1]", Depends},
		{"must: [1 == 0]\n  cases: [2 > 1]", False},
	} {
		if got, err := measured(t, &Lab{}, "- n: 1\n  "+tt.rule); err != nil || got.Verdict != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.rule, got.Verdict, err, tt.want)
		}
	}
}

// An experiment that did not test what it says is an error, and so is a mistake in the data.
func TestAnExperimentThatFails(t *testing.T) {
	const setnx = "- n: 7\n  plays:\n  - {lock: setnx, seeds: 1, find: {x: count(\"sent SETNX by A\")}}\n  "
	for _, tt := range []struct{ text, want string }{
		{`- {n: 7, plays: [{lock: setnx, faults: ["when: A has the reply of EXPIRE; crash: A"], find: {x: stuck}}]}`, "fault never fired"},
		{`- {n: 7, plays: [{lock: setnx, find: {x: missing}}]}`, "nothing is called missing"},
		{`- {n: 7, plays: [{lock: setnx, find: {x: 'count("sending SETNX")'}}]}`, "histories have no such event"},
		{`- {n: 7, plays: [{lock: setnx, fault: "x"}]}`, "unknown field"},
		{setnx + "requires: [x == 2]", "it has to be so that x == 2"},
		{setnx + "must: ['x[three] == 1']", "no variation is called so"},
		{setnx + "must: [x.middle == 1]", "no figure"},
		{setnx + "must: [1 +]", "expected operand"},
	} {
		if got, err := measured(t, &Lab{}, tt.text); err == nil || !strings.HasPrefix(err.Error(), "claim 7: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}

func sketch(lock string) (s scenario.Sketch) {
	s.Lock = lock
	return s
}

func TestFiguresAreRoundedInIntegers(t *testing.T) {
	tests := []struct {
		give time.Duration
		want string
	}{
		{0, "0 s"},
		{10 * time.Second, "10 s"},
		{2050 * time.Millisecond, "2.05 s"},
		{-1500 * time.Millisecond, "-1.5 s"},
		{1234499 * time.Microsecond, "1.234 s"},
		{1234500 * time.Microsecond, "1.235 s"},
		{999999 * time.Microsecond, "1 s"},
	}
	for _, tt := range tests {
		if got := Seconds(tt.give).English; got != tt.want {
			t.Errorf("Seconds(%d ns) = %q, want %q", tt.give, got, tt.want)
		}
	}
	if got := Ratio(1, 3); got != "0.333" {
		t.Errorf("Ratio(1, 3) = %q", got)
	}
	if got := Ratio(1, 0); got != "none" {
		t.Errorf("Ratio(1, 0) = %q", got)
	}
}

// A property that did not break must have been kept: a run that tested nothing is not a success.
func TestAnUnknownPropertyEndsTheExperiment(t *testing.T) {
	for _, tt := range []struct{ name, story, want string }{
		{"no contention", `clients: "[A]"`, "no client ever had to wait for another"},
		{"the fault changes nothing", `faults: ["when: A is in its critical section; partition: [A, store]; for: 1s"]`, "fault 1 had no effect"},
	} {
		for _, is := range []string{"overlapped", "foreign", `broken("` + checker.NoStaleWriteID + `")`} {
			_, err := measured(t, &Lab{}, fmt.Sprintf("- n: 7\n  plays:\n  - {lock: set-nx-lua, %s, seeds: 2, find: {x: '%s'}}", tt.story, is))
			if err == nil || !strings.Contains(err.Error(), "claim 7: set-nx-lua, seed 1: whether ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: the experiment ends with %v, want it to say %q", tt.name, err, tt.want)
			}
		}
	}
	// Where no command has removed anything, none was foreign.
	if r := (&Run{Judgement: checker.Judge(history.New(history.Header{}))}); r.ForeignRelease() {
		t.Error("a foreign release in an empty history")
	}
}
