package sim

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/store/sql"
)

// A replica has what a script has done all or none: else it would have the holder's field and not its
// expiry, and B would never get the lock.
func TestAReplicaExecutesAScriptAsAWhole(t *testing.T) {
	for after := range 40 {
		h := play(t, story(t, "redisson", "network.latency=1ms..30ms", "workload.wait=up to 1m", "servers.redis={replicas: 1, lag: 1ms}",
			fmt.Sprintf("when: A has EVAL executed, after: %dms, fail-over: operator", after), "when: A has EVAL executed, crash: A"))
		if count(h, history.Acquired, "B") == 0 {
			t.Errorf("A and the primary die, the primary %d ms after it has executed A's script: B never gets the lock", after)
		}
	}
}

// twoRows is no lock: A writes two rows in one transaction, and B counts them after a failover.
type twoRows struct {
	locks.Deps
	done   *bool
	counts *[2]int64
}

func (l twoRows) Acquire(ctx context.Context) (locks.Lease, error) {
	none := errors.New("this is no lock")
	session, err := sql.Client{Port: l.Port}.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	switch {
	case l.Owner == "A" && !*l.done:
		*l.done = true
		for _, query := range []string{
			"BEGIN", "INSERT INTO locks (name) VALUES ('x')",
			"INSERT INTO lock_leases (name, owner, expires_at, version) VALUES ('x', 'A', 1, 1)", "COMMIT",
		} {
			session.Exec(ctx, sql.Stmt{Query: query})
		}
	case l.Owner == "B":
		_ = l.Env.Sleep(ctx, 5*time.Second)
		for i, table := range [...]string{"locks", "lock_leases"} {
			if res := session.Exec(ctx, sql.Stmt{Query: "SELECT name FROM " + table}); res.Err == nil {
				l.counts[i] = int64(len(res.Rows))
			} else {
				return nil, none
			}
		}
	}
	return nil, none
}

// A replica of a database has a transaction as a whole or not at all.
func TestAReplicaHasNoHalfOfATransaction(t *testing.T) {
	whole := 0
	for after := range 40 {
		done, counts := false, [2]int64{}
		p := story(t, "mysql-unique", "workload={stagger: 0s, wait: up to 20s}", "network.latency=1ms..30ms", "servers.mysql={replicas: 1, lag: 1ms}",
			fmt.Sprintf("when: A has COMMIT executed, after: %dms, fail-over: operator", after))
		must.Get(PlayVariant(t.Context(), p, locks.Variant{
			ID: "two-rows", Store: sql.MySQLID, LeaseUnit: time.Second,
			New: func(d locks.Deps) locks.Lock { return twoRows{d, &done, &counts} },
		}, 1))(t)
		if counts[0] != counts[1] {
			t.Errorf("%d ms after COMMIT: the replica has %v rows in the two tables", after, counts)
		}
		whole += int(counts[0])
	}
	if whole == 0 || whole == 40 {
		t.Errorf("the replica has the transaction %d times of 40", whole)
	}
}
