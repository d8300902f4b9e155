package claims

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/reporttest"
)

// The claims are numbered without a gap, and the documents have at least so many.
func TestEveryClaimOfTheCatalogueHasAnExperiment(t *testing.T) {
	have := map[int]bool{}
	for _, c := range All() {
		have[c.N] = true
		if c.Text.English == "" || c.Source == "" || c.Measure == nil {
			t.Errorf("claim %d has no text, no source or no experiment", c.N)
		}
		if left := reporttest.EnglishRuns(c.Text.Chinese); c.Text.Chinese == "" || len(left) > 0 {
			t.Errorf("claim %d in Chinese: %q, with the English words %q", c.N, c.Text.Chinese, left)
		}
	}
	for n := 1; n <= max(51, len(have)); n++ {
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
	stored := storedClaims(t)
	for i := range first {
		if first[i].Result != second[i].Result {
			t.Errorf("claim %d: %+v, then %+v", first[i].N, first[i].Result, second[i].Result)
		}
		if got, r := stored[first[i].N], first[i].Result; got.Verdict != r.Verdict || got.Figure != r.Figure.English {
			t.Errorf("claim %d is not what docs/claims.json says: simulate claims --json > docs/claims.json, then simulate docs\nmeasured %+v\nstored   %+v",
				first[i].N, r, got)
		}
		if left := reporttest.EnglishRuns(first[i].Figure.Chinese); len(left) > 0 {
			t.Errorf("claim %d: English in the Chinese figure: %q", first[i].N, left)
		}
	}
}

// storedClaims is what the page of the documents shows, by number.
func storedClaims(t *testing.T) map[int]struct{ Verdict, Figure string } {
	t.Helper()
	data, err := os.ReadFile("../../docs/claims.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Claims []struct {
			N               int
			Verdict, Figure string
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	out := map[int]struct{ Verdict, Figure string }{}
	for _, c := range file.Claims {
		out[c.N] = struct{ Verdict, Figure string }{c.Verdict, c.Figure}
	}
	return out
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

func instead(lock, other string) *Lab { return &Lab{Instead: map[string]string{lock: other}} }

func changing(change func(*plan.Plan)) *Lab { return &Lab{Change: change} }

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
		{"a lock that expires is not stuck", 1, True, False, instead("setnx", "set-nx-ex-del")},
		{"a comparing release robs nobody", 3, True, False, instead("set-nx-ex-del", "set-nx-lua")},
		{"no value is compared at all", 4, Depends, False, instead("set-nx-token-getdel", "set-nx-ex-del")},
		{"nobody renews", 5, Depends, False, instead("redisson-3.12.3", "redisson-lease")},
		{"nobody renews", 6, True, False, instead("redisson-3.12.3", "redisson-lease")},
		{"nobody renews", 7, Depends, False, instead("redisson-3.12.3", "redisson-lease")},
		{"the work is over before 30 s", 8, False, True, changing(func(p *plan.Plan) {
			p.Workload.Work = plan.Range{Min: 25 * time.Second, Max: 25 * time.Second}
		})},
		{"both renew", 9, True, False, instead("redisson-lease", "redisson")},
		{"the lease outlasts the pause", 12, True, False, changing(func(p *plan.Plan) { p.Lease = time.Minute })},
		{"the script compares with a constant", 13, True, False, instead("set-nx-lua", "set-nx-lua-const")},
		{"a lock that expires is not stuck", 14, True, False, instead("setnx", "set-nx-ex-del")},
		{"no value is constant", 15, True, False, instead("set-nx-lua-const", "set-nx-lua")},
		{"the script returns a list", 17, True, False, instead("redisson-3.12.3", "redisson-fenced")},
		{"waiters poll", 19, True, False, instead("redisson-3.12.3", "watchdog-lua")},
		{"nobody renews", 20, True, False, instead("redisson-3.12.3", "redisson-lease")},
		{"replication takes no time", 21, True, False, changing(func(p *plan.Plan) { p.Redis.Lag = 0 })},
		{"a node forgets nothing", 25, Depends, False, changing(func(p *plan.Plan) { p.Redlock.Persistence = plan.PersistAlways })},
		{"a value that is drawn for each acquisition", 53, Depends, True, instead("set-nx-lua-thread", "set-nx-lua")},
		{"the try ends on the monotonic clock", 54, Depends, True, instead("lua-setex", "set-nx-lua")},
		{"nobody pauses", 26, True, False, changing(func(p *plan.Plan) { p.Faults = nil })},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("claim %d, %s", tt.n, tt.name), func(t *testing.T) {
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
	c := Claim{N: 1, Text: both("x", "x"), Source: "x", Measure: func(l *Lab) Result {
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

// What was not broken has to have been kept. A run that tested nothing must not pass for one
// that a lock survived.
func TestAnUnknownPropertyEndsTheExperiment(t *testing.T) {
	for _, tt := range []struct {
		name  string
		story Story
		want  string
	}{
		{"nobody contends", Story{Lock: "set-nx-lua", Clients: "[A]"}, "no client ever had to wait for another"},
		{"the fault changes nothing", Story{
			Lock: "set-nx-lua", Faults: []string{"when: A is in its critical section; partition: [A, store]; for: 1s"},
		}, "fault 1 had no effect"},
	} {
		for _, is := range []func(*Run) bool{(*Run).Overlapped, (*Run).Robbed, func(r *Run) bool { return r.Broken(checker.NoStaleWriteID) }} {
			c := Claim{N: 7, Measure: func(l *Lab) Result { return Result{Verdict: Verdict(HowMany(l.Play(tt.story, 2), is) == 0)} }}
			_, err := measure(context.Background(), &Lab{}, c)
			if err == nil || !strings.Contains(err.Error(), "claim 7: set-nx-lua, seed 1: whether ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: the experiment ends with %v, want it to say %q", tt.name, err, tt.want)
			}
		}
	}
	// Where no command has removed anything, it is known that none has robbed anybody.
	if r := (&Run{Judgement: checker.Judge(history.New(history.Header{}))}); r.Robbed() {
		t.Error("somebody was robbed in an empty history")
	}
}
