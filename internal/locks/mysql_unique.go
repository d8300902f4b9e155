// Lock mysql-unique
//
// Idea: a unique key lets only one row with a given name into the table. The client that has
// inserted it holds the lock, and deletes it to give the lock back.
//
// Protocol:
//  1. INSERT of the name; 1 row: the lock is held, and the generated id is its token;
//     error 1062, duplicate key: try again later.
//  2. DELETE of the row with that name; 1 row: given back; 0 rows: there was none.
//
// Guarantees: one holder, however slow or paused, since no clock is asked: there is
// no time after which the row goes by itself. Ids grow.
//
// Breaks when: the holder dies or hangs, or the reply to the INSERT is lost: the row
// stays until an operator deletes it. The row does not say whose it is, so a
// DELETE that is repeated, or comes late, removes the row of the next holder. A
// replica that takes over may not have the row yet, nor the ids that were drawn.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 96-121 and 430, with
// the index on the column that exists (see lit-mysql-ddl for the text as it is).

package locks

import (
	"context"

	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

func init() {
	Register(Variant{
		ID: "mysql-unique", Store: StoreMySQL, Entry: store.Entry{Table: "locks", Name: "name"},
		New: stateless(mysqlUnique),
	})
}

func mysqlUnique(ctx context.Context, d *Deps) (Lease, error) {
	insert := statement("INSERT INTO locks (name) VALUES (?)", sql.Text(d.Name))
	remove := statement("DELETE FROM locks WHERE name = ?", sql.Text(d.Name))
	return spin(ctx, d, func() (Lease, error) {
		res := d.sql().Exec(ctx, insert)
		switch {
		case res.Duplicate():
			return nil, nil
		case res.Err != nil:
			return nil, res.Err
		}
		release := func(ctx context.Context) error { return deleted(d.sql().Exec(ctx, remove)) }
		return fenced{release, res.LastID}, nil
	})
}
