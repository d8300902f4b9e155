package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

var pauseFault = history.Fault{
	Number: 1, Verb: "pause", Text: "pause A for 15 s when A is in its critical section",
}

// A narration is a tape and the last sentences of its story, each with its time.
type narration struct {
	name string
	give func(t *tape)
	want []string
}

func narrate(t *testing.T, tests []narration) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			var got []string
			for _, s := range give.steps() {
				got = append(got, s.At.String()+" "+s.Sentence.English())
			}
			if len(got) > len(tt.want) && len(tt.want) > 0 {
				got = got[len(got)-len(tt.want):]
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
			for _, s := range got {
				alone, _, _ := strings.Cut(s, " The same ")
				if n := len(strings.Fields(alone)) - 2; n > 20 {
					t.Errorf("%d words, more than 20: %s", n, s)
				}
			}
		})
	}
}

func TestSentences(t *testing.T) {
	narrate(t, []narration{
		{"granted and entered", func(t *tape) { t.acquires(11, "A") },
			[]string{"0.012 s A is granted the lock until 10.011 s and enters."}},
		{"with token, no end", func(t *tape) {
			t.add(1, history.Granted, "redis-1", t.owner("A"))
			t.add(2, history.Acquired, "A", token(33))
		}, []string{"0.002 s A is granted the lock with token 33 without expiry in the store."}},
		{"late acquisition", func(t *tape) {
			done := t.asks(1, 2, "A", "SET lock x")
			t.add(2, history.Granted, "redis-1",
				t.owner("A"), cause(done), t.text("lock"), lasts(10*time.Second))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(12_002, history.Replied, "A", t.peer("redis-1"), cause(done))
			t.add(12_002, history.Acquired, "A")
		}, []string{
			"0.002 s The store grants A the lock until 10.002 s. A does not know yet.",
			"10.002 s A's entry expires: its lease is over.",
			"10.051 s B is granted the lock until 20.050 s and enters.",
			"12.002 s A gets the reply to its SET only now, 12 s after it was executed.",
			"12.002 s A is told that it holds the lock; the store has an entry of B.",
		}},
		{"late request", func(t *tape) {
			t.acquires(2, "A")
			sent := t.add(3000, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			done := t.add(11_000, history.Executed, "redis-1", t.peer("A"), cause(sent))
			t.add(11_000, history.Removed, "redis-1", t.owner("B"), t.peer("A"), cause(done), t.text("lock"))
		}, []string{
			"11.000 s A's DEL reaches the store only now, 8 s after it was sent.",
			"11.000 s A's DEL removes B's entry.",
		}},
		{"failed attempts are told once", func(t *tape) {
			t.add(0, history.Waits, "A", value(1))
			t.add(3000, history.AcquireFailed, "A", t.text("connection lost"))
			t.add(3100, history.AcquireFailed, "A", t.text("connection lost"))
			t.add(60_000, history.GaveUp, "A", value(1))
		}, []string{
			"3.000 s A's attempt fails: connection lost.",
			"60.000 s A gives up: it has waited as long as it could.",
		}},
		{"lost reply", func(t *tape) {
			sent := t.add(1, history.Sent, "A", t.peer("redis-1"), t.text("SET lock x"))
			done := t.add(2, history.Executed, "redis-1", t.peer("A"), cause(sent))
			t.add(2, history.Granted, "redis-1",
				t.owner("A"), cause(done), t.text("lock"), lasts(10*time.Second))
			t.add(2, history.ReplyDropped, "redis-1", t.peer("A"), cause(done), value(1))
			t.add(3001, history.TimedOut, "A", cause(sent))
			t.add(3001, history.AcquireFailed, "A")
		}, []string{
			"0.002 s The store executes A's SET, but the reply is lost (fault 1).",
			"3.001 s A believes its attempt failed, but the store has its entry.",
		}},
		{"lost request", func(t *tape) {
			sent := t.add(1, history.Sent, "A", t.peer("redis-1"), t.text("EVAL unlock lock x"))
			t.add(1, history.RequestDropped, "A", t.peer("redis-1"), cause(sent))
			t.add(3001, history.TimedOut, "A", cause(sent))
		}, []string{
			"0.001 s A's unlock script is lost on its way to the store.",
			"3.001 s A gives up on the reply to its unlock script.",
		}},
		{"writes", func(t *tape) {
			t.add(5, history.WriteAccepted, "resource", t.peer("A"), value(1))
			t.add(6, history.WriteAccepted, "resource", t.peer("B"), token(34), value(2))
			t.add(7, history.WriteRefused, "resource", t.peer("A"), token(33), value(34))
		}, []string{
			"0.005 s A writes. The resource takes it.",
			"0.006 s B writes with token 34. The resource takes it.",
			"0.007 s A writes with token 33. The resource refuses: it has seen 34.",
		}},
		{"release", func(t *tape) {
			t.acquires(2, "A")
			t.releases(1000, "A")
		}, []string{"1.001 s A releases the lock."}},
		{"release of nothing", func(t *tape) {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.add(12_000, history.Releasing, "A")
			t.add(12_002, history.NotHeld, "A")
		}, []string{
			"10.002 s The lease ends. A is not told.",
			"12.000 s A releases the lock.",
			"12.002 s A's release is a no-op: its entry is gone.",
		}},
		{"failed release", func(t *tape) {
			t.acquires(2, "A")
			t.add(1000, history.Releasing, "A")
			t.add(4000, history.ReleaseFailed, "A", t.text("no reply"))
		}, []string{"4.000 s A's release fails; the store keeps its entry."}},
		{"loss is told", func(t *tape) {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.add(10_100, history.LostLease, "A")
			t.add(10_100, history.Releasing, "A")
		}, []string{"10.100 s A learns that its lock is lost and stops."}},
		{"renewals", func(t *tape) {
			t.acquires(2, "A")
			t.renews(3000, "A")
			t.renews(6000, "A")
			t.add(7000, history.Extended, "redis-1", t.owner("A"), t.peer("A"), t.text("lock"))
			t.add(8000, history.Extended, "redis-1",
				t.owner("A"), t.peer("B"), t.text("lock"), lasts(10*time.Second))
		}, []string{
			"6.000 s A has renewed its lease 2 times, the last time until 16.000 s.",
			"7.000 s A sets the lease of its entry: it no longer expires.",
			"8.000 s B's command extends A's entry: it now ends at 18.000 s.",
		}},
		{"freeze with wake-up write", func(t *tape) {
			t.acquires(2, "A")
			t.add(60, history.FaultBegan, "A", value(1))
			t.add(60, history.Froze, "A", value(1))
			t.add(15_060, history.FaultEnded, "A", value(1))
			t.add(15_060, history.Thawed, "A", value(1))
			t.add(15_061, history.WriteAccepted, "resource", t.peer("A"), value(1))
		}, []string{
			"0.060 s A freezes for 15 s (fault 1).",
			"15.061 s A wakes and writes. The resource takes it.",
		}},
		{"freeze between two commands", func(t *tape) {
			t.acquires(2, "A")
			t.add(1000, history.Releasing, "A")
			done := t.asks(1000, 1001, "A", "GET lock")
			t.add(1002, history.Replied, "A", t.peer("redis-1"), cause(done))
			t.add(1002, history.Froze, "A", value(1))
			t.add(12_002, history.Thawed, "A", value(1))
			t.add(12_002, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
		}, []string{
			"1.000 s A releases the lock.",
			"1.002 s A freezes for 11 s between GET and DEL (fault 1).",
			"12.002 s A wakes.",
		}},
		{"crash of a holder", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "A", value(1))
		}, []string{"0.050 s A crashes (fault 1). Its entry stays until 10.002 s."}},
		{"failover", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1", value(1))
			t.promotes(550, "redis-2", "redis-1")
		}, []string{
			"0.050 s Store redis-1 crashes (fault 1). No replica has A's entry.",
			"0.550 s Store redis-2 becomes the primary. It has no entry of A.",
		}},
		{"clock", func(t *tape) { t.add(9, history.ClockChanged, "redis-1", value(int64(-12*time.Second))) },
			[]string{"0.009 s The store's wall clock jumps back by 12 s."}},
		{"fault without an event of its own", func(t *tape) {
			t.add(9, history.FaultBegan, "A", value(2), t.text("slow A by 15 s"))
		}, []string{"0.009 s Fault 2 begins: slow A by 15 s."}},
		{"the probe is left out", func(t *tape) { t.acquires(9, "probe") }, nil},
		{"a release that removes nothing", func(t *tape) {
			t.acquires(2, "A")
			t.add(1_000, history.Releasing, "A")
			t.add(1_002, history.NotHeld, "A")
		}, []string{"1.002 s A's release removes nothing, although the store has its entry."}},
		{"a write after the loss", func(t *tape) {
			t.acquires(2, "A")
			t.add(4_000, history.Froze, "A", value(1))
			t.expires(10_002, "A")
			t.add(16_000, history.Thawed, "A", value(1))
			t.add(16_000, history.LostLease, "A")
			t.add(16_002, history.WriteAccepted, "resource", t.peer("A"), value(1))
		}, []string{
			"16.000 s A wakes. It does not know that time has passed.",
			"16.000 s A learns that its lock is lost.",
			"16.002 s A writes all the same. The resource takes it.",
		}},
		{"a new leader restarts the leases, also that of a frozen client", func(t *tape) {
			t.withServers("etcd-1", "etcd-2")
			t.holds(2, "etcd-1", "A")
			t.add(10, history.Froze, "A")
			t.add(50, history.Crashed, "etcd-1")
			t.promotes(1_050, "etcd-2", "etcd-1")
			t.add(1_051, history.Extended, "etcd-2", t.owner("A"), t.text("lock"), lasts(10*time.Second))
		}, []string{"1.051 s Store etcd-2 resets the lease of A's entry: it now ends at 11.051 s."}},
	})
}

