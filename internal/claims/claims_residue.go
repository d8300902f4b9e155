package claims

import (
	"fmt"

	"lockstep/internal/history"
)

// Claims about what an attempt at Redlock leaves behind when replies get lost.

func init() {
	Register(Claim{27, "A release has to go to all nodes, also to those that seem not to have given the lock.", "S0:126, S4:245-251", releaseOnAllNodes})
	Register(Claim{40, "A node whose reply to SET got lost really holds the key.", "S4:251", lostReplyHoldsKey})
}

// releaseOnAllNodes loses three of five replies of A's first attempt, and then one
// message in twenty at random, with a release on all nodes and with one on those
// that said OK. True when only the second one leaves keys behind in the scripted
// case, and costs acquisitions in both.
func releaseOnAllNodes(l *Lab) Result {
	var lost []string
	for _, nth := range []string{"1st", "2nd", "3rd"} {
		lost = append(lost, "when: A is about to send SET the "+nth+" time; drop: reply")
	}
	type outcome struct{ left, got, of, gotAtRandom, ofAtRandom int }
	measure := func(lock string) (o outcome) {
		for _, r := range l.Play(Story{Lock: lock, Clients: "[A, B]", Wait: "5s", Work: "1s", Faults: lost}, 20) {
			o.left += leftBehind(r, "")
			o.got += len(r.Rounds(""))
			o.of += 2
		}
		p := l.Plan(Story{Lock: lock, Wait: "2s", Work: "500ms", Workload: []string{"repeat: 5 times"}})
		p.Network.LossPPM = 50_000
		for _, r := range l.PlayPlan(p, 20) {
			o.gotAtRandom += len(r.Rounds(""))
			o.ofAtRandom += r.Count(history.Waits, "") - 1 // the probe's
		}
		return o
	}
	all, some := measure("redlock"), measure("redlock-minrelease")
	return Result{
		Verdict: Verdict(all.left == 0 && some.left > 0 && some.got < all.got && some.gotAtRandom < all.gotAtRandom),
		Figure: fmt.Sprintf("With three of A's five replies lost in 20 runs, a release on all nodes left %d keys behind and %d of %d clients got the lock within 5 s, one on the nodes that said OK left %d and %d of %d got it; with 5 %% of all requests losing a half, %d of %d acquisitions came within 2 s, against %d of %d.",
			all.left, all.got, all.of, some.left, some.got, some.of,
			all.gotAtRandom, all.ofAtRandom, some.gotAtRandom, some.ofAtRandom),
	}
}

// leftBehind counts the entries of clients that no release has removed; on all
// servers when server is "".
func leftBehind(r *Run, server string) int {
	n := 0
	for _, e := range r.History.Events {
		if r.History.Role(e.Owner) != history.RoleClient || server != "" && r.Name(e.Node) != server {
			continue
		}
		switch e.Kind {
		case history.Granted:
			n++
		case history.Removed:
			n--
		}
	}
	return n
}

// lostReplyHoldsKey loses the reply of the second node. True when that node then
// has A's key in all runs, which A does not know, and refuses the lock to B.
func lostReplyHoldsKey(l *Lab) Result {
	const node = "redis-2"
	runs := l.Play(Story{
		Lock: "redlock-minrelease", Clients: "[A, B]", Work: "1s",
		Faults: []string{"when: A is about to send SET the 2nd time; drop: reply"},
	}, 20)
	granted, unknown, refused, left := 0, 0, 0, 0
	for _, r := range runs {
		if e, ok := r.First(history.Granted, node); ok && r.Name(e.Owner) == "A" {
			granted++
		}
		for _, q := range Only(r.Requests("A"), "SET") {
			if r.Name(q.Server) == node && q.Failed {
				unknown++
				break
			}
		}
		for _, q := range Only(r.Requests("B"), "SET") {
			if r.Name(q.Server) == node && q.Reply == "(nil)" {
				refused++
				break
			}
		}
		if leftBehind(r, node) > 0 {
			left++
		}
	}
	n := len(runs)
	return Result{
		Verdict: Verdict(granted == n && unknown == n && refused == n),
		Figure: fmt.Sprintf("With its reply lost, the node had A's key in %d of %d runs, A did not learn of it in %d, B's SET there was answered with nil in %d, and a release on the nodes that said OK left the key there in %d.",
			granted, n, unknown, refused, left),
	}
}
