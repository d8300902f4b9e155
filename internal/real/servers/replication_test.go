package servers_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// follower is what a test wants of a database that can be a replica.
type follower interface {
	database
	DSN(addr string) string
	ClientDSN(addr string) string
	Kill() error
	Rejoin(ctx context.Context, primary string) error
	Promote(context.Context) error
	InStep(ctx context.Context, primary string) error
}

func TestAReplicaFollowsAndTakesOver(t *testing.T) {
	tests := []struct {
		program, driver string
		start           func(r servers.Replication, upstream string) (follower, string, error)
	}{
		{"mariadbd", "mysql", func(r servers.Replication, upstream string) (follower, string, error) {
			db, err := servers.StartMariaDB(context.Background(), servers.MariaDBOptions{Replication: &r, Upstream: upstream})
			if err != nil {
				return nil, "", err
			}
			return db, db.Addr, nil
		}},
		{"postgres", "postgres", func(r servers.Replication, upstream string) (follower, string, error) {
			db, err := servers.StartPostgres(context.Background(), servers.PostgresOptions{Replication: &r, Upstream: upstream})
			if err != nil {
				return nil, "", err
			}
			return db, db.Addr, nil
		}},
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			realtest.Need(t, tt.program)
			tmp, err := os.MkdirTemp("", "replicas-*") // as for TestDatabasesComeAndGo
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(tmp) })
			if err := os.Chmod(tmp, 0o711); err != nil {
				t.Fatal(err)
			}
			pristine := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			begin := func(number int, upstream string) (follower, string) {
				t.Helper()
				began := time.Now()
				db, addr, err := tt.start(servers.Replication{Number: number, Pristine: pristine}, upstream)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Stop() })
				t.Logf("server %d is ready after %v", number, time.Since(began))
				return db, addr
			}
			do := func(dsn, statement string) error {
				pool, err := sql.Open(tt.driver, dsn)
				if err != nil {
					t.Fatal(err)
				}
				defer pool.Close()
				_, err = pool.Exec(statement)
				return err
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			rows := func(db follower, addr string) (n int) {
				t.Helper()
				pool, err := sql.Open(tt.driver, db.DSN(addr))
				must(err)
				defer pool.Close()
				must(pool.QueryRow("SELECT COUNT(*) FROM t").Scan(&n))
				return n
			}
			first, one := begin(1, "")
			second, two := begin(2, one)
			must(do(first.DSN(one), "CREATE TABLE t (id BIGINT PRIMARY KEY)"))
			must(do(first.ClientDSN(one), "INSERT INTO t VALUES (1)"))
			must(second.InStep(t.Context(), one))
			if n := rows(second, two); n != 1 {
				t.Errorf("the replica has %d rows, want 1", n)
			}
			if err := do(second.ClientDSN(two), "INSERT INTO t VALUES (2)"); err == nil {
				t.Error("a client could write to the replica")
			}
			began := time.Now()
			must(second.Promote(t.Context()))
			t.Logf("promoted after %v", time.Since(began))
			must(do(second.ClientDSN(two), "INSERT INTO t VALUES (2)"))
			must(do(first.ClientDSN(one), "INSERT INTO t VALUES (3)")) // a split brain: 1 and 3 here, 1 and 2 there
			must(do(first.ClientDSN(one), "INSERT INTO t VALUES (4)"))
			must(first.Kill())
			began = time.Now()
			must(first.Rejoin(t.Context(), two))
			must(first.InStep(t.Context(), two))
			t.Logf("the old primary is a replica after %v", time.Since(began))
			if n := rows(first, one); n != 2 {
				t.Errorf("the old primary has %d rows, want the 2 of the new one", n)
			}
			if err := do(first.ClientDSN(one), "INSERT INTO t VALUES (5)"); err == nil {
				t.Error("a client could write to the old primary")
			}
			must(first.Stop())
			must(second.Stop())
			if left, _ := os.ReadDir(tmp); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