func TestSentencesOfServers(t *testing.T) {
	narrate(t, []narration{
		{"a restart that forgets", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1", value(1))
			t.forgets(550, "redis-1", "A")
			t.add(550, history.Restarted, "redis-1", value(1))
		}, []string{
			"0.050 s The store crashes (fault 1).",
			"0.550 s The store restarts (fault 1) without A's entry. It does not tell A.",
		}},
		{"a restart that keeps everything", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1", value(1))
			t.add(550, history.Restarted, "redis-1", value(1))
		}, []string{"0.550 s The store restarts (fault 1)."}},
		{"a client restarts", func(t *tape) {
			t.add(50, history.Crashed, "A", value(1))
			t.add(550, history.Restarted, "A", value(1))
		}, []string{"0.550 s A restarts (fault 1) and starts from the beginning."}},
		{"a second primary", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.promotes(60, "redis-2", "redis-1")
			t.forgets(90, "redis-1", "A")
			t.add(90, history.Demoted, "redis-1", t.peer("redis-2"))
		}, []string{
			"0.060 s Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A.",
			"0.090 s Store redis-1 has lost A's entry. A is not told.",
			"0.090 s Store redis-1 becomes a replica of redis-2 and forgets what only it knew.",
		}},
		{"a primary of another shard is replaced", func(t *tape) {
			t.withServers("redis-1", "redis-2", "redis-3", "redis-4")
			t.acquires(2, "A")
			t.add(50, history.Executed, "redis-3", t.peer("B"), t.text("(error) MOVED 8718 redis-1:6379"))
			t.add(51, history.Replied, "B", t.peer("redis-3"), t.text("(error) MOVED 8718 redis-1:6379"))
			t.promotes(60, "redis-4", "redis-3")
			t.promotes(70, "redis-2", "redis-1")
		}, []string{
			"0.060 s Store redis-4 becomes the primary of another shard, in place of redis-3.",
			"0.070 s Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A.",
		}},
		{"a replica that does not say from whom it copies", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(40, history.Replicated, "redis-2", t.owner("A"), t.text("lock"))
			t.add(50, history.Crashed, "redis-1", value(1))
		}, []string{"0.050 s Store redis-1 crashes (fault 1). A replica has A's entry, too."}},
		{"a frozen primary is replaced", func(t *tape) {
			t.withReplica()
			t.add(50, history.Froze, "redis-1", value(1))
			t.promotes(60, "redis-2", "redis-1")
		}, []string{"0.060 s Store redis-2 becomes the primary."}},
		{"a leader dies", func(t *tape) {
			t.withServers("etcd-1", "etcd-2", "etcd-3")
			t.holds(2, "etcd-1", "A")
			t.add(3, history.Entered, "A")
			t.add(50, history.Crashed, "etcd-1", value(1))
			t.promotes(1050, "etcd-2", "etcd-1")
			t.add(20_000, history.Expired, "etcd-2", t.owner("A"), t.text("lock"))
		}, []string{
			"0.050 s Store etcd-1 crashes (fault 1). The others have everything it had.",
			"1.050 s Store etcd-2 becomes the leader. It has everything the leader before it had.",
			"20.000 s The lease ends. A is not told.",
		}},
		{"waiting inside of a request is no delay", func(t *tape) {
			t.withServers("mysql-1")
			t.add(0, history.Waits, "B")
			sent := t.add(1, history.Sent, "B", t.peer("mysql-1"), t.text("GET_LOCK lock 60"))
			t.add(4000, history.Executed, "mysql-1", t.peer("B"), cause(sent), t.text("1"))
		}, nil},
		{"a blocking query is no delay", func(t *tape) {
			t.withServers("consul-1")
			sent := t.add(1, history.Sent, "A", t.peer("consul-1"), t.text("GET lock INDEX 3 WAIT 5m0s"))
			t.add(4000, history.Executed, "consul-1", t.peer("A"), cause(sent), t.text("not locked"))
		}, nil},
		{"a request that waits outside of the store", func(t *tape) {
			t.withServers("etcd-1", "etcd-2", "etcd-3")
			sent := t.add(1, history.Sent, "A", t.peer("etcd-1"), t.text("REVOKE 7"))
			t.add(4001, history.Executed, "etcd-1", t.peer("A"), cause(sent), t.text("OK"))
		}, []string{"4.001 s A's REVOKE is executed only now, 4 s after it was sent."}},
		{"an entry is dropped", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Removed, "redis-1", t.owner("A"), t.text("lock"))
		}, []string{"0.050 s The store removes A's entry. A is not told."}},
		{"a partition", func(t *tape) {
			t.h.Header.Faults = []history.Fault{{Number: 1, Verb: "partition", Text: "partition A from store for 5s"}}
			t.add(9, history.FaultBegan, "A", value(1))
			t.add(5009, history.FaultEnded, "A", value(1))
		}, []string{
			"0.009 s Fault 1 begins: partition A from store for 5s.",
			"5.009 s The links work again (fault 1); what they held back arrives now.",
		}},
		{"re-entry", func(t *tape) {
			t.acquires(2, "A")
			t.add(10, history.Reenters, "A", value(1))
			t.add(12, history.Reentered, "A", value(1))
			t.add(13, history.Reenters, "A", value(2))
			t.add(9000, history.Reentered, "A", value(2))
			t.add(9100, history.Left, "A", value(2))
			t.add(9200, history.Left, "A", value(1), t.text("the lock is not held"))
		}, []string{
			"0.003 s A is granted the lock until 10.002 s and enters.",
			"0.012 s A takes the lock again.",
			"0.013 s A asks again for the lock it already holds.",
			"9.000 s A takes the lock again, 2 deep, 8.987 s after it asked.",
			"9.100 s A gives the lock back once and goes on.",
			"9.200 s A's inner release fails: the lock is not held.",
		}},
		{"no re-entry", func(t *tape) {
			t.acquires(2, "A")
			t.add(10, history.Reenters, "A", value(1))
			t.add(8000, history.ReenterFailed, "A", value(1), t.text("context deadline exceeded"))
			t.expires(10_002, "A")
			t.add(10_010, history.ReenterFailed, "A", value(1), t.text("no reply"))
		}, []string{
			"8.000 s A cannot take the lock again: its own entry is in the way.",
			"10.002 s The lease ends. A is not told.",
			"10.010 s A cannot take the lock again: no reply.",
		}},
	})
}

// A history without the events of the stores is told from the clients' side, and says nothing about
// the store.
func TestStepsWithoutStore(t *testing.T) {
	give := newTape()
	give.add(2, history.Acquired, "A")
	give.add(3, history.Entered, "A")
	give.add(1000, history.Releasing, "A")
	steps := give.steps()
	if len(steps) != 2 {
		t.Fatalf("got %d steps, want 2: %v", len(steps), steps)
	}
	if s := steps[0]; s.Sentence.English() != "A is granted the lock and enters." || s.Store.English() != "" || s.Belief.English() != "A thinks it holds the lock" {
		t.Errorf("got %+v", s)
	}
}

// Damaged histories cause no panic.
func TestStepsOfNonsense(t *testing.T) {
	h := history.New(history.Header{})
	for k := range history.Kind(60) {
		h.Add(history.Event{Kind: k, Node: 900, Peer: 901, Owner: 902, Cause: 77, Value: -5, At: history.Instant(k)})
	}
	Steps(timeline.Of(h), nil)
}
