package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// withReplica is a story of a lock in a database with one replica.
func withReplica(t *testing.T, more ...string) *plan.Plan {
	return story(t, "mysql-unique", append([]string{
		"servers.mysql={replicas: 1, lag: 10ms}", "workload.wait=up to 1m"}, more...)...)
}

// B cannot reach the new primary and keeps asking the old one, which has restarted as a replica and
// so refuses to write, as MariaDB does.
func TestAReplicaRefusesWritesOfClients(t *testing.T) {
	h := play(t, withReplica(t, "at: 0s, partition: [B, mysql-2], for: 20s",
		"when: A enters, fail-over: operator", "when: A enters, after: 2s, restart: mysql-1, down: 10ms"))
	refused := 0
	for _, e := range h.Events {
		if e.Kind == history.Replied && h.Name(e.Node) == "B" && h.Name(e.Peer) == "mysql-1" &&
			h.Text(e.Text) == "ERROR 1290 (HY000): The MariaDB server is running with the --read-only option so it cannot execute this statement" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("the old primary refused nothing")
	}
	if got := find(t, h, history.Acquired, "B"); got.At < history.Instant(20*time.Second) {
		t.Errorf("B acquired at %v, when it could only reach a replica", got.At)
	}
}

// A replica receives rows that are inserted after a restart of its primary.
func TestAReplicaFollowsAPrimaryThatCameBack(t *testing.T) {
	h := play(t, withReplica(t, "clients=[A]", "workload.work=5s",
		"at: 0s, restart: mysql-1, down: 10ms", "when: A enters, after: 1s, fail-over: operator"))
	if got := find(t, h, history.Replicated, "mysql-2"); h.Name(got.Owner) != "A" {
		t.Errorf("the replica has the row of %s, want A's", h.Name(got.Owner))
	}
	find(t, h, history.Released, "A")
}

// A statement's timeout (this lock sets one second) keeps running while its server is paused, and
// ends the statement at the thaw even if no other request arrives.
func TestAPauseOfADatabaseExtendsNoTimeout(t *testing.T) {
	const frozen, thawed = 2500 * time.Millisecond, 3300 * time.Millisecond
	h := play(t, story(t, "mysql-for-update", "workload={work: 20s, wait: up to 1m}",
		fmt.Sprintf("at: %v, pause: mysql-1, for: %v", frozen, thawed-frozen)))
	for _, e := range h.Events {
		if e.Kind == history.Executed && strings.HasPrefix(h.Text(e.Text), "ERROR 1205") && e.At.Duration() > frozen {
			if e.At.Duration() != thawed {
				t.Errorf("B has waited until %v, want the thaw at %v", e.At, thawed)
			}
			return
		}
	}
	t.Error("B's wait never ended")
}
