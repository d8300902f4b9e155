package explain

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/timeline"
)

// What the servers have follows leaders, deaths and promotions, as the steps do.
func TestHolds(t *testing.T) {
	tests := []struct {
		name string
		give string
		want []string // server, owner, from and to in milliseconds
	}{
		{"an entry ends where it is removed", "0.01 A acquires; 0.5 A releases",
			[]string{"redis-1 A 10-501"}},
		{"a member that leads takes the entries over, and ends them", `servers etcd-1 etcd-2
			0.002 etcd-1 grants A; 0.05 etcd-1 crashed; 1.05 etcd-2 promoted peer=etcd-1
			12 etcd-2 expired owner=A`, []string{"etcd-1 A 2-1050", "etcd-2 A 1050-12000"}},
		{"a dead server has nothing, and again what it kept", `0.01 A acquires; 0.1 redis-1 crashed
			0.6 redis-1 restarted`, []string{"redis-1 A 10-100", "redis-1 A 600-end"}},
		{"a copy replaces the one before, whose end was not seen", `servers redis-1 redis-2
			0.01 A acquires; 0.02 redis-2 copies A; 0.03 redis-1 grants B; 0.04 redis-2 copies B`,
			[]string{"redis-1 A 10-30", "redis-2 A 20-40 copy", "redis-1 B 30-end", "redis-2 B 40-end copy"}},
		{"a copy is the replica's own once it answers", `servers redis-1 redis-2; 0.01 A acquires
			0.02 redis-2 copies A; 0.1 redis-1 crashed; 0.6 redis-2 promoted peer=redis-1`,
			[]string{"redis-1 A 10-100", "redis-2 A 20-600 copy", "redis-2 A 600-end"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(tt.give)
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
			must.Equal(t, strings.Join(got, "; "), strings.Join(tt.want, "; "))
		})
	}
}

// Each step says which clients believe that they hold the lock, and what the servers have.
func TestBeliefsOfServers(t *testing.T) {
	tests := []struct {
		name string
		give string
		want string // belief and store after the last step
	}{
		{"two primaries", `servers redis-1 redis-2; 0.002 A acquires; 0.06 redis-2 promoted peer=redis-1
			0.07 redis-2 admits B`, "A and B each think they hold it, servers say A 1/2, B 1/2"},
		{"one of them has become a replica", `servers redis-1 redis-2; 0.002 A acquires
			0.06 redis-2 promoted peer=redis-1; 0.07 redis-2 admits B; 0.09 redis-1 forgotten owner=A
			0.09 redis-1 demoted peer=redis-2`, "A and B each think they hold it, Redis says B"},
		{"a cluster has one state", `servers etcd-1 etcd-2 etcd-3; 0.002 etcd-1 admits A
			0.05 etcd-1 crashed value=1; 1.05 etcd-2 promoted peer=etcd-1`,
			"A thinks it holds the lock, etcd says A"},
		{"re-entry changes nothing", `0.002 A acquires; 0.01 A reenters value=1
			0.012 A reentered value=1; 0.014 A left value=1`, "A thinks it holds the lock, Redis says A"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps := newTape(tt.give, pauseFault).steps()
			last := steps[len(steps)-1]
			must.Equal(t, last.Belief.English()+", "+last.Store.English(), tt.want)
		})
	}
}
