package real_test

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// replicated is a lock of a database, whose primary has a replica.
type replicated struct {
	played
	travels bool // the lock is a row, which gets to the replica when it has the time
}

var databases = []replicated{
	{first(stores[4])[0], true}, {stores[6], false}, {stores[7], false},
}

// onTwo plays a plan with each database, with a replica that is so late.
func onTwo(t *testing.T, lag time.Duration, play func(*testing.T, *plan.Plan, replicated)) {
	for _, d := range databases {
		each(t, []played{d.played}, func(t *testing.T, p *plan.Plan, _ played) {
			set := plan.SQL{Replicas: 1, Lag: lag, Failover: plan.Failover{By: plan.ByOperator, After: 50 * time.Millisecond}}
			*p.Database("mysql"), *p.Database("postgres") = set, set
			p.Workload.Work = plan.Range{Min: 1500 * time.Millisecond, Max: 1500 * time.Millisecond}
			play(t, p, d)
		})
	}
}

// The primary dies before its replica has heard of the lock. It comes back as a replica
// of the one that took its place.
func TestADatabaseDiesBeforeItsReplication(t *testing.T) {
	t.Parallel()
	onTwo(t, 400*time.Millisecond, func(t *testing.T, p *plan.Plan, d replicated) {
		p.Workload.Repeat = 2 // it takes a database a while to come back, on a busy machine seconds
		enters := when(faults.Enters, "A", "")
		fault(t, p, enters, "fail-over", "operator", 0, faults.End{})
		enters.After = 600 * time.Millisecond
		restartAt(p, enters, d.server(1), 10*time.Millisecond)
		h := run(t, p, d.lock)
		if len(find(h, history.Promoted, d.server(2))) != 1 || len(find(h, history.Restarted, d.server(1))) != 1 {
			t.Fatal("the replica was not promoted once, or the old primary did not come back")
		}
		if n := overlaps(h); n == 0 {
			t.Error("no overlap: the new primary knew the lock")
		}
		if len(find(h, history.Granted, d.server(1))) == 0 || len(find(h, history.Granted, d.server(2))) == 0 {
			t.Error("not both primaries granted the lock")
		}
	})
}

// A row that has had the time to travel is there on the new primary. A lock of a session
// is not, however long it has been held.
func TestADatabaseDiesAfterItsReplication(t *testing.T) {
	t.Parallel()
	onTwo(t, 50*time.Millisecond, func(t *testing.T, p *plan.Plan, d replicated) {
		later := when(faults.Enters, "A", "")
		later.After = 500 * time.Millisecond
		fault(t, p, later, "fail-over", "operator", 0, faults.End{})
		h := run(t, p, d.lock)
		if len(find(h, history.Promoted, d.server(2))) != 1 {
			t.Fatal("the replica was not promoted once")
		}
		if survived := overlaps(h) == 0; survived != d.travels {
			t.Errorf("the lock survived its primary: %t, want %t", survived, d.travels)
		}
	})
}

// A stays with the primary that it can reach, B goes to the new one, which is not sent
// what the old one has.
func TestTwoPrimariesOfADatabase(t *testing.T) {
	t.Parallel()
	onTwo(t, 0, func(t *testing.T, p *plan.Plan, d replicated) {
		p.Workload.Stagger = 100 * time.Millisecond
		first := when(faults.AboutToSend, "A", faults.AnyCommand)
		sided(p, first, "partition", []string{"A", d.server(1)}, []string{"B", d.server(2)}, faults.End{For: 3 * time.Second})
		first.After = 50 * time.Millisecond
		fault(t, p, first, "promote", "replica", 0, faults.End{})
		h := run(t, p, d.lock)
		if len(find(h, history.Promoted, d.server(2))) != 1 || overlaps(h) == 0 {
			t.Error("no promotion, or no overlap")
		}
		if len(find(h, history.Granted, d.server(1))) == 0 || len(find(h, history.Granted, d.server(2))) == 0 {
			t.Error("not both primaries granted the lock")
		}
	})
}

// A replica goes on following a primary that was started again.
func TestAReplicaFollowsAPrimaryThatCameBack(t *testing.T) {
	t.Parallel()
	onTwo(t, 0, func(t *testing.T, p *plan.Plan, d replicated) {
		if !d.travels {
			t.Skip("its locks are no rows")
		}
		p.Clients, p.Workload.Repeat = []string{"A"}, 2
		p.Workload.Wait = 20 * time.Second
		restartAt(p, when(faults.AboutToSend, "A", faults.AnyCommand), d.server(1), 10*time.Millisecond)
		later := when(faults.Enters, "A", "")
		later.After = 700 * time.Millisecond
		fault(t, p, later, "fail-over", "operator", 0, faults.End{})
		h := run(t, p, d.lock)
		if len(find(h, history.Restarted, d.server(1))) != 1 || len(find(h, history.Promoted, d.server(2))) != 1 {
			t.Fatal("the primary did not come back, or none took its place later")
		}
		if n := len(find(h, history.Released, "A")); n == 0 {
			t.Error("the new primary did not have the row that A deletes in the end")
		}
	})
}

// server is the name of one of its servers.
func (d *replicated) server(n int) string {
	if d.lock == "pg-advisory" {
		return []string{"postgres-1", "postgres-2"}[n-1]
	}
	return []string{"mysql-1", "mysql-2"}[n-1]
}
