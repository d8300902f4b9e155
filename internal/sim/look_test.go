package sim

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// Between two moments of which the second is alone nobody has sent, executed or dialled anything, also where a request
// is long under way or lost, and where a server takes up several at once.
func TestAlone(t *testing.T) {
	for _, tt := range []struct{ lock, fault string }{
		{"redisson", ""},
		{"etcd-mutex", ""},
		{"pg-advisory", ""},
		{"set-nx-lua", "{delay: request, by: 5s, when: A is about to send unlock}"},
		{"set-nx-lua", "{drop: request, when: A is about to send unlock}"},
		{"redlock", "{pause: redis-1, for: 5s, when: A is in its critical section}"},
		{"zk-sequential", "{partition: [A, store], for: 12s, when: A is in its critical section}"},
	} {
		w := New()
		alone, n, conns, met, events := 0, 0, uint64(0), 0, 0
		w.Watch(func(m faults.Moment, at history.Instant) {
			n++
			if w.Alone(func(time.Duration) bool { return false }) {
				alone++
				if w.nextConn != conns || len(w.network.meets) != met {
					t.Errorf("%s with %q: somebody was met or dialled before %v at %v", tt.lock, tt.fault, m, at)
				}
				for _, e := range w.hist.Events[events:] {
					if e.Kind == history.Sent || e.Kind == history.Executed || e.Kind == history.RequestDropped {
						t.Errorf("%s with %q: %v before %v at %v", tt.lock, tt.fault, e.Kind, m, at)
					}
				}
			}
			conns, met, events = w.nextConn, len(w.network.meets), len(w.hist.Events)
		})
		text := "scenario: alone\nlocks: [" + tt.lock + "]\nlease: 10s\nclients: [A, B]\nworkload: {wait: up to 60s, work: 5s, retry: 2s}\nnetwork: {latency: 1ms}\n"
		if tt.fault != "" {
			text += "faults: [" + tt.fault + "]\n"
		}
		p, err := scenario.Parse("", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(p, tt.lock, 1); err != nil {
			t.Fatal(err)
		}
		if alone < 3 || n < 3*alone/2 {
			t.Errorf("%s with %q: %d of %d moments are alone", tt.lock, tt.fault, alone, n)
		}
		w.Close()
	}
}

// feeling are a plan without faults, and faults that could be there.
func feeling(t *testing.T, lock string) (*plan.Plan, []faults.Fault) {
	t.Helper()
	p, err := scenario.Parse("", []byte("scenario: felt\nlocks: ["+lock+"]\nlease: 10s\nclients: [A, B]\n"+
		"workload: {wait: up to 60s, work: 5s, retry: 2s, stagger: 1s}\nnetwork: {latency: 1ms}\n"+
		"servers: {redis: {replicas: 1, lag: 100ms}}\nfaults:\n"+
		"- {lag: 5s, for: 40s, at: 1s}\n- {partition: [A, store], for: 12s, at: 1s}\n"+
		"- {partition: [redis-1, [redis-2]], for: 3s, at: 1s}\n- {restart: redis-1, down: 500ms, at: 1s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	could := p.Faults
	p.Faults = nil
	return p, could
}

// A fault is felt between two moments when the history has what it is in the way of, or somebody has gone on whom the
// next client waits for. Others are not, so that they come together.
func TestFeltSince(t *testing.T) {
	p, could := feeling(t, "set-wait")
	w := New()
	defer w.Close()
	felt, events, unfelt, entered := [4]int{}, 0, [4]int{}, 0
	w.Watch(func(m faults.Moment, at history.Instant) {
		var should [4]bool
		for _, e := range w.hist.Events[events:] {
			ofA := e.Node == w.hist.Node("A") || e.Peer == w.hist.Node("A")
			switch e.Kind {
			case history.Sent, history.Replied: // what is on its way arrives
				should[1] = should[1] || ofA
			case history.Granted, history.Extended, history.Removed:
				should[0], should[2] = true, true // what a primary changes it sends its replica
			case history.Acquired:
				if m.Subject == "A" {
					entered++
					should = [4]bool{true, true, true, true} // B may begin, at an instant that depends on whether a fault began
				}
			}
		}
		events = len(w.hist.Events)
		for i := range could {
			is := w.FeltSince(&could[i])
			if should[i] && !is {
				t.Errorf("%s would not have been felt before %v at %v", could[i].Deed, m, at)
			}
			if is {
				felt[i]++
			} else {
				unfelt[i]++
			}
		}
	})
	if _, err := w.Run(p, "set-wait", 1); err != nil {
		t.Fatal(err)
	}
	if entered != 1 || felt[0] == 0 || unfelt[0] < felt[0] || unfelt[1] < 3 || unfelt[2] < 3 || unfelt[3] > 0 {
		t.Errorf("A came in %d times; moments of lag, cut, split and restart that were felt: %v, that were not: %v", entered, felt, unfelt)
	}
}

// What would have been felt is known of runs that are watched or recalled, and of others it is not.
func TestFelt(t *testing.T) {
	p, could := feeling(t, "set-wait")
	w := New()
	defer w.Close()
	at := func(s int) history.Instant { return history.Instant(s) * history.Instant(time.Second) }
	var seen [3][4][12]bool
	for i, watch := range []func(){
		func() { w.Watch(func(faults.Moment, history.Instant) {}) },
		func() { w.Watch(nil); w.Recall = true },
		func() { w.Recall = false },
	} {
		watch()
		if _, err := w.Run(p, "set-wait", 1); err != nil {
			t.Fatal(err)
		}
		for k := range could {
			for s := range seen[i][k] {
				seen[i][k][s] = w.Felt(&could[k], at(s)+500, at(s+1)-500)
			}
		}
	}
	for k := range could {
		if seen[0][k] != seen[1][k] {
			t.Errorf("%s: %v when watched, %v when recalled", could[k].Deed, seen[0][k], seen[1][k])
		}
		for s, is := range seen[2][k] {
			if !is {
				t.Errorf("%s is not felt in second %d, of which nothing is known", could[k].Deed, s)
			}
		}
	}
	quiet := 0
	for s := range seen[0][0] {
		if !seen[0][0][s] && !seen[0][1][s] && !seen[0][2][s] {
			quiet++
		}
	}
	if !seen[0][0][0] || !seen[0][1][0] || !seen[0][2][0] || quiet < 3 || !seen[0][3][5] {
		t.Errorf("felt in each second: %v", seen[0])
	}
}

// While it is open when B may begin, a fault lets it in: at the end of the stagger, before or after what has been scheduled
// for that instant. Where nothing has, and that end is to come, it does not matter when the fault begins.
func TestFeltSinceWhereAFaultLetsSomebodyIn(t *testing.T) {
	for _, tt := range []struct {
		latency, lag, about string
		felt                bool
	}{
		{"50ms", "849ms", "nothing comes 1 s after A began", false},
		{"50ms", "900ms", "what A has brought about reaches the replica 1 s after A began", true},
		{"700ms", "100ms", "A has its reply later than 1 s after it began", true},
	} {
		p, err := scenario.Parse("", []byte("scenario: felt\nlocks: [set-nx-lua]\nlease: 10s\nclients: [A, B]\n"+
			"workload: {wait: up to 60s, work: 5s, retry: 2s, stagger: 1s}\nnetwork: {latency: "+tt.latency+", timeout: 3s}\n"+
			"servers: {redis: {replicas: 1, lag: "+tt.lag+"}}\nfaults:\n- {partition: [B, store], for: 12s, at: 1s}\n"))
		if err != nil {
			t.Fatal(err)
		}
		could := p.Faults[0]
		p.Faults = nil
		w := New()
		felt, acquires := false, 0
		w.Watch(func(m faults.Moment, at history.Instant) {
			if m.Kind == faults.AboutToSend {
				acquires++
			}
			if acquires == 1 && (m.Kind == faults.HasExecuted || m.Kind == faults.HasReply) {
				felt = felt || w.FeltSince(&could)
			}
		})
		if _, err := w.Run(p, "set-nx-lua", 1); err != nil {
			t.Fatal(err)
		}
		if w.Close(); acquires < 2 || felt != tt.felt {
			t.Errorf("%s: felt is %t", tt.about, felt)
		}
	}
}
