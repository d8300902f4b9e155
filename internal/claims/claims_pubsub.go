package claims

import (
	"time"

	"lockstep/internal/history"
)

// Claims about waiting: who is woken, by what, and how often.

func init() {
	Register(Claim{19, both("Unlocking publishes a message, and clients that wait for the lock have subscribed to it.", "解锁时发布一条消息，等锁的客户端都订阅了它。"), "S1:467-485", unlockWakesWaiters})
}

// unlockWakesWaiters has four clients wait for A. True when each of them has
// subscribed, none asks again while the lock is held, and each release is followed
// at once by an attempt of every client that waits.
func unlockWakesWaiters(l *Lab) Result {
	story := Story{Lock: "redisson-3.12.3", Clients: "[A, B, C, D, E]"}
	runs := l.Play(story, 20)
	var waits, subscribed, releases, woken, waiting, idle int
	for _, r := range runs {
		subscribed += len(r.Commands("", "SUBSCRIBE"))
		waits += r.clients() - 1
		n, w, of, other := wakeUps(r)
		releases, woken, waiting, idle = releases+n, woken+w, waiting+of, idle+other
	}
	story.Clients, story.Servers = "[A, B]", "{redis: {persistence: always}}"
	story.Faults = []string{"when: A releases; restart: the primary; down: 600ms"}
	lost := l.Play(story, 20)
	var longest time.Duration
	for _, r := range lost {
		if removed, ok := r.First(history.Removed, ""); ok {
			longest = max(longest, r.Holds("B")[0].Start.Sub(removed.At))
		}
	}
	return Result{
		Verdict: Verdict(subscribed == waits && waiting > 0 && woken == waiting && idle == 0),
		Figure: both("%d of %d waiters subscribed; %d releases woke %d of %d waiting clients, who asked %d times in between. With the message lost to a restart B waits %s at most and gets the lock (stuck: %d of %d runs).",
			"%[2]d 个等待者中有 %[1]d 个订阅了；%[3]d 次释放叫醒了 %[5]d 个等待的客户端中的 %[4]d 个，它们在这期间问了 %[6]d 次。消息因重启丢失时，B 最多等 %[7]s，然后拿到锁（卡住：%[9]d 次运行中 %[8]d 次）。",
			subscribed, waits, releases, woken, waiting, idle, Seconds(longest), HowMany(lost, (*Run).Stuck), len(lost)),
	}
}

// soon is how long after a release its message has reached everybody and their
// attempts are on the way; the lock is held for much longer.
const soon = 100 * time.Millisecond

// wakeUps follows the waiters of a run. It returns the number of releases with
// somebody waiting, how many of those who waited sent an attempt soon after, how
// many waited, and how many attempts came at another time: neither soon after a
// release nor at the start of the wait, when a client tries, subscribes and tries
// once more.
func wakeUps(r *Run) (releases, woken, waiting, idle int) {
	tries := map[history.NodeID]int{} // of those who wait
	asked := map[history.NodeID]bool{}
	last := history.Instant(-1)
	for _, e := range r.History.Events {
		if r.History.Role(e.Node) == history.RoleProbe {
			break // the story is over
		}
		switch e.Kind {
		case history.Waits:
			tries[e.Node] = 0
		case history.Acquired:
			delete(tries, e.Node)
		case history.Removed:
			last = e.At
			clear(asked)
			if len(tries) > 0 {
				releases, waiting = releases+1, waiting+len(tries)
			}
		case history.Sent:
			if r.Command(e) != acquireScript {
				continue
			}
			tries[e.Node]++
			switch {
			case last >= 0 && e.At.Sub(last) <= soon:
				if !asked[e.Node] {
					woken++
				}
				asked[e.Node] = true
			case tries[e.Node] > 2:
				idle++
			}
		}
	}
	return releases, woken, waiting, idle
}
