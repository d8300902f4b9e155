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
	travels bool // the lock is a row, which is replicated
}

var databases = []replicated{
	{first(stores[4])[0], true}, {stores[6], false}, {stores[7], false},
}

// onTwo plays a plan with each database and a replica that lags.
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

// The primary dies before its replica has the lock, and comes back as a replica of the new primary.
func TestADatabaseDiesBeforeItsReplication(t *testing.T) {
	t.Parallel()
	onTwo(t, 400*time.Millisecond, func(t *testing.T, p *plan.Plan, d replicated) {
		p.Workload.Repeat = 2 // a database takes a while to restart, on a busy machine seconds
		enters := when(faults.Enters, "A", "")
		fault(t, p, enters, "fail-over", "operator", 0, faults.End{})
		enters.After = 600 * time.Millisecond
		restartAt(p, enters, d.server(1), 10*time.Millisecond)
		h := run(t, p, d.lock)
		once(t, h, history.Promoted, d.server(2))
		once(t, h, history.Restarted, d.server(1))
		if n := overlaps(h); n == 0 {
			t.Error("no overlap: the new primary knew the lock")
		}
		wantSome(t, h, history.Granted, d.server(1))
		wantSome(t, h, history.Granted, d.server(2))
	})
}

// A row that has been replicated is on the new primary. A lock of a session never is.
func TestADatabaseDiesAfterItsReplication(t *testing.T) {
	t.Parallel()
	onTwo(t, 50*time.Millisecond, func(t *testing.T, p *plan.Plan, d replicated) {
		later := when(faults.Enters, "A", "")
		later.After = 500 * time.Millisecond
		fault(t, p, later, "fail-over", "operator", 0, faults.End{})
		h := run(t, p, d.lock)
		once(t, h, history.Promoted, d.server(2))
		if survived := overlaps(h) == 0; survived != d.travels {
			t.Errorf("the lock survived its primary: %t, want %t", survived, d.travels)
		}
	})
}

// A stays with the primary that it reaches. B goes to the new one, which does not get the changes
// of the old one.
func TestTwoPrimariesOfADatabase(t *testing.T) {
	t.Parallel()
	onTwo(t, 0, func(t *testing.T, p *plan.Plan, d replicated) {
		p.Workload.Stagger = 100 * time.Millisecond
		first := when(faults.AboutToSend, "A", faults.AnyCommand)
		sided(p, first, "partition", []string{"A", d.server(1)}, []string{"B", d.server(2)}, faults.End{For: 3 * time.Second})
		first.After = 50 * time.Millisecond
		fault(t, p, first, "promote", "replica", 0, faults.End{})
		h := run(t, p, d.lock)
		twoPrimaries(t, h, d.server(1), d.server(2))
	})
}

// A replica follows a restarted primary again.
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
		once(t, h, history.Restarted, d.server(1))
		once(t, h, history.Promoted, d.server(2))
		wantSome(t, h, history.Released, "A") // of its row, which the new primary has, too
	})
}

// server is the name of one of its servers.
func (d *replicated) server(n int) string {
	if d.lock == "pg-advisory" {
		return []string{"postgres-1", "postgres-2"}[n-1]
	}
	return []string{"mysql-1", "mysql-2"}[n-1]
}
