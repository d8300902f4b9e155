package explain

import (
	"fmt"
	"strings"
	"testing"

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
			t.grants(2, "etcd-1", "A")
			t.add(50, history.Crashed, "etcd-1")
			t.promotes(1050, "etcd-2", "etcd-1")
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
			t.copies(20, "A")
			t.grants(30, "redis-1", "B")
			t.copies(40, "B")
		}, []string{"redis-1 A 10-30", "redis-2 A 20-40 copy", "redis-1 B 30-end", "redis-2 B 40-end copy"}},
		{"a copy is the replica's own once it answers", func(t *tape) {
			t.withReplica()
			t.acquires(10, "A")
			t.copies(20, "A")
			t.add(100, history.Crashed, "redis-1")
			t.promotes(600, "redis-2", "redis-1")
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
				from := give.h.Events[held.From].At.Duration().Milliseconds()
				got = append(got, fmt.Sprintf("%s %s %d-%s%s",
					give.h.Name(held.Node), give.h.Name(held.Owner), from, to, copied))
			}
			if g, w := strings.Join(got, "; "), strings.Join(tt.want, "; "); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		})
	}
}

// Each step says which clients believe that they hold the lock, and what the servers have.
func TestBeliefsOfServers(t *testing.T) {
	tests := []struct {
		name string
		give func(t *tape)
		want string // belief and store after the last step
	}{
		{"two primaries", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.promotes(60, "redis-2", "redis-1")
			t.holds(70, "redis-2", "B")
		}, "A and B each think they hold it, servers say A 1/2, B 1/2"},
		{"one of them has become a replica", func(t *tape) {
			t.withReplica()
			t.acquires(2, "A")
			t.promotes(60, "redis-2", "redis-1")
			t.holds(70, "redis-2", "B")
			t.forgets(90, "redis-1", "A")
			t.add(90, history.Demoted, "redis-1", t.peer("redis-2"))
		}, "A and B each think they hold it, Redis says B"},
		{"a cluster has one state", func(t *tape) {
			t.withServers("etcd-1", "etcd-2", "etcd-3")
			t.holds(2, "etcd-1", "A")
			t.add(50, history.Crashed, "etcd-1", value(1))
			t.promotes(1050, "etcd-2", "etcd-1")
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
			steps := give.steps()
			last := steps[len(steps)-1]
			if got := last.Belief.English() + ", " + last.Store.English(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
