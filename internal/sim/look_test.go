package sim

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
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
