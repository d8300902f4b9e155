package explain

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// pauseStory is the lesson of the lease: A freezes, B gets the lock, A writes.
func pauseStory() (*tape, []checker.Finding) {
	t := newTape(`0.011 A acquires; 0.06 A froze value=1; 10.011 redis-1 expired owner=A
		10.03 B acquires as=B; 15.06 A thawed value=1
		15.061 resource write-accepted peer=A value=1 as=write; 15.062 A releasing`, pauseFault)
	a, b, second, write := t.h.Node("A"), t.h.Node("B"), t.Event("B")-1, t.Event("write")
	from, to := t.h.Events[second].At, t.h.End()
	return t, []checker.Finding{
		breaks(checker.MutualExclusionID, from, to, []history.NodeID{b, a}, second),
		breaks(checker.NoStaleWriteID, t.h.Events[write].At, t.h.Events[write].At, []history.NodeID{a, b}, write),
	}
}

func TestViolationsAreMarked(t *testing.T) {
	give, findings := pauseStory()
	var got []Step
	for _, s := range give.steps(findings...) {
		if s.Violation {
			got = append(got, s)
		}
	}
	want := []string{
		"two holders inside: A entered at 0.012 s",
		"stale write: B has held the lock since 10.031 s",
	}
	if len(got) != len(want) {
		t.Fatalf("got %d marked steps, want %d", len(got), len(want))
	}
	for i := range want {
		must.Equal(t, got[i].Note.English(), want[i])
		if !got[i].Apart || got[i].Belief.English() != "A and B each think they hold it" || got[i].Store.English() != "Redis says B" {
			t.Errorf("belief and store: %+v", got[i])
		}
	}
}

// A violation at an event that is otherwise routine is shown all the same.
func TestViolationForcesAStep(t *testing.T) {
	steps := newTape("0.005 A waits").steps(breaks("fifo", 0, 0, nil, 0))
	if len(steps) != 1 || steps[0].Sentence.English() != "A waits for the lock." || steps[0].Note.English() != "fifo is broken" {
		t.Errorf("got %+v", steps)
	}
}

func TestVerdict(t *testing.T) {
	give, findings := pauseStory()
	for _, tt := range []struct {
		name string
		give checker.Judgement
		want string
	}{
		{"broken", checker.Judgement{History: give.h, Findings: findings, Overlap: 4983 * time.Millisecond},
			"set-nx-lua let two clients in at once for 4.983 s and accepted 1 stale write."},
		{"kept", checker.Judgement{History: give.h, Acquired: 1, Findings: []checker.Finding{{Property: "progress", Verdict: checker.Kept}}},
			"set-nx-lua kept every property over 1 acquisition."},
		{"unknown", checker.Judgement{History: give.h, Findings: []checker.Finding{{Property: "progress", Verdict: checker.Unknown, Reason: say.NeverFired.With(1, say.Both{})}}},
			"set-nx-lua broke nothing, but progress is unknown, since fault 1 never fired."},
		{"nothing", checker.Judgement{}, "There is no history to judge."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var account *timeline.Timeline
			if tt.give.History != nil {
				account = timeline.Of(tt.give.History)
			}
			must.Equal(t, Verdict(account, &tt.give).English(), tt.want)
		})
	}
}

func TestStory(t *testing.T) {
	steps := make([]Step, 100)
	for i := range steps {
		steps[i].Event = int32(i)
	}
	steps[60].Violation = true
	got, before, after := Story(steps, 18)
	if len(got) != 18 || before+len(got)+after != 100 {
		t.Fatalf("%d steps, %d before, %d after", len(got), before, after)
	}
	if first, last := got[0].Event, got[17].Event; first > 60 || last < 60 {
		t.Errorf("steps %d to %d leave out the violation at 60", first, last)
	}
}

