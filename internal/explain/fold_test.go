package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Many clients that give up one after the other are one step; three of them are three.
func TestFold(t *testing.T) {
	for n, want := range map[int]string{
		3: "B gives up: it has waited as long as it could. C gives up: it has waited as long as it could. B gives up: it has waited as long as it could. A releases the lock.",
		5: "B gives up: it has waited as long as it could. The same 4 more times until 0.104 s. A releases the lock.",
	} {
		give := newTape()
		give.acquires(10, "A")
		for k := range n {
			give.add(int64(100+k), history.GaveUp, []string{"B", "C"}[k%2])
		}
		give.releases(2000, "A")
		if g := strings.Join(spoken(give, nil)[1:], " "); g != want {
			t.Errorf("%d of them: %s", n, g)
		}
	}
}

// spoken are the sentences of a tape.
func spoken(t *tape, findings []checker.Finding) (out []string) {
	for _, s := range Steps(timeline.Of(t.h), findings) {
		out = append(out, s.Sentence.English())
	}
	return out
}

// A client that is given an entry and gives it back, again and again, is told once.
func TestRoundsFold(t *testing.T) {
	give := newTape()
	for k := range int64(6) {
		done := give.asks(1000*k+1, 1000*k+2, "B", "SET lock x NX")
		give.add(1000*k+2, history.Granted, "redis-1", give.owner("B"), give.text("lock"), cause(done), lasts(10*time.Second))
		del := give.asks(1000*k+500, 1000*k+501, "B", "EVAL unlock lock x")
		give.add(1000*k+501, history.Removed, "redis-1", give.owner("B"), give.peer("B"), cause(del), give.text("lock"))
	}
	want := []string{
		"The store grants B the lock until 10.002 s. B does not know yet.",
		"B's unlock script removes its own entry. These 2 steps 5 more times until 5.501 s.",
	}
	if got := spoken(give, nil); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q", got)
	}
}

// So is one that tries five servers each time.
func TestRoundsOverServersFold(t *testing.T) {
	give := newTape()
	for k := range int64(6) {
		for s := range int64(5) {
			give.add(1000*k+s, history.Granted, "redis-1", give.owner("B"), give.text(fmt.Sprint("lock/", s)), lasts(10*time.Second))
		}
		for s := range int64(5) {
			give.add(1000*k+500+s, history.Removed, "redis-1", give.owner("B"), give.peer("B"), give.text(fmt.Sprint("lock/", s)))
		}
	}
	want := []string{
		"The store grants B the lock until 10.000 s. B does not know yet. The same 4 more times until 0.004 s.",
		"B's command removes its own entry. The same 4 more times until 0.504 s. These 2 steps 5 more times until 5.500 s.",
	}
	if got := spoken(give, nil); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q", got)
	}
}

