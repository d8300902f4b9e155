package sqltest_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"testing"
	"time"

	"lockstep/locktest"
	"lockstep/locktest/sqltest"
)

// leases is a lock as people write them: one statement makes the row of a lease, or takes over one
// that is over, which another statement may delete before.
type leases struct {
	c                    locktest.Client
	db                   *sql.DB
	clear, take, release string
}

func (l *leases) Acquire(ctx context.Context) (locktest.Lease, error) {
	token := rand.Text()
	return poll(ctx, l.c, &lease{l, token}, func() (bool, error) {
		if l.clear != "" {
			if _, err := l.db.ExecContext(ctx, l.clear, l.c.Key()); err != nil {
				return false, err
			}
		}
		asked := time.Now()
		got, err := changed(l.db.ExecContext(ctx, l.take, l.c.Key(), token, l.c.Lease().Milliseconds()))
		return got && time.Since(asked) < l.c.Lease(), err
	})
}

type lease struct {
	*leases
	token string
}

func (l *lease) Release(ctx context.Context) error {
	return released(l.db.ExecContext(ctx, l.release, l.c.Key(), l.token))
}

// A lease in a row breaks as each lease without renewals and without a fence does, and where a
// replica takes over. Deleting a row whose time is up removes no client's entry.
func TestLeasesInRows(t *testing.T) {
	known := []locktest.Option{
		locktest.Breaks("long-work"), locktest.Breaks("pause"), locktest.Breaks("failover"),
	}
	for _, tt := range []struct {
		name                 string
		store                locktest.Store
		clear, take, release string
	}{
		{"PostgreSQL, deleted first",
			sqltest.PostgreSQL{Setup: []string{"CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until TIMESTAMPTZ NOT NULL)"}},
			"DELETE FROM leases WHERE name = $1 AND until < now()",
			"INSERT INTO leases (name, holder, until) VALUES ($1, $2, now() + $3 * interval '1 millisecond') ON CONFLICT (name) DO NOTHING",
			"DELETE FROM leases WHERE name = $1 AND holder = $2"},
		{"PostgreSQL",
			sqltest.PostgreSQL{Setup: []string{"CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until TIMESTAMPTZ NOT NULL DEFAULT now())"}},
			"", "INSERT INTO leases (name, holder, until) VALUES ($1, $2, now() + $3 * interval '1 millisecond') " +
				"ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until WHERE leases.until < now() RETURNING holder",
			"DELETE FROM leases WHERE name = $1 AND holder = $2"},
		{"MySQL",
			sqltest.MySQL{Setup: []string{"CREATE TABLE leases (name VARCHAR(64) PRIMARY KEY, holder VARCHAR(64) NOT NULL, until DATETIME(3) NOT NULL)"}},
			"", "INSERT INTO leases VALUES (?, ?, NOW(3) + INTERVAL ? * 1000 MICROSECOND) ON DUPLICATE KEY UPDATE " +
				"holder = IF(until < NOW(3), VALUES(holder), holder), until = IF(holder = VALUES(holder), VALUES(until), until)",
			"UPDATE leases SET until = NOW(3) - INTERVAL 1 SECOND WHERE name = ? AND holder = ?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			locktest.Run(t, tt.store, func(c locktest.Client) locktest.Lock {
				return &leases{c, sqltest.Open(c), tt.clear, tt.take, tt.release}
			}, known...)
		})
	}
}

// A lease by the clocks of the clients alone is not broken by a wrong clock of the server, by which
// its rows are old. One that ends by the clock of the server, and is taken over by that of a client,
// is over at once if the server's is behind.
func TestALeaseByTheClocksOfClients(t *testing.T) {
	store := sqltest.PostgreSQL{Setup: []string{"CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT, until TIMESTAMPTZ)",
		"INSERT INTO leases (name) VALUES ('lock')"}}
	for _, tt := range []struct {
		until string
		end   func(now time.Time, lease time.Duration) any
		known []locktest.Option
	}{
		{"$4", func(now time.Time, lease time.Duration) any { return now.Add(lease) }, nil},
		{"now() + $4 * interval '1 ms'", func(_ time.Time, lease time.Duration) any { return lease.Milliseconds() },
			[]locktest.Option{locktest.Breaks("skewed-behind")}},
	} {
		take := "UPDATE leases SET holder = $2, until = " + tt.until + " WHERE name = $1 AND (until IS NULL OR until < $3)"
		locktest.Run(t, store, func(c locktest.Client) locktest.Lock {
			l := &leases{c: c, db: sqltest.Open(c), release: "UPDATE leases SET until = NULL WHERE name = $1 AND holder = $2"}
			return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
				token := rand.Text()
				return poll(ctx, c, &lease{l, token}, func() (bool, error) {
					now := time.Now()
					return changed(l.db.ExecContext(ctx, take, c.Key(), token, now, tt.end(now, c.Lease())))
				})
			})
		}, append(tt.known, locktest.Name("until "+tt.until), locktest.Stories("contention", "skewed-server", "skewed-behind"))...)
	}
}
