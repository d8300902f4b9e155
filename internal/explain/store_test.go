package explain

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// withServers renames the servers and adds some: of a database, or those of a quorum.
func (t *tape) withServers(names ...string) *tape {
	header := &t.h.Header
	switch word, _, _ := strings.Cut(names[0], "-"); word {
	case "redis":
	case "mysql", "postgres":
		header.Store, header.Expires, header.AtOnce = word, false, false
	default:
		header.Store, header.Topology, header.Expires, header.AtOnce = word, "quorum", false, false
	}
	for i := range t.h.Header.Nodes {
		if t.h.Header.Nodes[i].Role == history.RoleStore {
			t.h.Header.Nodes[i].Name = names[0]
		}
	}
	for _, name := range names[1:] {
		t.h.Header.Nodes = append(t.h.Header.Nodes, history.Node{Name: name, Role: history.RoleStore})
	}
	return t
}

func TestSentencesOfServers(t *testing.T) {
	tests := []struct {
		name string
		give func(t *tape)
		want []string // the last sentences
	}{
		{"a restart that forgets", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1", value(1))
			t.add(550, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
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
			t.add(60, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(90, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
			t.add(90, history.Demoted, "redis-1", t.peer("redis-2"))
		}, []string{
			"0.060 s Store redis-2 becomes the primary, although redis-1 is still running. It has no entry of A.",
			"0.090 s Store redis-1 has lost A's entry. A is not told.",
			"0.090 s Store redis-1 becomes a replica of redis-2 and forgets what only it knew.",
		}},
		{"a primary of another shard is replaced", func(t *tape) {
			t.withReplica()
			for _, name := range []string{"redis-3", "redis-4"} {
				t.h.Header.Nodes = append(t.h.Header.Nodes, history.Node{Name: name, Role: history.RoleStore})
			}
			t.acquires(2, "A")
			t.add(50, history.Executed, "redis-3", t.peer("B"), t.text("(error) MOVED 8718 redis-1:6379"))
			t.add(51, history.Replied, "B", t.peer("redis-3"), t.text("(error) MOVED 8718 redis-1:6379"))
			t.add(60, history.Promoted, "redis-4", t.peer("redis-3"))
			t.add(70, history.Promoted, "redis-2", t.peer("redis-1"))
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
			t.add(60, history.Promoted, "redis-2", t.peer("redis-1"))
		}, []string{"0.060 s Store redis-2 becomes the primary."}},
		{"a leader dies", func(t *tape) {
			t.withServers("etcd-1", "etcd-2", "etcd-3")
			t.add(2, history.Granted, "etcd-1", t.owner("A"), t.text("lock"), lasts(10*time.Second))
			t.add(3, history.Acquired, "A")
			t.add(3, history.Entered, "A")
			t.add(50, history.Crashed, "etcd-1", value(1))
			t.add(1050, history.Promoted, "etcd-2", t.peer("etcd-1"))
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			got := sentencesOf(give)
			if len(got) > len(tt.want) && len(tt.want) > 0 {
				got = got[len(got)-len(tt.want):]
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
		})
	}
}

// The table beside the story: who believes, and what the servers have.
func TestBeliefsOfServers(t *testing.T) {
	tests := []struct {
		name string
		give func(t *tape)
		want string // belief and store after the last step
	}{
		{"two primaries", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(60, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(70, history.Granted, "redis-2", t.owner("B"), t.text("lock"), lasts(10*time.Second))
			t.add(71, history.Acquired, "B")
		}, "A and B each think they hold it, servers say A 1/2, B 1/2"},
		{"one of them has become a replica", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(60, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(70, history.Granted, "redis-2", t.owner("B"), t.text("lock"), lasts(10*time.Second))
			t.add(71, history.Acquired, "B")
			t.add(90, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
			t.add(90, history.Demoted, "redis-1", t.peer("redis-2"))
		}, "A and B each think they hold it, Redis says B"},
		{"a cluster has one state", func(t *tape) {
			t.withServers("etcd-1", "etcd-2", "etcd-3")
			t.add(2, history.Granted, "etcd-1", t.owner("A"), t.text("lock"), lasts(10*time.Second))
			t.add(3, history.Acquired, "A")
			t.add(50, history.Crashed, "etcd-1", value(1))
			t.add(1050, history.Promoted, "etcd-2", t.peer("etcd-1"))
		}, "A thinks it holds the lock, etcd says A"},
		{"re-entry changes nothing", func(t *tape) {
			t.acquires(2, "A")
			t.add(10, history.Reenters, "A", value(1))
			t.add(12, history.Reentered, "A", value(1))
			t.add(14, history.Left, "A", value(1))
		}, "A thinks it holds the lock, Redis says A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			steps := Steps(timeline.Of(give.h), nil)
			last := steps[len(steps)-1]
			if got := last.Belief.English() + ", " + last.Store.English(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAssumptionsAboutTheStore(t *testing.T) {
	overlap := func(t *tape) []checker.Finding {
		b := t.add(t.h.End().Duration().Milliseconds(), history.Acquired, "B")
		at := t.h.Events[b].At
		return []checker.Finding{breaks(checker.MutualExclusionID, at, at, []history.NodeID{t.h.Node("B"), t.h.Node("A")})}
	}
	tests := []struct {
		name string
		give func(t *tape)
		want string
	}{
		{"amnesia", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1")
			t.add(550, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
			t.add(550, history.Restarted, "redis-1")
		}, "entry created at 0.002 s, redis-1 back without it at 0.550 s"},
		{"a restart that keeps the entry is not to blame", func(t *tape) {
			t.acquires(2, "A")
			t.add(50, history.Crashed, "redis-1")
			t.add(550, history.Restarted, "redis-1")
			t.expires(10_002, "A")
			t.add(12_000, history.Granted, "redis-1", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "held for 11.998 s since the grant > lease 10.000 s"},
		{"granted by the old primary", func(t *tape) {
			t.withReplica()
			t.add(1, history.Promoted, "redis-2", t.peer("redis-1"))
			t.acquires(2, "A")
			t.add(70, history.Granted, "redis-2", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "redis-1 granted the entry at 0.002 s, redis-2 has been the primary since 0.001 s"},
		{"promoted too early", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(62, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(70, history.Granted, "redis-2", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "entry created 0.060 s before redis-2 was promoted, and not replicated"},
		{"the old primary forgets", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.add(62, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(80, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
			t.add(80, history.Demoted, "redis-1", t.peer("redis-2"))
			t.add(90, history.Granted, "redis-2", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "entry created at 0.002 s, redis-1 follows redis-2 since 0.080 s"},
		{"an eviction", func(t *tape) {
			t.acquires(2, "A")
			t.add(1002, history.Removed, "redis-1", t.owner("A"), t.text("lock"))
			t.add(1010, history.Granted, "redis-1", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "dropped 1.000 s after the grant, 9.000 s before the end of its lease"},
		{"a clock that runs fast", func(t *tape) {
			t.acquires(2, "A")
			t.expires(9_502, "A")
			t.add(9_600, history.Granted, "redis-1", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "lease 10.000 s ended after 9.500 s"},
		{"a lease that ends under another leader", func(t *tape) {
			t.withServers("etcd-1", "etcd-2")
			t.add(2, history.Granted, "etcd-1", t.owner("A"), t.text("lock"), lasts(10*time.Second))
			t.add(3, history.Acquired, "A")
			t.add(50, history.Crashed, "etcd-1")
			t.add(1050, history.Promoted, "etcd-2", t.peer("etcd-1"))
			t.add(12_000, history.Expired, "etcd-2", t.owner("A"), t.text("lock"))
			t.add(12_002, history.Granted, "etcd-2", t.owner("B"), t.text("lock"), lasts(10*time.Second))
		}, "held for 12.000 s since the grant > lease 10.000 s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			tt.give(give)
			findings := overlap(give)
			if got := Assumption(timeline.Of(give.h), findings, 0); got.Formula.English() != tt.want {
				t.Errorf("got %q, want %q", got.Formula.English(), tt.want)
			}
		})
	}
}
