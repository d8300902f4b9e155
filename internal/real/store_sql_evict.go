package real

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"lockstep/internal/locks"
)

// evict implements store: an operator ends the session that has the lock, or else
// deletes the row.
func (d *database) evict(m *member) error {
	if m == nil {
		m = d.leader
	}
	if !m.up() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	c := &command{server: m.node, name: "evict", sent: d.h.now(), answered: true, releasing: true, reply: nothing}
	found, err := d.connected(m, func(db *sql.DB) (bool, error) { return d.drop(ctx, db) })
	if err != nil {
		return err
	}
	c.done, c.refused = d.h.now(), !found
	if found {
		c.reply = one
	}
	d.evictions = append(d.evictions, c)
	return nil
}

// connected does something on a server over a connection of its own, past all links.
func (d *database) connected(m *member, do func(*sql.DB) (bool, error)) (bool, error) {
	db, err := sql.Open(d.driver, databaseOf(m).DSN(m.addr))
	if err != nil {
		return false, err
	}
	done, err := do(db)
	return done, errors.Join(err, db.Close())
}

// dropMariaDB ends the session with the named lock, or with a locked row; else it
// deletes the rows that are locks.
func dropMariaDB(ctx context.Context, db *sql.DB) (bool, error) {
	for _, who := range []string{
		"SELECT IS_USED_LOCK('" + locks.Key + "')",
		"SELECT MIN(trx_mysql_thread_id) FROM information_schema.INNODB_TRX WHERE trx_rows_locked > 0 AND trx_state = 'RUNNING'",
	} {
		var session sql.NullInt64
		if err := db.QueryRowContext(ctx, who).Scan(&session); err != nil {
			return false, err
		}
		if session.Valid {
			_, err := db.ExecContext(ctx, "KILL "+strconv.FormatInt(session.Int64, 10))
			return true, err
		}
	}
	found := false
	for _, table := range []string{"locks", "lock_leases"} {
		done, err := db.ExecContext(ctx, "DELETE FROM "+table+" WHERE name = '"+locks.Key+"'")
		if err != nil {
			return false, err
		}
		rows, err := done.RowsAffected()
		if err != nil {
			return false, err
		}
		found = found || rows > 0
	}
	return found, nil
}

// dropPostgres ends the session with the advisory lock.
func dropPostgres(ctx context.Context, db *sql.DB) (bool, error) {
	var ended int
	err := db.QueryRowContext(ctx,
		"SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted").Scan(&ended)
	return ended > 0, err
}
