package servers_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// database is what a test wants of either server.
type database interface {
	Pid() int
	Stop() error
}

func TestDatabasesComeAndGo(t *testing.T) {
	tests := []struct {
		program, driver string
		start           func(context.Context) (db database, dsn string, err error)
	}{
		{"mariadbd", "mysql", func(ctx context.Context) (database, string, error) {
			db, err := servers.StartMariaDB(ctx, servers.MariaDBOptions{})
			if err != nil {
				return nil, "", err
			}
			return db, db.DSN(db.Addr), nil
		}},
		{"postgres", "postgres", func(ctx context.Context) (database, string, error) {
			db, err := servers.StartPostgres(ctx, servers.PostgresOptions{})
			if err != nil {
				return nil, "", err
			}
			return db, db.DSN(db.Addr), nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			realtest.Need(t, tt.program)
			// Not t.TempDir: another user has to be able to pass through it.
			tmp, err := os.MkdirTemp("", "databases-*")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(tmp) })
			if err := os.Chmod(tmp, 0o711); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", tmp)
			began := time.Now()
			db, dsn, err := tt.start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer db.Stop()
			t.Logf("ready after %v", time.Since(began))
			pool, err := sql.Open(tt.driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			if _, err := pool.Exec("CREATE TABLE t (id BIGINT PRIMARY KEY)"); err != nil {
				t.Fatal(err)
			}
			if err := pool.Close(); err != nil {
				t.Fatal(err)
			}
			if err := db.Stop(); err != nil {
				t.Fatal(err)
			}
			if osproc.StartTime(db.Pid()) != "" {
				t.Error("the process is still there")
			}
			if left, _ := os.ReadDir(tmp); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
