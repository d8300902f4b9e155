package sim

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// Times of sentinels that no scenario can set.
var demoteAfter, timeout = (&plan.Plan{}).SentinelTimes()

// busy is a story of clients that take the lock again and again, for a second each time,
// with three replicas and three sentinels.
func busy(clients []string, list ...faults.Fault) plan.Plan {
	p := sentinelStory(list...)
	p.Clients, p.Redis.Replicas, p.Redis.Lag = clients, 3, 0
	p.Workload.Work = plan.Range{Min: time.Second, Max: time.Second}
	p.Workload.Repeat, p.Workload.Rest = 40, plan.Range{Min: 200 * time.Millisecond, Max: 200 * time.Millisecond}
	p.Workload.Wait = time.Minute
	return p
}

// instants returns when events of a kind happened on a node; with a peer if that is not "".
func instants(h *history.History, kind history.Kind, node, peer string) (out []time.Duration) {
	for _, e := range h.Events {
		if e.Kind == kind && h.Name(e.Node) == node && (peer == "" || h.Name(e.Peer) == peer) {
			out = append(out, e.At.Duration())
		}
	}
	return out
}

// A replica that is cut off keeps copying the old primary until an operator or a sentinel reaches
// it; a sentinel first waits for its timeout. The operator promotes the first replica and works
// from there.
func TestACutOffReplicaStaysWithTheOldPrimary(t *testing.T) {
	const from, heal = 2 * time.Second, 22 * time.Second
	byHand := verb("promote", 2, "replica", at(3*time.Second), faults.End{})
	for name, tt := range map[string]struct {
		by        string
		with, far []string
		stays     string // of the replicas, the one with the old primary
		leads     string
		told      time.Duration // after the heal
	}{
		"by sentinels": {plan.BySentinel, []string{"A", "redis-1", "redis-2"}, []string{"B", "redis-3", "redis-4", faults.Sentinels}, "redis-2", "redis-3", timeout},
		"by hand":      {plan.ByOperator, []string{"A", "redis-1", "redis-3"}, []string{"B", "redis-2", "redis-4"}, "redis-3", "redis-2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := busy([]string{"A", "B"}, apart(1, at(from), heal-from, tt.with, tt.far))
			p.Redis.Failover.By = tt.by
			if tt.by == plan.ByOperator {
				p.Faults = append(p.Faults, byHand)
			}
			h, _ := tell(t, p, "set-wait")
			copies := instants(h, history.Replicated, tt.stays, "redis-1")
			if len(copies) == 0 || copies[len(copies)-1] < heal-3*time.Second || copies[len(copies)-1] > heal+100*time.Millisecond {
				t.Errorf("%s copies redis-1 at %v, want until the heal at %v", tt.stays, copies, heal)
			}
			copies = instants(h, history.Replicated, tt.stays, tt.leads)
			if told := heal + tt.told; len(copies) == 0 || copies[0] < told || copies[0] > told+3*time.Second {
				t.Errorf("%s copies %s at %v, want from %v on", tt.stays, tt.leads, copies, told)
			}
			var held int // by A, whose primary has a replica that confirms
			for _, at := range instants(h, history.Acquired, "A", "") {
				if at > 5*time.Second && at < heal {
					held++
				}
			}
			if held < 5 {
				t.Errorf("A held the lock %d times on its side of the cut", held)
			}
		})
	}
}

// Sentinels demote an old primary once they have reached it for a while. Its unreplicated data are
// lost then.
func TestSentinelsDemoteAnOldPrimary(t *testing.T) {
	const from, heal = 2 * time.Second, 12 * time.Second
	p := busy([]string{"A", "B"}, apart(1, at(from), heal-from, []string{"A", "redis-1"}, []string{"B", "redis-2", "redis-3", "redis-4", faults.Sentinels}))
	p.Workload.Work = plan.Range{Min: 7 * time.Second, Max: 7 * time.Second}
	h, _ := tell(t, p, "set-nx-lua")
	between(t, "redis-1 is demoted", find(t, h, history.Demoted, "redis-1").At, heal+demoteAfter, heal+demoteAfter+400*time.Millisecond)
	between(t, "A's entry is forgotten", find(t, h, history.Forgotten, "redis-1").At, heal+demoteAfter, heal+demoteAfter+500*time.Millisecond)
}

