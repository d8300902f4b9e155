package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// twoResources is a story of two clients for each of two resources.
func twoResources(t *testing.T, lock string, more ...string) *plan.Plan {
	return story(t, lock, append([]string{"workload={}",
		"clients=[A, B, {name: S, resource: stock}, {name: T, resource: stock}]"}, more...)...)
}

type seen struct {
	at   history.Instant
	node string
	kind history.Kind
}

// of lists the events of a history that satisfy a condition.
func of(h *history.History, is func(node string, k history.Kind) bool) (all []seen) {
	for _, e := range h.Events {
		if e.Node > 0 && is(h.Header.Nodes[e.Node-1].Name, e.Kind) {
			all = append(all, seen{e.At, h.Header.Nodes[e.Node-1].Name, e.Kind})
		}
	}
	return all
}

// The histories of two resources are from one world: each has its own clients, messages and
// entries, and both have the same faults and deaths at the same times, whichever resource's client
// triggered them.
func TestTheRunsOfTwoResourcesShareOneWorld(t *testing.T) {
	for _, v := range locks.Simulated() {
		if v.ID == "lit-s2-units" || v.ID == "lit-s3-integer" {
			continue // no client can acquire these
		}
		p := twoResources(t, v.ID, "when: S is in its critical section, pause: S, for: 700ms",
			"when: S wakes, crash: A") // its entry stays behind
		var common [][]seen
		for i, clients := range [][]string{{"A", "B"}, {"S", "T"}} {
			h := must.Get(Run(p, p.Locks[i], 1))(t)
			acquired := 0
			for _, e := range h.Events {
				for _, id := range []history.NodeID{e.Node, e.Peer, e.Owner} {
					if id > 0 && h.Role(id) == history.RoleClient && !e.Kind.OfProcess() && !slices.Contains(clients, h.Header.Nodes[id-1].Name) {
						t.Fatalf("%s: %s of %s", h.Header.Lock, e.Kind, h.Header.Nodes[id-1].Name)
					}
				}
				if e.Kind == history.Acquired {
					acquired++
				}
			}
			if granted := len(of(h, func(_ string, k history.Kind) bool { return k == history.Granted })); acquired == 0 || granted == 0 {
				t.Errorf("%s: acquired %d times, granted %d times", h.Header.Lock, acquired, granted)
			}
			common = append(common, of(h, func(_ string, k history.Kind) bool { return k.OfProcess() && k != history.WithoutEffect }))
		}
		if len(common[0]) < 4 || !reflect.DeepEqual(common[0], common[1]) {
			t.Errorf("%s: two worlds:\n%v\n%v", v.ID, common[0], common[1])
		}
	}
}

// Clients of another resource do not change what a client does.
func TestClientsOfAnotherResourceChangeNothing(t *testing.T) {
	for _, lock := range []string{"set-nx-lua", "redlock", "redisson-fair", "mysql-for-update", "pg-advisory"} {
		beliefs := func(p *plan.Plan) []seen {
			h := must.Get(Run(p, p.Locks[0], 3))(t)
			return of(h, func(node string, k history.Kind) bool { return (node == "A" || node == "B") && k <= history.Finished })
		}
		beside := beliefs(twoResources(t, lock, "workload.stagger=0s"))
		by := beliefs(story(t, lock, "workload={stagger: 0s}"))
		if len(by) < 8 || !reflect.DeepEqual(beside, by) {
			t.Errorf("%s:\n%v\n%v", lock, beside, by)
		}
	}
}

// A fault of any kind that hit only clients of another resource had no effect on this one's lock.
func TestAFaultOfAnotherResourceTestsNothing(t *testing.T) {
	const at, executed = "when: A is in its critical section, ", "when: A sends SET, "
	for _, fault := range []string{
		at + "pause: A, for: 4s", at + "slow: A, by: 1s", at + "crash: A", at + "restart: A, down: 1s", at + "jump-clock: A, by: +1s",
		at + "partition: [A, store], for: 4s", executed + "drop: reply", executed + "delay: reply, by: 1s",
	} {
		p := twoResources(t, "set-nx-lua", fault)
		for i, lock := range p.Locks {
			h := must.Get(Run(p, lock, 1))(t)
			j := checker.Judge(h)
			if len(j.Faults) != 1 || j.Faults[0].Times == 0 || j.Faults[0].NoEffect != (i == 1) || // of the stock
				strings.Contains(j.Faults[0].Partless.English(), "started") { // S and T have
				t.Errorf("%s: %s: %+v", fault, lock, j.Faults)
			}
		}
	}
}

// A watchdog renews at the interval of its own client.
func TestAWatchdogRenewsAtItsClientsInterval(t *testing.T) {
	p := plan.Default()
	p.Workload.Work = plan.Range{Min: 6 * time.Second, Max: 6 * time.Second}
	often := p.Workload
	often.Renew = time.Second
	p.Own = map[string]plan.Workload{"B": often}
	for _, v := range locks.Known() {
		if !v.Watchdog {
			continue
		}
		h := must.Get(Run(&p, v.ID, 1))(t)
		for client, want := range map[string]int{"A": 1, "B": 5, "C": 1} {
			requests := map[history.Instant]bool{}
			for _, hold := range history.Holds(h) {
				for _, e := range h.Events {
					if name := h.Header.Nodes[hold.Client-1].Name; name == client && e.Node == hold.Client && e.Kind == history.Sent && e.At > hold.Start.Add(500*time.Millisecond) && e.At < hold.End {
						requests[e.At/history.Instant(300*time.Millisecond)] = true
					}
				}
			}
			must.Equalf(t, len(requests), want, "%s: %s renewed … times", v.ID, client)
		}
	}
}
