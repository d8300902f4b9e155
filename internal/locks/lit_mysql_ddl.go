// Lock lit-mysql-ddl
//
// Idea: mysql-unique with the table as the text prints it: its unique key is on a
// column that the table does not have, and the name of the engine lacks a letter.
//
// Protocol:
//  1. CREATE TABLE lock_info as printed; an error: the engine InnoD is unknown (1286),
//     and were it not, the column method_name would be (1072).
//  2. CREATE TABLE lock_info IF NOT EXISTS without the two lines that the server
//     complains of, which is what is left of the text.
//  3. INSERT of the name; 1 row: the lock is held. Without the key there is no
//     duplicate.
//  4. DELETE of all rows with that name; 1 row or more: given back.
//
// Guarantees: none. The table is as it was asked for.
//
// Breaks when: two clients want the lock: both INSERTs succeed, and the first DELETE
// removes both rows. No fault is needed.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 104-109: the definition
// of the table. That a reader leaves out what does not work is an assumption.

package locks

import (
	"context"

	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

func init() {
	Register(Variant{
		ID: "lit-mysql-ddl", Store: StoreMySQL, Entry: store.Entry{Table: "lock_info", Name: "name"},
		New: func(d Deps) Lock { return &litMySQLDDL{Deps: d} },
	})
}

const (
	printedTable = "CREATE TABLE lock_info (id INT(11) UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(64) NOT NULL, PRIMARY KEY (id), UNIQUE KEY idx_name (method_name)) ENGINE=InnoD"
	leftOfTable  = "CREATE TABLE IF NOT EXISTS lock_info (id INT(11) UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(64) NOT NULL, PRIMARY KEY (id))"
)

type litMySQLDDL struct {
	Deps
	ready bool
}

func (l *litMySQLDDL) Acquire(ctx context.Context) (Lease, error) {
	if !l.ready {
		if err := l.createTable(ctx); err != nil {
			return nil, err
		}
	}
	res := l.sql().Exec(ctx, statement("INSERT INTO lock_info (name) VALUES (?)", sql.Text(l.Name)))
	if res.Err != nil {
		return nil, res.Err
	}
	return ReleaseFunc(l.release), nil
}

// createTable makes the table, in whichever form the server accepts it.
func (l *litMySQLDDL) createTable(ctx context.Context) error {
	err := l.sql().Exec(ctx, statement(printedTable)).Err
	if _, refused := err.(*sql.Error); refused {
		err = l.sql().Exec(ctx, statement(leftOfTable)).Err
	}
	l.ready = err == nil
	return err
}

func (l *litMySQLDDL) release(ctx context.Context) error {
	return deleted(l.sql().Exec(ctx, statement("DELETE FROM lock_info WHERE name = ?", sql.Text(l.Name))))
}
