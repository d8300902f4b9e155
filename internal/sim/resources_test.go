package sim

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// twoResources is a story of two clients for each of two resources.
func twoResources() plan.Plan {
	p := plan.Default()
	p.Clients = []string{"A", "B", "S", "T"}
	stock := p.Workload
	stock.Resource = "stock"
	p.Own = map[string]plan.Workload{"S": stock, "T": stock}
	return p
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
	p := twoResources()
	p.Faults = []faults.Fault{
		verb("pause", 1, "S", first(faults.InSection), faults.End{For: 700 * time.Millisecond}),
		verb("crash", 2, "A", faults.Trigger{Moment: faults.Wakes, Subject: "S", Nth: 1}, faults.End{}), // its entry stays behind
	}
	for _, v := range locks.Simulated() {
		if v.ID == "lit-s2-units" || v.ID == "lit-s3-integer" {
			continue // no client can acquire these
		}
		var common [][]seen
		for resource, clients := range map[string][]string{locks.Key: {"A", "B"}, "stock": {"S", "T"}} {
			h := play(t, &p, v.ID+"@"+resource, 1)
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
			if acquired == 0 {
				t.Errorf("%s: acquired %d times", h.Header.Lock, acquired)
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
	p := twoResources()
	p.Workload.Stagger = 0
	alone := p
	alone.Clients, alone.Own = []string{"A", "B"}, nil
	for _, lock := range []string{"set-nx-lua", "redlock", "redisson-fair", "mysql-for-update", "pg-advisory"} {
		beliefs := func(p *plan.Plan, lock string) []seen {
			h := play(t, p, lock, 3)
			return of(h, func(node string, k history.Kind) bool { return (node == "A" || node == "B") && k <= history.Finished })
		}
		beside, by := beliefs(&p, lock+"@"+locks.Key), beliefs(&alone, lock)
		if len(by) < 8 || !reflect.DeepEqual(beside, by) {
			t.Errorf("%s:\n%v\n%v", lock, beside, by)
		}
	}
}

// A fault of any kind that hit only clients of another resource had no effect on this one's lock.
func TestAFaultOfAnotherResourceTestsNothing(t *testing.T) {
	at, executed, soon := first(faults.InSection), onWire(faults.Sends, "SET"), faults.End{For: 4 * time.Second}
	for what, f := range map[string]faults.Fault{
		"pause":      verb("pause", 1, "A", at, soon),
		"slow":       timed("slow", 1, "A", at, faults.End{}),
		"crash":      verb("crash", 1, "A", at, faults.End{}),
		"restart":    timed("restart", 1, "A", at, faults.End{}),
		"jump-clock": timed("jump-clock", 1, "A", at, faults.End{}),
		"partition":  cutOff("A", faults.TheStore, at, soon),
		"drop":       verb("drop", 1, "reply", executed, faults.End{}),
		"delay":      timed("delay", 1, "reply", executed, faults.End{}),
	} {
		p := twoResources()
		p.Faults = []faults.Fault{f}
		for lock, in := range map[string]bool{"set-nx-lua@lock": false, "set-nx-lua@stock": true} {
			h := play(t, &p, lock, 1)
			j := checker.Judge(h)
			if len(j.Faults) != 1 || j.Faults[0].Times == 0 || j.Faults[0].InVain != in {
				t.Errorf("%s: %s: %+v", what, lock, j.Faults)
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
		h := play(t, &p, v.ID, 1)
		for client, want := range map[string]int{"A": 1, "B": 5, "C": 1} {
			requests := map[history.Instant]bool{}
			for _, hold := range history.Holds(h) {
				for _, e := range h.Events {
					if name := h.Header.Nodes[hold.Client-1].Name; name == client && e.Node == hold.Client && e.Kind == history.Sent && e.At > hold.Start.Add(500*time.Millisecond) && e.At < hold.End {
						requests[e.At/history.Instant(300*time.Millisecond)] = true
					}
				}
			}
			if len(requests) != want {
				t.Errorf("%s: %s renewed %d times, want %d", v.ID, client, len(requests), want)
			}
		}
	}
}
