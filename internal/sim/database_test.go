package sim

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// withReplica is a plan with two clients that work for a given time, on a database with one
// replica.
func withReplica(work time.Duration) plan.Plan {
	p := plan.Default()
	p.Name, p.Clients, p.Lease = "replicated", []string{"A", "B"}, 10*time.Second
	p.Database("mysql").Replicas, p.Database("mysql").Lag = 1, 10*time.Millisecond
	p.Workload.Work = plan.Range{Min: work, Max: work}
	p.Workload.Wait = time.Minute
	return p
}

// B cannot reach the new primary and keeps asking the old one, which has restarted as a replica and
// so refuses to write, as MariaDB does.
func TestAReplicaRefusesWritesOfClients(t *testing.T) {
	p := withReplica(time.Second)
	enters := faults.Trigger{Moment: faults.Enters, Subject: "A", Nth: 1}
	later := enters
	later.After = 2 * time.Second
	p.Faults = []faults.Fault{
		apart(1, faults.Trigger{}, 20*time.Second, []string{"B"}, []string{"mysql-2"}),
		verb("fail-over", 2, plan.ByOperator, enters, faults.End{}),
		restartOf(3, "mysql-1", 10*time.Millisecond, later),
	}
	h := play(t, &p, "mysql-unique", 1)
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
	p := withReplica(5 * time.Second)
	p.Clients = []string{"A"}
	p.Workload.Repeat = 1
	enters := faults.Trigger{Moment: faults.Enters, Subject: "A", Nth: 1}
	enters.After = time.Second
	p.Faults = []faults.Fault{
		restartOf(1, "mysql-1", 10*time.Millisecond, faults.Trigger{}),
		verb("fail-over", 2, plan.ByOperator, enters, faults.End{}),
	}
	h := play(t, &p, "mysql-unique", 1)
	if got := find(t, h, history.Replicated, "mysql-2"); h.Name(got.Owner) != "A" {
		t.Errorf("the replica has the row of %s, want A's", h.Name(got.Owner))
	}
	find(t, h, history.Released, "A")
}

// A statement's timeout (this lock sets one second) keeps running while its server is paused, and
// ends the statement at the thaw even if no other request arrives.
func TestAPauseOfADatabaseExtendsNoTimeout(t *testing.T) {
	const frozen, thawed = 2500 * time.Millisecond, 3300 * time.Millisecond
	p := withReplica(20 * time.Second)
	p.Database("mysql").Replicas = 0
	p.Faults = []faults.Fault{verb("pause", 1, "mysql-1", at(frozen), faults.End{For: thawed - frozen})}
	h := play(t, &p, "mysql-for-update", 1)
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
