package run

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
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

// first returns when an event of a kind first happened in a run; -1 if never.
func first(j *checker.Judgement, kind history.Kind) time.Duration {
	for _, e := range j.History.Events {
		if e.Kind == kind {
			return time.Duration(e.At)
		}
	}
	return -1
}

// Some flaws of locks on several nodes break no property, but cost time.
func TestWhenThingsHappen(t *testing.T) {
	tests := []struct {
		scenario, lock string
		kind           history.Kind
		least, most    time.Duration
	}{
		// Three replies are lost after 50 ms each; then a random delay of 200 ms at
		// most, and a second attempt without faults.
		{"minimal-release-leaves-ghosts", "redlock", history.Acquired, 150 * time.Millisecond, 500 * time.Millisecond},
		// The three ghosts live for one lease.
		{"minimal-release-leaves-ghosts", "redlock-minrelease", history.Acquired, 10 * time.Second, 10500 * time.Millisecond},
		// The link to the replica is back after 4 s.
		{"wait-undoes-nothing", "set-wait", history.Acquired, 4 * time.Second, 4500 * time.Millisecond},
		// The client's own key lives for one lease.
		{"wait-undoes-nothing", "lit-wait-retry", history.Acquired, 10 * time.Second, 10500 * time.Millisecond},
		// 15 s and 6 to 7 s of work, on extensions: no client is told to stop.
		{"redlock-extends-its-lease", "redlock-extend", history.WriteAccepted, 21 * time.Second, 22500 * time.Millisecond},
		{"redlock-extends-its-lease", "redlock-extend", history.LostLease, -1, -1},
		// Ten extensions, one each third of the lease, and 10 s after the last; a client that hangs
		// does not notice.
		{"redlock-stops-extending", "redlock-extend", history.Expired, 43 * time.Second, 43500 * time.Millisecond},
		{"redlock-stops-extending", "redlock-extend", history.LostLease, -1, -1},
	}
	w := sim.New()
	defer w.Close()
	for _, tt := range tests {
		p := scenariotest.Load(t, "../../scenarios/lessons/"+tt.scenario+".yaml")
		for seed := uint64(1); seed <= 20; seed++ {
			out := One(context.Background(), w, p, tt.lock, seed)
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if at := first(&out.Judgement, tt.kind); at < tt.least || at > tt.most {
				t.Errorf("%s with %s, seed %d: first %v after %v, want %v to %v",
					tt.scenario, tt.lock, seed, tt.kind, at, tt.least, tt.most)
			}
		}
	}
}

// The lesson says that a pause after the check lets the write through. Real processes race there,
// so the scenario does not expect it. In the simulator the task that was paused before its write
// goes on first, and then the one that watches the clock.
func TestSelfFenceMissesAPauseAfterItsCheck(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/pause-between-check-and-write.yaml")
	w := sim.New()
	defer w.Close()
	for seed := uint64(1); seed <= 20; seed++ {
		out := One(context.Background(), w, p, "self-fence", seed)
		for _, id := range []string{checker.NoStaleWriteID, checker.NoLostUpdateID} {
			if got := out.Judgement.Finding(id).Verdict; got != checker.Broken {
				t.Errorf("seed %d: %s is %s, want %s", seed, id, got, checker.Broken)
			}
		}
	}
}