// An assumption cites the faults that acted at some time between two instants: at most three, the
// latest ones.
func TestFaultsBetweenTwoInstants(t *testing.T) {
	// At 3 s another fault ends, and then another client thaws.
	give := newTape(`1 A froze as=early; 1.1 A fault-began value=1 as=cut; 2 A thawed; 2.5 B froze as=long
		3 A fault-ended value=2; 3.1 A thawed; 6 A crashed as=dead; 7 A restarted; 8 A fault-ended value=1
		9 C clock-changed as=step; 9.5 B thawed`)
	q := newInquiry(timeline.Of(give.h), 0, 0)
	for _, tt := range []struct {
		from, to int64 // in milliseconds
		want     string
	}{
		{0, 999, ""},
		{0, 1000, "early"},
		{0, 2400, "early cut"},
		{2000, 2400, "early cut"}, // A thawed at 2000, so it was still frozen then
		{2001, 5000, "cut long"},
		{2001, 8500, "cut long dead"},
		{2001, 10_000, "long dead step"}, // four acted
		{7001, 8999, "cut long"},
		{9501, 10_000, "step"},
	} {
		var want []int32
		for _, name := range strings.Fields(tt.want) {
			want = append(want, give.Event(name))
		}
		if got := q.faultsIn(history.Instant(tt.from)*ms, history.Instant(tt.to)*ms); !slices.Equal(got, want) {
			t.Errorf("from %d to %d ms: events %v, want %v: %s", tt.from, tt.to, got, want, tt.want)
		}
	}
}

// Of a story that is too long, the part around the first violation is kept, wherever
// that is, and the rest is counted.
func TestALongStoryIsToldAroundTheFirstViolation(t *testing.T) {
	const rounds = 500
	for _, bad := range []int32{-1, 0, 1, 77, 2*rounds - 2, 2*rounds - 1} {
		h := history.New(history.Header{Nodes: []history.Node{{Name: "A", Role: history.RoleClient}}})
		for i := range rounds {
			at := history.Instant(i) * 1e9
			h.Add(history.Event{At: at, Kind: history.Acquired, Node: 1, Cause: history.NoCause})
			h.Add(history.Event{At: at + 5e8, Kind: history.Releasing, Node: 1, Cause: history.NoCause})
		}
		var findings []checker.Finding
		if bad >= 0 {
			findings = []checker.Finding{{Property: checker.MutualExclusionID, Verdict: checker.Broken, Count: 1,
				Violations: []checker.Violation{{From: h.Events[bad].At, To: h.Events[bad].At, Events: []int32{bad}}}}}
		}
		all, none, also := narrate(timeline.Of(h), findings, 10*rounds)
		if len(all) < rounds || none+also > 0 {
			t.Fatalf("%d steps, %d and %d left out", len(all), none, also)
		}
		part, before, after := narrate(timeline.Of(h), findings, 100)
		if len(part) == 0 || len(part) > 100 || before+len(part)+after != len(all) {
			t.Fatalf("bad %d: %d steps with %d before and %d after, want %d together", bad, len(part), before, after, len(all))
		}
		for i := range part {
			if !reflect.DeepEqual(part[i], all[before+i]) {
				t.Fatalf("bad %d: step %d is %+v, want %+v", bad, before+i, part[i], all[before+i])
			}
		}
		if bad < 0 && before > 0 {
			t.Errorf("%d steps of a story without a violation are left out before its beginning", before)
		}
		seen := bad < 0
		for i := range part {
			seen = seen || part[i].Violation
		}
		if !seen {
			t.Errorf("bad %d: the violation is left out", bad)
		}
	}
}