// A primary that crashed restarts as a primary, until the sentinels demote it.
func TestADeadPrimaryRestartsAsAPrimary(t *testing.T) {
	p := busy([]string{"A", "B"},
		verb("fail-over", 1, plan.BySentinel, at(2*time.Second), faults.End{}),
		verb("restart", 2, "redis-1", at(8*time.Second), faults.End{}))
	h, _ := tell(t, p, "set-nx-lua")
	back := find(t, h, history.Restarted, "redis-1").At.Duration()
	between(t, "redis-1 is demoted", find(t, h, history.Demoted, "redis-1").At, back+demoteAfter, back+demoteAfter+400*time.Millisecond)
}

// Once the sentinels agree, their election goes on even when the primary answers again; before
// that, there is none.
func TestAnElectionIsNotTakenBack(t *testing.T) {
	for length, want := range map[time.Duration][]string{
		900 * time.Millisecond:  nil,
		1300 * time.Millisecond: {"redis-2 promoted"},
	} {
		p := busy([]string{"A"}, apart(1, at(2*time.Second), length, []string{"redis-1"}, []string{faults.Sentinels}))
		_, got := tell(t, p, "set-nx-lua", history.Promoted)
		expectLines(t, got, want...)
	}
}

// Sentinels that reach no replica try again after twice their timeout.
func TestSentinelsTryAgainLater(t *testing.T) {
	const from, reached = 2 * time.Second, 5 * time.Second
	p := busy([]string{"A"},
		apart(1, at(from), time.Minute, []string{"redis-1"}, []string{faults.Sentinels}),
		apart(2, at(from), reached-from, []string{"redis-2", "redis-3", "redis-4"}, []string{faults.Sentinels}))
	h, _ := tell(t, p, "set-nx-lua")
	again := from + p.Redis.Failover.DownAfter + 2*timeout + p.Redis.Failover.Election
	between(t, "redis-2 is promoted", find(t, h, history.Promoted, "redis-2").At, again, again+400*time.Millisecond)
}

// A client sends its requests to the primary that the sentinels name, even if it cannot reach it.
func TestAClientBelievesTheSentinels(t *testing.T) {
	p := busy([]string{"A", "B"},
		apart(1, at(2*time.Second), 10*time.Second, []string{"redis-1"}, []string{faults.Sentinels}),
		apart(2, at(2*time.Second), 10*time.Second, []string{"A"}, []string{"redis-2"}))
	h, _ := tell(t, p, "set-nx-lua")
	for _, e := range h.Events {
		if e.Kind == history.Sent && h.Name(e.Node) == "A" && h.Name(e.Peer) == "redis-2" && e.At < history.Instant(12*time.Second) {
			return
		}
	}
	t.Error("A sends nothing to redis-2, of which it has been told")
}

// A replica that is frozen copies nothing and confirms nothing.
func TestAFrozenReplicaConfirmsNothing(t *testing.T) {
	p := alone(time.Second, verb("pause", 1, "redis-2", at(0), faults.End{For: 5 * time.Second}))
	p.Redis.Replicas, p.Workload.Wait = 1, time.Minute
	h, _ := tell(t, p, "set-wait")
	if got := find(t, h, history.Acquired, "A").At.Duration(); got < 5*time.Second {
		t.Errorf("A acquires at %v", got)
	}
}

// A replica keeps its data until its new primary has sent everything, which takes three round
// trips. Only then does the primary count it.
func TestResynchronizationTakesThreeRoundTrips(t *testing.T) {
	const heal, lag = 10 * time.Second, 500 * time.Millisecond
	p := busy([]string{"A", "B"}, apart(1, at(2*time.Second), heal-2*time.Second, []string{"A", "redis-1", "redis-2"}, []string{"B", "redis-3", faults.Sentinels}))
	p.Redis.Replicas, p.Redis.Lag = 2, lag
	p.Workload.Work = plan.Range{Min: 9 * time.Second, Max: 9 * time.Second}
	h, _ := tell(t, p, "set-nx-lua")
	led := heal + timeout
	between(t, "A's entry is forgotten", find(t, h, history.Forgotten, "redis-2").At, led+3*lag, led+3*lag+400*time.Millisecond)

	h, _ = tell(t, p, "set-nx-minreplicas") // whose new primary refuses without a replica
	demoted := heal + demoteAfter
	between(t, "B acquires", find(t, h, history.Acquired, "B").At, demoted+3*lag, demoted+3*lag+time.Second)
}
