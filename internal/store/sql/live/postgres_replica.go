package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// Endpoint implements livestore.Database: the operator's, since no account can write to a replica
// of PostgreSQL.
func (db *postgres) Endpoint(addr string) string { return db.dsn(addr) }

// postgresReplication are the options of servers that replicate, or may do so later. They
// keep their whole log, for replicas that start from scratch; a primary that refused is
// asked again soon; and a partition of more than a minute breaks no connection.
var postgresReplication = []string{
	"wal_keep_size=1GB", "wal_retrieve_retry_interval=20ms", "wal_sender_timeout=0", "wal_receiver_timeout=0",
	"max_connections=100", // as in the pristine database: a replica must not have fewer
}

// initialize makes the database: of a replica, one that waits for what its primary sends.
func (db *postgres) initialize(install func() error) error {
	if err := initDatabase("postgres", db.data(), install); err != nil || db.upstream() == "" {
		return err
	}
	return errors.Join(
		db.write("standby.signal", ""),
		db.write("postgresql.auto.conf", "primary_conninfo = '"+conninfo(db.upstream())+"'\n"))
}

// write makes a file in the database, with the owner of the database.
func (db *postgres) write(name, text string) error {
	path := filepath.Join(db.data(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("%s cannot be made a replica: %w: free some space", db.Name, err)
	}
	return likewise(filepath.Join(db.data(), "PG_VERSION"), path)
}

// conninfo is the address of a primary in the form of primary_conninfo.
func conninfo(primary string) string {
	host, port, _ := net.SplitHostPort(primary)
	return "host=" + host + " port=" + port + " user=" + postgresUser
}

// Follow implements livestore.Database.
func (db *postgres) Follow(ctx context.Context, primary string) error {
	return db.execute(ctx, "ALTER SYSTEM SET primary_conninfo = '"+conninfo(primary)+"'", "SELECT pg_reload_conf()")
}

// Rejoin implements livestore.Database.
func (db *postgres) Rejoin(ctx context.Context, primary string) error {
	db.asked.Replication.Upstream = primary
	if err := errors.Join(removeSharedMemory(db.Dir), os.RemoveAll(db.data())); err != nil {
		return err
	}
	return db.Relaunch(ctx)
}

// Promote implements livestore.Database.
func (db *postgres) Promote(ctx context.Context) error {
	if _, err := db.yes(ctx, "SELECT pg_promote(false)"); err != nil {
		return err
	}
	return db.Soon(ctx, "did not become a primary", func(ctx context.Context) (bool, error) {
		return db.yes(ctx, "SELECT NOT pg_is_in_recovery()")
	})
}

// InStep implements livestore.Database.
func (db *postgres) InStep(ctx context.Context, primary string) error {
	want, err := db.asks(ctx, primary, "SELECT pg_current_wal_lsn()")
	if err != nil {
		return err
	}
	return db.Soon(ctx, "did not come into step with its primary", func(ctx context.Context) (bool, error) {
		return db.yes(ctx, "SELECT coalesce(pg_last_wal_replay_lsn() >= '"+want.Text+"', false)")
	})
}

// yes asks the server a question whose answer is yes or no.
func (db *postgres) yes(ctx context.Context, question string) (bool, error) {
	answer, err := db.asks(ctx, db.Addr, question)
	return answer.Num != 0, err
}
