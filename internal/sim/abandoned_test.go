package sim

import (
	"strings"
	"testing"

	"lockstep/internal/chaos"
	"lockstep/internal/history"
	"lockstep/internal/scenario/scenariotest"
)

// Repeated or drawn failovers may leave no server that can lead. The run then ends, and its history
// says why; otherwise it goes on.
func TestARunEndsWhenNoServerIsLeft(t *testing.T) {
	const head = "scenario: again and again\nclients: [A, B]\nworkload: {repeat: 40 times}\n"
	for name, tt := range map[string]struct {
		story string
		lock  string
		dead  int // servers when the run ends; 0: it is played to its end
	}{
		"every 20 s":      {"locks: [set-nx-lua]\nservers: {redis: {replicas: 1}}\nfaults: [{every: 20s, fail-over: operator}]\n", "set-nx-lua", 2},
		"at random":       {"locks: [set-nx-lua]\nservers: {redis: {replicas: 2}}\nfaults: [{every: 20s..21s, fail-over: operator}]\n", "set-nx-lua", 3},
		"with sentinels":  {"locks: [set-nx-lua]\nservers: {redis: {replicas: 1}}\nfaults: [{every: 20s, fail-over: sentinel}]\n", "set-nx-lua", 2},
		"a majority":      {"locks: [etcd-mutex]\nfaults: [{every: 20s, fail-over: operator}]\n", "etcd-mutex", 2},
		"a database":      {"locks: [mysql-unique-ttl]\nservers: {mysql: {replicas: 1}}\nfaults: [{every: 20s, fail-over: operator}]\n", "mysql-unique-ttl", 2},
		"it comes back":   {"locks: [set-nx-lua]\nservers: {redis: {replicas: 1}}\nfaults: [{every: 90s, fail-over: operator}, {every: 40s, restart: redis-1}]\n", "set-nx-lua", 0},
		"enough are left": {"locks: [set-nx-lua]\nservers: {redis: {replicas: 10}}\nfaults: [{every: 60s, fail-over: operator}]\n", "set-nx-lua", 0},
	} {
		p := scenariotest.Parse(t, "", head+tt.story)
		h, err := Run(chaos.Draw(p, 1), tt.lock, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		crashed, why := count(h, history.Crashed, ""), h.WhyCutShort()
		switch {
		case tt.dead == 0 && (why != "" || !h.Whole):
			t.Errorf("%s: cut short: %s", name, why)
		case tt.dead > 0 && (!strings.Contains(why, "has left no server that could lead") || crashed != tt.dead):
			t.Errorf("%s: %d servers died, want %d, and it was cut short because of %q", name, crashed, tt.dead, why)
		case tt.dead > 0 && h.Events[len(h.Events)-2].Kind != history.Crashed:
			t.Errorf("%s: it goes on after the last server has died, with %v", name, h.Events[len(h.Events)-2].Kind)
		}
	}
}
