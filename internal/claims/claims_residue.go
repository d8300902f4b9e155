package claims

import (
	"lockstep/internal/history"
)

// Claims about what an attempt at Redlock leaves behind when replies get lost.

func init() {
	Register(Claim{27, both("A release has to go to all nodes, also to those that seem not to have given the lock.", "释放必须发给所有节点，也包括看起来没有给锁的节点。"), "S0:126, S4:245-251", releaseOnAllNodes})
	Register(Claim{40, both("A node whose reply to SET got lost really holds the key.", "SET 的答复丢失的节点，其实有这个键。"), "S4:251", lostReplyHoldsKey})
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
		Figure: both("With three of A's five replies lost in 20 runs, a release on all nodes left %d keys behind and %d of %d clients got the lock within 5 s, one on the nodes that said OK left %d and %d of %d got it; with 5 %% of all requests losing a half, %d of %d acquisitions came within 2 s, against %d of %d.",
			"20 次运行中 A 的五个答复丢失三个，向所有节点释放，留下 %d 个键，%[3]d 个客户端中有 %[2]d 个在 5 秒内拿到锁；只向答复了 OK 的节点释放，留下 %[4]d 个，%[6]d 个中有 %[5]d 个拿到；所有请求的 5 %% 丢失一半时，%[8]d 次拿锁中有 %[7]d 次在 2 秒内成功，对 %[10]d 次中的 %[9]d 次。",
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
		Figure: both("With its reply lost, the node had A's key in %d of %d runs, A did not learn of it in %d, B's SET there was answered with nil in %d, and a release on the nodes that said OK left the key there in %d.",
			"答复丢失时，%[2]d 次运行中有 %[1]d 次节点有 A 的键，A 不知道的有 %[3]d 次，B 在那里的 SET 得到 nil 的有 %[4]d 次，向答复了 OK 的节点释放之后键还留在那里的有 %[5]d 次。",
			granted, n, unknown, refused, left),
	}
}