// Renewals are one step, whatever others do meanwhile, and the last one before the lease ends says
// until when: on several servers each is counted once.
func TestRenewalsAreOneStep(t *testing.T) {
	renewals := func(t *tape, from int64, n int, set time.Duration, servers ...string) {
		for k := range int64(n) {
			for s, server := range servers {
				t.add(from+200*k+int64(s), history.Extended, server, t.owner("A"), t.peer("A"), t.text("lock"), lasts(set))
			}
		}
	}
	tests := []struct {
		name string
		give func(t *tape)
		want string
	}{
		{"65 of a holder", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 371, 65, 10*time.Second, "redis-1")
			t.expires(23_171, "A")
		}, "A has renewed its lease 65 times, the last time until 23.171 s. | The lease ends. A is not told."},
		{"others do not divide them", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 400, 3, 10*time.Second, "redis-1")
			t.add(1_000, history.GaveUp, "B")
			renewals(t, 1_100, 2, 10*time.Second, "redis-1")
			t.expires(11_300, "A")
		}, "B gives up: it has waited as long as it could. | A has renewed its lease 5 times, the last time until 11.300 s. | The lease ends. A is not told."},
		{"a fault does", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 400, 2, 10*time.Second, "redis-1")
			t.add(1_000, history.FaultBegan, "A", value(2), t.text("slow A by 15 s"))
			renewals(t, 1_100, 1, 10*time.Second, "redis-1")
			t.expires(11_100, "A")
		}, "A has renewed its lease 2 times, the last time until 10.600 s. | Fault 2 begins: slow A by 15 s. | A renews its lease until 11.100 s. | The lease ends. A is not told."},
		{"of one that does not hold", func(t *tape) {
			t.acquires(2, "A")
			t.releases(100, "A")
			t.add(300, history.Granted, "redis-1", t.owner("A"), t.text("lock"), lasts(10*time.Second))
			renewals(t, 400, 17, 10*time.Second, "redis-1")
		}, "The store grants A the lock until 10.300 s. A does not know yet. | A does not hold the lock, and has renewed its entry 17 times, the last time until 13.600 s."},
		{"on two servers", func(t *tape) {
			t.withReplica()
			for _, server := range []string{"redis-1", "redis-2"} {
				t.add(2, history.Granted, server, t.owner("A"), t.text("lock"), lasts(10*time.Second))
			}
			t.add(3, history.Acquired, "A")
			renewals(t, 400, 4, 10*time.Second, "redis-1", "redis-2")
		}, "A is granted the lock until 10.002 s. | A has renewed its lease 4 times, the last time until 11.001 s."},
		{"of a record with its own time", func(t *tape) {
			t.withServers("etcd-1")
			t.add(2, history.Granted, "etcd-1", t.owner("A"), t.text("lock"))
			t.add(3, history.Acquired, "A")
			renewals(t, 400, 17, 0, "etcd-1")
			t.add(9_000, history.Crashed, "A", value(1))
		}, "A is granted the lock. | A writes its entry again, 17 times. | A crashes (fault 1). Its entry stays."},
		{"a key of Redis that loses its end", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 400, 1, 0, "redis-1")
			t.add(9_000, history.Crashed, "A", value(1))
		}, "A sets the lease of its entry: it no longer expires. | A crashes (fault 1). Its entry stays: it has no expiry in the store."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			got := strings.Join(spoken(give, nil), " | ")
			if !strings.HasSuffix(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What is said of an entry agrees with the column beside it.
func TestSentencesAgreeWithTheStore(t *testing.T) {
	give := newTape()
	give.acquires(2, "A")
	give.add(1_000, history.Releasing, "A")
	give.add(1_002, history.NotHeld, "A")
	steps := Steps(timeline.Of(give.h), nil)
	last := steps[len(steps)-1]
	if got := last.Sentence.English() + " " + last.Store.English(); got != "A's release removes nothing, although the store has its entry. Redis says A" {
		t.Errorf("got %q", got)
	}
}

// A client that is told of its loss and writes all the same has not stopped.
func TestAWriteAfterTheLoss(t *testing.T) {
	give := newTape(pauseFault)
	give.acquires(2, "A")
	give.add(4_000, history.Froze, "A", value(1))
	give.expires(10_002, "A")
	give.add(16_000, history.Thawed, "A", value(1))
	give.add(16_000, history.LostLease, "A")
	give.add(16_002, history.WriteAccepted, "resource", give.peer("A"), value(1))
	want := "A wakes. It does not know that time has passed. | A learns that its lock is lost. | A writes all the same. The resource takes it."
	if got := strings.Join(spoken(give, nil), " | "); !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}

// However few steps there is room for, those that decided what broke are told: a fault and an end of
// long ago, behind a hundred steps of others.
func TestAStoryKeepsWhatDecides(t *testing.T) {
	give := newTape(pauseFault)
	give.acquires(2, "A")
	give.add(1_000, history.Froze, "A", value(1))
	give.expires(10_002, "A")
	for k := range int64(100) {
		give.add(10_100+k, history.WriteAccepted, "resource", give.peer("C"), value(k))
	}
	give.acquires(10_300, "B")
	from := give.h.End()
	give.add(16_000, history.Thawed, "A", value(1))
	give.add(16_002, history.WriteAccepted, "resource", give.peer("A"), value(200))
	var acquired int32
	for i := range give.h.Events {
		if e := &give.h.Events[i]; e.Kind == history.Acquired && e.Node == give.h.Node("B") {
			acquired = int32(i)
		}
	}
	findings := []checker.Finding{breaks(checker.MutualExclusionID, from, from, []history.NodeID{give.h.Node("B"), give.h.Node("A")}, acquired)}
	steps := Steps(timeline.Of(give.h), findings)
	for _, limit := range []int{8, 12, 18, 40} {
		story, before, after := Story(steps, limit)
		var kinds []string
		sum := before + after
		for i := range story {
			kinds = append(kinds, give.h.Events[story[i].Event].Kind.String())
			sum += 1 + story[i].Skipped
		}
		said := strings.Join(kinds, " ")
		for _, want := range []string{"acquired", "froze", "expired"} {
			if !strings.Contains(said, want) {
				t.Errorf("of %d steps none is %s: %s", limit, want, said)
			}
		}
		if len(story) > limit || sum != len(steps) {
			t.Errorf("limit %d: %d steps, %d of %d accounted for", limit, len(story), sum, len(steps))
		}
		broken := false
		for i := range story {
			broken = broken || story[i].Violation
		}
		if !broken {
			t.Errorf("limit %d: the violation is left out", limit)
		}
	}
}
