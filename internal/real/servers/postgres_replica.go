package servers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// ClientDSN is DSN: nobody can write to a replica of PostgreSQL.
func (db *Postgres) ClientDSN(addr string) string { return db.DSN(addr) }

// postgresReplication is what servers are told that follow each other, or may come to.
// They keep their whole log, for replicas that begin anew; a primary that refused is
// asked again soon; and a partition is silence for as long as it lasts, not for a minute.
var postgresReplication = []string{
	"wal_keep_size=1GB", "wal_retrieve_retry_interval=20ms", "wal_sender_timeout=0", "wal_receiver_timeout=0",
	"max_connections=100", // as the pristine database has it: a replica must not have fewer
}

// furnish makes the database: of a replica, one that waits for what its primary sends.
func (db *Postgres) furnish(install func() error) error {
	if err := db.replication.furnish(db.data(), install); err != nil || db.upstream == "" {
		return err
	}
	return errors.Join(
		db.write("standby.signal", ""),
		db.write("postgresql.auto.conf", "primary_conninfo = '"+conninfo(db.upstream)+"'\n"))
}

// write makes a file in the database, which belongs to whom the database belongs to.
func (db *Postgres) write(name, text string) error {
	path := filepath.Join(db.data(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("%s cannot be made a replica: %w: free some space", db.Name, err)
	}
	return likewise(filepath.Join(db.data(), "PG_VERSION"), path)
}

// conninfo is how a replica is told where its primary is.
func conninfo(primary string) string {
	host, port, _ := net.SplitHostPort(primary)
	return "host=" + host + " port=" + port + " user=" + postgresUser
}

// Follow lets a running replica follow another primary, which is reached at that address.
func (db *Postgres) Follow(ctx context.Context, primary string) error {
	return console(ctx, "postgres", db.DSN(db.Addr), func(ctx context.Context, pool *sql.DB) error {
		_, err := pool.ExecContext(ctx, "ALTER SYSTEM SET primary_conninfo = '"+conninfo(primary)+"'")
		if err == nil {
			_, err = pool.ExecContext(ctx, "SELECT pg_reload_conf()")
		}
		return err
	})
}

// Rejoin starts a server that has been killed anew, as a replica that has nothing but
// what its primary sends it, which is reached at that address.
func (db *Postgres) Rejoin(ctx context.Context, primary string) error {
	db.upstream = primary
	if err := errors.Join(removeSharedMemory(db.Dir), os.RemoveAll(db.data())); err != nil {
		return err
	}
	return db.Relaunch(ctx)
}

// Promote makes a replica a primary. What it has received it applies before; what it
// has not is lost.
func (db *Postgres) Promote(ctx context.Context) error {
	if _, err := db.asks(ctx, db.Addr, "SELECT pg_promote(false)"); err != nil {
		return err
	}
	return db.sameSoon(ctx, "did not become a primary", func(ctx context.Context) (bool, error) {
		return db.asks(ctx, db.Addr, "SELECT NOT pg_is_in_recovery()")
	})
}

// InStep returns when a replica has everything that its primary has.
func (db *Postgres) InStep(ctx context.Context, primary string) error {
	ctx, cancel := context.WithTimeout(ctx, slowStartTime)
	defer cancel()
	var want string
	if err := scan(ctx, "postgres", db.DSN(primary), "SELECT pg_current_wal_lsn()", &want); err != nil {
		return err
	}
	return db.sameSoon(ctx, "did not come into step with its primary", func(ctx context.Context) (bool, error) {
		return db.asks(ctx, db.Addr, "SELECT coalesce(pg_last_wal_replay_lsn() >= '"+want+"', false)")
	})
}

// asks asks a server at that address a question that has yes or no for an answer.
func (db *Postgres) asks(ctx context.Context, addr, question string) (yes bool, err error) {
	err = scan(ctx, "postgres", db.DSN(addr), question, &yes)
	return yes, err
}
