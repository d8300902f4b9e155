package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// acquisitions returns the clients in the order in which they acquired the lock.
func acquisitions(h *history.History) string {
	var order []string
	for _, e := range h.Events {
		if e.Kind == history.Acquired && h.Role(e.Node) == history.RoleClient {
			order = append(order, h.Name(e.Node))
		}
	}
	return strings.Join(order, " ")
}

// The queue serves clients in the order of arrival, with every seed; polling does not.
func TestTheQueueOfEtcdIsFair(t *testing.T) {
	p := plan.Default()
	p.Clients = []string{"A", "B", "C", "D", "E", "F"}
	const want = "A B C D E F"
	w := sim.New()
	defer w.Close()
	others := 0
	for seed := uint64(1); seed <= 20; seed++ {
		for _, lock := range []string{"etcd-mutex", "etcd-txn"} {
			h := must.Get(w.Run(&p, lock, seed))(t)
			got := acquisitions(h)
			if lock == "etcd-mutex" && got != want {
				t.Errorf("seed %d: %s acquires in the order %s", seed, lock, got)
			}
			if lock == "etcd-txn" && got != want {
				others++
			}
		}
	}
	if others == 0 {
		t.Error("etcd-txn kept the order of arrival, too: the clients do not contend")
	}
}

// A release wakes one client of the queue: each waits for one deletion, then looks once for another
// key before its own.
func TestTheQueueOfEtcdWakesOne(t *testing.T) {
	p := plan.Default()
	p.Clients = []string{"A", "B", "C", "D", "E", "F"}
	h := must.Get(sim.Run(&p, "etcd-mutex", 1))(t)
	for _, name := range p.Clients[1:] {
		watches, looks := 0, 0
		for _, e := range h.Events {
			if e.Kind != history.Sent || h.Name(e.Node) != name {
				continue
			}
			text := h.Text(e.Text)
			if strings.HasPrefix(text, "WATCH ") {
				watches++
			}
			if strings.HasPrefix(text, "GET lock/ PREFIX LAST CREATED") {
				looks++
			}
		}
		if watches != 1 || looks != 2 {
			t.Errorf("%s watched %d times and looked %d times for a key before its own, want 1 and 2", name, watches, looks)
		}
	}
}

// The document's program dereferences a missing answer and crashes.
func TestAProgramThatDereferencesNilDies(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/literal-answer-that-never-comes.yaml")
	for _, tt := range []struct {
		lock string
		dies bool
	}{{"lit-etcd-ka", true}, {"etcd-txn", false}} {
		h := must.Get(sim.Run(p, tt.lock, 1))(t)
		i := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Crashed })
		if died := i >= 0; died != tt.dies {
			t.Errorf("%s: A died: %t, want %t", tt.lock, died, tt.dies)
		}
		// The library waits for six seconds and looks once per second.
		if i < 0 {
			continue
		}
		if at := h.Events[i].At; at < history.Instant(6*time.Second) || at > history.Instant(7100*time.Millisecond) {
			t.Errorf("%s: A died at %v", tt.lock, at)
		}
	}
}

// A session that is cut off ends within a second of its deadline, one lease after the last answer,
// without a word from a server.
func TestASessionOfEtcdLearnsOfItsEnd(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/literal-answers-unread.yaml")
	h := must.Get(sim.Run(p, "etcd-mutex", 1))(t)
	a := h.Node("A")
	var answered, lost history.Instant
	for _, e := range h.Events {
		if e.Node != a || lost != 0 {
			continue
		}
		switch {
		case e.Kind == history.Replied && strings.HasPrefix(h.Text(e.Text), "TTL "):
			answered = e.At
		case e.Kind == history.LostLease:
			lost = e.At
		}
	}
	if after := lost.Sub(answered); after < p.Lease || after > p.Lease+1100*time.Millisecond {
		t.Errorf("it ends %v after the last answer, want 10 s to 11 s", after)
	}
}
