// Lock shedlock-132
//
// Idea: the client computes when the lock ends, and sends the result. By the time the
// statement is executed, that may be over.
//
// Protocol:
//  1. Read its own wall clock: now. INSERT the row with the end now + lease; no such
//     row yet: the lock is held.
//  2. It is there: UPDATE it with the end now + lease WHERE its end is at or before now; 1 row: the lock is held; 0: try again later.
//  3. To release: UPDATE the end to its own wall clock. (Whose row it is, is not checked:
//     issue 1986.) The fixed form, mysql-unique-ttl, leaves both times to the database.
//
// Guarantees: mutual exclusion while all wall clocks agree and no statement takes longer than the
// lease from the look at the clock to its execution.
//
// Breaks when: a process stands still between its look at the clock and its statement: the row that
// it writes has run out already, it believes that it holds the lock, and so does the next one. A
// clock that is ahead takes over a living lock.
//
// Source: https://github.com/lukas-krecan/ShedLock/issues/132; usingDbTime in the README of
// ShedLock.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/sql"
)

func init() {
	registerBug(Variant{
		ID: "shedlock-132", Store: StoreMySQL, Entry: leaseRow, LeaseUnit: time.Millisecond,
		Bug: &Bug{
			Library: "ShedLock", Has: "as of March 2019", Gone: "the option usingDbTime",
			Issue: "https://github.com/lukas-krecan/ShedLock/issues/132", Fixed: "mysql-unique-ttl",
		},
		New: stateless(shedLock),
	}, nil)
}

// The statements. Times are those of the clients, in milliseconds since 1970.
const (
	insertUntil = "INSERT INTO lock_leases (name, owner, expires_at, version) VALUES (?, ?, ?, 1)"
	updateUntil = "UPDATE lock_leases SET owner = ?, expires_at = ? WHERE name = ? AND expires_at <= ?"
	unlockUntil = "UPDATE lock_leases SET expires_at = ? WHERE name = ?"
)

func shedLock(ctx context.Context, d *Deps) (Lease, error) {
	name, own := sql.Text(d.Name), sql.Text(d.Owner)
	release := func(ctx context.Context) error {
		unlock := statement(unlockUntil, sql.Num(wallMillis(d.Env)), name)
		unlock.Does = sql.Removes
		return deleted(d.sql().Exec(ctx, unlock))
	}
	return spin(ctx, d, func() (Lease, error) {
		now := wallMillis(d.Env)
		until := sql.Num(now + ports.Millis(d.Lease))
		res := d.sql().Exec(ctx, statement(insertUntil, name, own, until))
		if res.Duplicate() {
			res = d.sql().Exec(ctx, statement(updateUntil, own, until, name, sql.Num(now)))
		}
		if res.Err != nil || res.Affected == 0 {
			return nil, res.Err
		}
		return ReleaseFunc(release), nil
	})
}
