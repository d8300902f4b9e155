package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// What the servers have follows leaders, deaths and promotions, as the steps do.
func TestHolds(t *testing.T) {
	tests := []struct {
		name string
		give func(t *tape)
		want []string // server, owner, from and to in milliseconds
	}{
		{"an entry ends where it is removed", func(t *tape) {
			t.acquires(10, "A")
			t.releases(500, "A")
		}, []string{"redis-1 A 10-501"}},
		{"a member that leads takes the entries over, and ends them", func(t *tape) {
			t.withServers("etcd-1", "etcd-2")
			t.add(2, history.Granted, "etcd-1", t.owner("A"), t.text("lock"), lasts(10*time.Second))
			t.add(50, history.Crashed, "etcd-1")
			t.add(1050, history.Promoted, "etcd-2", t.peer("etcd-1"))
			t.add(12_000, history.Expired, "etcd-2", t.owner("A"), t.text("lock"))
		}, []string{"etcd-1 A 2-1050", "etcd-2 A 1050-12000"}},
		{"a dead server has nothing, and again what it kept", func(t *tape) {
			t.acquires(10, "A")
			t.add(100, history.Crashed, "redis-1")
			t.add(600, history.Restarted, "redis-1")
		}, []string{"redis-1 A 10-100", "redis-1 A 600-end"}},
		{"a copy replaces the one before, whose end was not seen", func(t *tape) {
			t.withReplica()
			t.acquires(10, "A")
			t.add(20, history.Replicated, "redis-2", t.owner("A"), t.peer("redis-1"), t.text("lock"), lasts(10*time.Second))
			t.add(30, history.Granted, "redis-1", t.owner("B"), t.text("lock"), lasts(10*time.Second))
			t.add(40, history.Replicated, "redis-2", t.owner("B"), t.peer("redis-1"), t.text("lock"), lasts(10*time.Second))
		}, []string{"redis-1 A 10-30", "redis-2 A 20-40 copy", "redis-1 B 30-end", "redis-2 B 40-end copy"}},
		{"a copy is the replica's own once it answers", func(t *tape) {
			t.withReplica()
			t.acquires(10, "A")
			t.add(20, history.Replicated, "redis-2", t.owner("A"), t.peer("redis-1"), t.text("lock"), lasts(10*time.Second))
			t.add(100, history.Crashed, "redis-1")
			t.add(600, history.Promoted, "redis-2", t.peer("redis-1"))
		}, []string{"redis-1 A 10-100", "redis-2 A 20-600 copy", "redis-2 A 600-end"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape()
			tt.give(give)
			var got []string
			for _, held := range timeline.Of(give.h).Stored() {
				to, copied := "end", ""
				if held.To != history.NoCause {
					to = fmt.Sprint(give.h.Events[held.To].At.Duration().Milliseconds())
				}
				if held.Copy {
					copied = " copy"
				}
				got = append(got, fmt.Sprintf("%s %s %d-%s%s", give.h.Name(held.Node), give.h.Name(held.Owner), give.h.Events[held.From].At.Duration().Milliseconds(), to, copied))
			}
			if g, w := strings.Join(got, "; "), strings.Join(tt.want, "; "); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		})
	}
}

// A new leader restarts all leases. That is its doing, also where the client is frozen.
func TestALeaderRenewsForAFrozenClient(t *testing.T) {
	give := newTape()
	give.withServers("etcd-1", "etcd-2")
	give.add(2, history.Granted, "etcd-1", give.owner("A"), give.text("lock"), lasts(10*time.Second))
	give.add(3, history.Acquired, "A")
	give.add(10, history.Froze, "A")
	give.add(50, history.Crashed, "etcd-1")
	give.add(1050, history.Promoted, "etcd-2", give.peer("etcd-1"))
	give.add(1051, history.Extended, "etcd-2", give.owner("A"), give.text("lock"), lasts(10*time.Second))
	steps := Steps(timeline.Of(give.h), nil)
	if got, want := steps[len(steps)-1].Sentence.English(), "Store etcd-2 resets the lease of A's entry: it now ends at 11.051 s."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
