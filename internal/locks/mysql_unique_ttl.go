// Lock mysql-unique-ttl
//
// Idea: the row says who holds the lock and until when, by the database's own
// clock. A row whose time is up is taken over by an UPDATE that checks it.
//
// Protocol:
//  1. INSERT of name, owner, expires_at = now + lease, version = 1; 1 row: the lock
//     is held, token 1. Error 1062, duplicate key:
//  2. UPDATE owner, expires_at, version + 1 WHERE name AND expires_at < now; 0 rows:
//     another client holds it, try again later. 1 row: the lock is held.
//  3. After 2, SELECT version WHERE name AND owner: the token. No row: it has been
//     taken over meanwhile, try again later.
//  4. UPDATE expires_at = 0 WHERE name AND owner AND version; 1 row: given back. The
//     row stays, so that its version goes on growing.
//
// Guarantees: as set-nx-lua, a dead holder's lock comes back after the lease, and a release frees
// the client's own entry or none; in addition, the version is a token that grows with each holder.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or a
// late reply: a second client gets in. The database's clock jumps ahead. A replica
// takes over that does not have the row yet, and gives out the same version again.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", line 118, which
// leaves the expiry to the reader.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

func init() {
	Register(Variant{
		ID: "mysql-unique-ttl", Store: StoreMySQL, Entry: leaseRow, LeaseUnit: time.Millisecond,
		New: stateless(mysqlUniqueTTL),
	})
}

// leaseRow describes the row that has the holder of the lock.
var leaseRow = store.Entry{Table: "lock_leases", Name: "name", Expires: "expires_at"}

// The statements. The time is the database's own, in milliseconds since 1970.
const (
	mysqlNow     = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
	insertLease  = "INSERT INTO lock_leases (name, owner, expires_at, version) VALUES (?, ?, " + mysqlNow + " + ?, 1)"
	takeLease    = "UPDATE lock_leases SET owner = ?, expires_at = " + mysqlNow + " + ?, version = version + 1 WHERE name = ? AND expires_at < " + mysqlNow
	leaseVersion = "SELECT version FROM lock_leases WHERE name = ? AND owner = ?"
	endLease     = "UPDATE lock_leases SET expires_at = 0 WHERE name = ? AND owner = ? AND version = ?"
)

func mysqlUniqueTTL(ctx context.Context, d *Deps) (Lease, error) {
	name, own := sql.Text(d.Name), sql.Text(newToken(d.Env))
	return spin(ctx, d, func() (Lease, error) {
		version, err := takeRow(ctx, d, name, own)
		if version == 0 {
			return nil, err
		}
		end := statement(endLease, name, own, sql.Num(version))
		end.Does = sql.RemovesOwn
		release := func(ctx context.Context) error { return deleted(d.sql().Exec(ctx, end)) }
		return fenced{release, version}, nil
	})
}

// takeRow is one attempt; its version is 0 unless the client has the row now.
func takeRow(ctx context.Context, d *Deps, name, own sql.Value) (version int64, err error) {
	ttl := sql.Num(ports.Millis(d.Lease))
	res := d.sql().Exec(ctx, statement(insertLease, name, own, ttl))
	if res.Err == nil {
		return 1, nil
	}
	if !res.Duplicate() {
		return 0, res.Err
	}
	res = d.sql().Exec(ctx, statement(takeLease, own, ttl, name))
	if res.Err != nil || res.Affected == 0 {
		return 0, res.Err
	}
	res = d.sql().Exec(ctx, statement(leaseVersion, name, own))
	version, _ = scalar(res)
	return version, res.Err
}
