package real_test

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
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

// onTwo plays with each database and a replica.
func onTwo(t *testing.T, play func(*testing.T, replicated)) {
	for _, d := range databases {
		each(t, []played{d.played}, func(t *testing.T, _ played) { play(t, d) })
	}
}

// story is a story for a database with a replica that lags.
func (d replicated) story(t *testing.T, lag string, more ...string) *plan.Plan {
	store, _, _ := strings.Cut(d.server(1), "-")
	return d.played.story(t, append([]string{"workload.work=1500ms",
		"servers." + store + "={replicas: 1, lag: " + lag + ", failover: {after: 50ms}, idle-timeout: never}"}, more...)...)
}

// The primary dies before its replica has the lock, and comes back as a replica of the new primary.
func TestADatabaseDiesBeforeItsReplication(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, d replicated) {
		h := run(t, d.story(t, "400ms", "workload.repeat=2 times", // a database takes a while to restart, on a busy machine seconds
			enters+"fail-over: operator", enters+"after: 600ms, restart: "+d.server(1)+", down: 10ms"))
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
	onTwo(t, func(t *testing.T, d replicated) {
		h := run(t, d.story(t, "50ms", enters+"after: 500ms, fail-over: operator"))
		once(t, h, history.Promoted, d.server(2))
		must.Equalf(t, overlaps(h) == 0, d.travels, "the lock survived its primary")
	})
}

// A stays with the primary that it reaches. B goes to the new one, which does not get the changes
// of the old one.
func TestTwoPrimariesOfADatabase(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, d replicated) {
		h := run(t, d.story(t, "0s", "workload.stagger=100ms", "workload.work=3s",
			asks+fmt.Sprintf("partition: [[A, %s], [B, %s]], until: B acquires", d.server(1), d.server(2)), asks+"after: 50ms, promote: replica"))
		twoPrimaries(t, h, d.server(1), d.server(2))
	})
}

// A replica follows a restarted primary again.
func TestAReplicaFollowsAPrimaryThatCameBack(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, d replicated) {
		if !d.travels {
			t.Skip("its locks are no rows")
		}
		h := run(t, d.story(t, "0s", "clients=[A]", "workload.repeat=2 times", "workload.wait=up to 20s",
			asks+"restart: "+d.server(1)+", down: 10ms", enters+"after: 700ms, fail-over: operator"))
		once(t, h, history.Restarted, d.server(1))
		once(t, h, history.Promoted, d.server(2))
		wantSome(t, h, history.Released, "A") // of its row, which the new primary has, too
	})
}

// server is the name of one of its servers.
func (d replicated) server(n int) string {
	if d.lock == "pg-advisory" {
		return []string{"postgres-1", "postgres-2"}[n-1]
	}
	return []string{"mysql-1", "mysql-2"}[n-1]
}