// What the servers have follows leaders, deaths and promotions, as the steps do.
func TestHolds(t *testing.T) {
	for _, tt := range []struct {
		name string
		give string
		want []string // server, owner, from and to in milliseconds
	}{
		{"an entry ends where it is removed", "0.01 A acquires; 0.5 A releases",
			[]string{"redis-1 A 10-501"}},
		{"a member that leads takes the entries over, and ends them", `servers etcd-1 etcd-2
			0.002 etcd-1 grants A; 0.05 etcd-1 crashed; 1.05 etcd-2 promoted peer=etcd-1
			12 etcd-2 expired owner=A`, []string{"etcd-1 A 2-1050", "etcd-2 A 1050-12000"}},
		{"a dead server has nothing, and again what it kept", `0.01 A acquires; 0.1 redis-1 crashed
			0.6 redis-1 restarted`, []string{"redis-1 A 10-100", "redis-1 A 600-end"}},
		{"a copy replaces the one before, whose end was not seen", `servers redis-1 redis-2
			0.01 A acquires; 0.02 redis-2 copies A; 0.03 redis-1 grants B; 0.04 redis-2 copies B`,
			[]string{"redis-1 A 10-30", "redis-2 A 20-40 copy", "redis-1 B 30-end", "redis-2 B 40-end copy"}},
		{"a copy that was over before its server was promoted", `servers redis-1 redis-2; 0.002 A acquires; 0.05 redis-1 crashed
			12 redis-2 promoted peer=redis-1; 12 redis-2 expired owner=A`, []string{"redis-1 A 2-50"}},
		{"a copy is the replica's own once it answers", `servers redis-1 redis-2; 0.01 A acquires
			0.02 redis-2 copies A; 0.1 redis-1 crashed; 0.6 redis-2 promoted peer=redis-1`,
			[]string{"redis-1 A 10-100", "redis-2 A 20-600 copy", "redis-2 A 600-end"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(tt.give)
			var got []string
			for _, held := range timeline.Of(give.h).Stored() {
				to, copied := "end", ""
				if held.To != history.NoCause {
					to = fmt.Sprint(give.h.Events[held.To].At.Duration().Milliseconds())
				}
				if held.Copy {
					copied = " copy"
				}
				from := give.h.Events[held.From].At.Duration().Milliseconds()
				got = append(got, fmt.Sprintf("%s %s %d-%s%s",
					give.h.Name(held.Node), give.h.Name(held.Owner), from, to, copied))
			}
			must.Equal(t, strings.Join(got, "; "), strings.Join(tt.want, "; "))
		})
	}
}

// Each step says which clients believe that they hold the lock, and what the servers have.
func TestBeliefsOfServers(t *testing.T) {
	for _, tt := range []struct {
		name string
		give string
		want string // belief and store after the last step
	}{
		{"two primaries", `servers redis-1 redis-2; 0.002 A acquires; 0.06 redis-2 promoted peer=redis-1
			0.07 redis-2 admits B`, "A and B each think they hold it, servers say A 1/2, B 1/2"},
		{"one of them has become a replica", `servers redis-1 redis-2; 0.002 A acquires
			0.06 redis-2 promoted peer=redis-1; 0.07 redis-2 admits B; 0.09 redis-1 forgotten owner=A
			0.09 redis-1 demoted peer=redis-2`, "A and B each think they hold it, Redis says B"},
		{"a cluster has one state", `servers etcd-1 etcd-2 etcd-3; 0.002 etcd-1 admits A
			0.05 etcd-1 crashed value=1; 1.05 etcd-2 promoted peer=etcd-1`,
			"A thinks it holds the lock, etcd says A"},
		{"without a leader no entry ends", `servers etcd-1 etcd-2 etcd-3; 0.002 etcd-1 admits A
			0.05 etcd-1 crashed value=1; 12 etcd-2 promoted peer=etcd-1`,
			"A thinks it holds the lock, etcd says A"},
		{"re-entry changes nothing", `0.002 A acquires; 0.01 A reenters value=1
			0.012 A reentered value=1; 0.014 A left value=1`, "A thinks it holds the lock, Redis says A"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			steps := newTape(tt.give, pauseFault).steps()
			last := steps[len(steps)-1]
			must.Equal(t, last.Belief.English()+", "+last.Store.English(), tt.want)
		})
	}
}
