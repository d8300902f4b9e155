package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
)

// Many steps of one kind one after the other are one; three of them are three.
func TestFold(t *testing.T) {
	giveUp := func(n int) func(t *tape) {
		return func(t *tape) {
			t.acquires(10, "A")
			for k := range n {
				t.add(int64(100+k), history.GaveUp, []string{"B", "C"}[k%2])
			}
			t.releases(2000, "A")
		}
	}
	narrate(t, []narration{
		{"three that give up", giveUp(3), []string{
			"0.011 s A is granted the lock until 10.010 s and enters.",
			"0.100 s B gives up: it has waited as long as it could.",
			"0.101 s C gives up: it has waited as long as it could.",
			"0.102 s B gives up: it has waited as long as it could.",
			"2.001 s A releases the lock.",
		}},
		{"five that give up", giveUp(5), []string{
			"0.011 s A is granted the lock until 10.010 s and enters.",
			"0.100 s B gives up: it has waited as long as it could. " +
				"The same 4 more times until 0.104 s.",
			"2.001 s A releases the lock.",
		}},
		{"an entry that is given and given back, again and again", func(t *tape) {
			for k := range int64(6) {
				done := t.asks(1000*k+1, 1000*k+2, "B", "SET lock x NX")
				t.add(1000*k+2, history.Granted, "redis-1",
					t.owner("B"), t.text("lock"), cause(done), lasts(10*time.Second))
				del := t.asks(1000*k+500, 1000*k+501, "B", "EVAL unlock lock x")
				t.add(1000*k+501, history.Removed, "redis-1",
					t.owner("B"), t.peer("B"), cause(del), t.text("lock"))
			}
		}, []string{
			"0.002 s The store grants B the lock until 10.002 s. B does not know yet.",
			"0.501 s B's unlock script removes its own entry. " +
				"These 2 steps 5 more times until 5.501 s.",
		}},
		{"so on five servers each time", func(t *tape) {
			for k := range int64(6) {
				for s := range int64(5) {
					t.add(1000*k+s, history.Granted, "redis-1",
						t.owner("B"), t.text(fmt.Sprint("lock/", s)), lasts(10*time.Second))
				}
				for s := range int64(5) {
					t.add(1000*k+500+s, history.Removed, "redis-1",
						t.owner("B"), t.peer("B"), t.text(fmt.Sprint("lock/", s)))
				}
			}
		}, []string{
			"0.000 s The store grants B the lock until 10.000 s. B does not know yet. " +
				"The same 4 more times until 0.004 s.",
			"0.500 s B's command removes its own entry. The same 4 more times until 0.504 s. " +
				"These 2 steps 5 more times until 5.500 s.",
		}},
	})
}

// Renewals are one step, whatever others do meanwhile, and the last one before the lease ends says
// until when: on several servers each is counted once.
func TestRenewalsAreOneStep(t *testing.T) {
	renewals := func(t *tape, from int64, n int, set time.Duration, servers ...string) {
		for k := range int64(n) {
			for s, server := range servers {
				t.add(from+200*k+int64(s), history.Extended, server,
					t.owner("A"), t.peer("A"), t.text("lock"), lasts(set))
			}
		}
	}
	narrate(t, []narration{
		{"65 of a holder", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 371, 65, 10*time.Second, "redis-1")
			t.expires(23_171, "A")
		}, []string{
			"13.171 s A has renewed its lease 65 times, the last time until 23.171 s.",
			"23.171 s The lease ends. A is not told.",
		}},
		{"others do not divide them", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 400, 3, 10*time.Second, "redis-1")
			t.add(1_000, history.GaveUp, "B")
			renewals(t, 1_100, 2, 10*time.Second, "redis-1")
			t.expires(11_300, "A")
		}, []string{
			"1.000 s B gives up: it has waited as long as it could.",
			"1.300 s A has renewed its lease 5 times, the last time until 11.300 s.",
			"11.300 s The lease ends. A is not told.",
		}},
		{"a fault does", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 400, 2, 10*time.Second, "redis-1")
			t.add(1_000, history.FaultBegan, "A", value(2), t.text("slow A by 15 s"))
			renewals(t, 1_100, 1, 10*time.Second, "redis-1")
			t.expires(11_100, "A")
		}, []string{
			"0.600 s A has renewed its lease 2 times, the last time until 10.600 s.",
			"1.000 s Fault 2 begins: slow A by 15 s.",
			"1.100 s A renews its lease until 11.100 s.",
			"11.100 s The lease ends. A is not told.",
		}},
		{"of one that does not hold", func(t *tape) {
			t.acquires(2, "A")
			t.releases(100, "A")
			t.grants(300, "redis-1", "A")
			renewals(t, 400, 17, 10*time.Second, "redis-1")
		}, []string{
			"0.300 s The store grants A the lock until 10.300 s. A does not know yet.",
			"3.600 s A does not hold the lock, and has renewed its entry 17 times, " +
				"the last time until 13.600 s.",
		}},
		{"on two servers", func(t *tape) {
			t.withReplica()
			t.grants(2, "redis-1", "A")
			t.holds(2, "redis-2", "A")
			renewals(t, 400, 4, 10*time.Second, "redis-1", "redis-2")
		}, []string{
			"0.003 s A is granted the lock until 10.002 s.",
			"1.001 s A has renewed its lease 4 times, the last time until 11.001 s.",
		}},
		{"of a record with its own time", func(t *tape) {
			t.withServers("etcd-1")
			t.add(2, history.Granted, "etcd-1", t.owner("A"), t.text("lock"))
			t.add(3, history.Acquired, "A")
			renewals(t, 400, 17, 0, "etcd-1")
			t.add(9_000, history.Crashed, "A", value(1))
		}, []string{
			"0.003 s A is granted the lock.",
			"3.600 s A writes its entry again, 17 times.",
			"9.000 s A crashes (fault 1). Its entry stays.",
		}},
		{"a key of Redis that loses its end", func(t *tape) {
			t.acquires(2, "A")
			renewals(t, 400, 1, 0, "redis-1")
			t.add(9_000, history.Crashed, "A", value(1))
		}, []string{
			"0.400 s A sets the lease of its entry: it no longer expires.",
			"9.000 s A crashes (fault 1). Its entry stays: it has no expiry in the store.",
		}},
	})
}

// However short a story is, it has the steps that decided what broke: here a fault and the end of a
// lease, behind a hundred steps of another client.
func TestAStoryKeepsWhatDecides(t *testing.T) {
	give := newTape(pauseFault)
	give.acquires(2, "A")
	give.add(1_000, history.Froze, "A", value(1))
	give.expires(10_002, "A")
	for k := range int64(100) {
		give.add(10_100+k, history.WriteAccepted, "resource", give.peer("C"), value(k))
	}
	give.acquires(10_300, "B")
	acquired := int32(len(give.h.Events)) - 2
	give.add(16_000, history.Thawed, "A", value(1))
	give.add(16_002, history.WriteAccepted, "resource", give.peer("A"), value(200))
	finding := give.inBesideA()
	finding.Violations[0].Events = []int32{acquired}
	steps := give.steps(finding)
	for _, limit := range []int{8, 12, 18, 40} {
		story, before, after := Story(steps, limit)
		var kinds []string
		sum, broken := before+after, false
		for _, step := range story {
			kinds = append(kinds, give.h.Events[step.Event].Kind.String())
			sum += 1 + step.Skipped
			broken = broken || step.Violation
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
		if !broken {
			t.Errorf("limit %d: the violation is left out", limit)
		}
	}
}
