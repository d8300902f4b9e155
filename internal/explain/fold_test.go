package explain

import (
	"fmt"
	"strings"
	"testing"
)

// Many steps of one kind one after the other are one; three of them are three.
func TestFold(t *testing.T) {
	giveUp := func(n int) string {
		story := "0.01 A acquires"
		for k := range n {
			story += fmt.Sprintf("; %dms %s gave-up", 100+k, []string{"B", "C"}[k%2])
		}
		return story + "; 2 A releases"
	}
	again, onFive := "", ""
	for k := range 6 {
		again += fmt.Sprintf(`
			%[1]d.001 B asks %[1]d.002 as=done SET lock x NX
			%[1]d.002 redis-1 granted owner=B cause=done lasts=10s
			%[1]d.5 B asks %[1]d.501 as=done EVAL unlock lock x
			%[1]d.501 redis-1 removed owner=B peer=B cause=done`, k)
		for s := range 5 {
			onFive += fmt.Sprintf("%d.00%d redis-1 granted owner=B lasts=10s text=lock/%[2]d;", k, s)
		}
		for s := range 5 {
			onFive += fmt.Sprintf("%d.50%d redis-1 removed owner=B peer=B text=lock/%[2]d;", k, s)
		}
	}
	checkNarrations(t, []narration{
		{"three that give up", giveUp(3), []string{
			"0.011 s A is granted the lock until 10.010 s and enters.",
			"0.100 s B gives up: it has waited as long as it was willing to.",
			"0.101 s C gives up: it has waited as long as it was willing to.",
			"0.102 s B gives up: it has waited as long as it was willing to.",
			"2.001 s A releases the lock.",
		}},
		{"five that give up", giveUp(5), []string{
			"0.011 s A is granted the lock until 10.010 s and enters.",
			"0.100 s B gives up: it has waited as long as it was willing to. " +
				"The same 4 more times until 0.104 s.",
			"2.001 s A releases the lock.",
		}},
		{"an entry that is given and given back, again and again", again, []string{
			"0.002 s The store grants B the lock until 10.002 s. B does not know yet.",
			"0.501 s B's unlock script removes its own entry. " +
				"These 2 steps 5 more times until 5.501 s.",
		}},
		{"so on five servers each time", onFive, []string{
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
	renewals := func(from, n int, set string, servers ...string) (story string) {
		for k := range n {
			for s, server := range servers {
				story += fmt.Sprintf("%dms %s extended owner=A peer=A lasts=%s;", from+200*k+s, server, set)
			}
		}
		return story
	}
	checkNarrations(t, []narration{
		{"65 of a holder", "0.002 A acquires;" + renewals(371, 65, "10s", "redis-1") +
			"23.171 redis-1 expired owner=A", []string{
			"13.171 s A has renewed its lease 65 times, the last time until 23.171 s.",
			"23.171 s The lease ends. A is not told.",
		}},
		{"others do not divide them", "0.002 A acquires;" + renewals(400, 3, "10s", "redis-1") + "1 B gave-up;" +
			renewals(1_100, 2, "10s", "redis-1") + "11.3 redis-1 expired owner=A", []string{
			"1.000 s B gives up: it has waited as long as it was willing to.",
			"1.300 s A has renewed its lease 5 times, the last time until 11.300 s.",
			"11.300 s The lease ends. A is not told.",
		}},
		{"a fault does", "0.002 A acquires;" + renewals(400, 2, "10s", "redis-1") +
			"1 A fault-began value=2 text=slow A by 15 s;" + renewals(1_100, 1, "10s", "redis-1") +
			"11.1 redis-1 expired owner=A", []string{
			"0.600 s A has renewed its lease 2 times, the last time until 10.600 s.",
			"1.000 s Fault 2 begins: slow A by 15 s.",
			"1.100 s A renews its lease until 11.100 s.",
			"11.100 s The lease ends. A is not told.",
		}},
		{"of one that does not hold", "0.002 A acquires; 0.1 A releases; 0.3 redis-1 grants A;" +
			renewals(400, 17, "10s", "redis-1"), []string{
			"0.300 s The store grants A the lock until 10.300 s. A does not know yet.",
			"3.600 s A does not hold the lock, and has renewed its entry 17 times, " +
				"the last time until 13.600 s.",
		}},
		{"on two servers", "servers redis-1 redis-2; 0.002 redis-1 grants A; 0.002 redis-2 admits A;" +
			renewals(400, 4, "10s", "redis-1", "redis-2"), []string{
			"0.003 s A is granted the lock until 10.002 s.",
			"1.001 s A has renewed its lease 4 times, the last time until 11.001 s.",
		}},
		{"of a record with its own time", "servers etcd-1; 0.002 etcd-1 granted owner=A; 0.003 A acquired;" +
			renewals(400, 17, "0s", "etcd-1") + "9 A crashed value=1", []string{
			"0.003 s A is granted the lock.",
			"3.600 s A writes its entry again, 17 times.",
			"9.000 s A crashes (fault 1). Its entry stays.",
		}},
		{"a key of Redis that loses its end", "0.002 A acquires;" +
			renewals(400, 1, "0s", "redis-1") + "9 A crashed value=1", []string{
			"0.400 s A sets the lease of its entry: it no longer expires.",
			"9.000 s A crashes (fault 1). Its entry stays: it has no expiry in the store.",
		}},
	})
}

// However short a story is, it has the steps that decided what broke: here a fault and the end of a
// lease, behind a hundred steps of another client.
func TestAStoryKeepsWhatDecides(t *testing.T) {
	give := newTape("0.002 A acquires; 1 A froze value=1; 10.002 redis-1 expired owner=A", pauseFault)
	for k := range 100 {
		give.Write(fmt.Sprintf("%dms resource write-accepted peer=C value=%d", 10_100+k, k))
	}
	give.Write("10.3 B acquires as=B; 16 A thawed value=1; 16.002 resource write-accepted peer=A value=200")
	finding := give.inBesideA()
	finding.Violations[0].Events = []int32{give.Event("B") - 1} // acquired, and then entered
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
