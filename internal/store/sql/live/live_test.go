package live

import (
	"context"
	"errors"
	"os"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store"
	model "lockstep/internal/store/sql"
)

// each runs a test for MariaDB and PostgreSQL, and checks that servers leave nothing behind.
func each(t *testing.T, test func(t *testing.T, d *livestore.Driver)) {
	for _, id := range []store.ID{model.MySQLID, model.PostgresID} {
		t.Run(string(id), func(t *testing.T) {
			realtest.NeedServers(t, id)
			tmp, err := os.MkdirTemp("", "databases-*") // not t.TempDir: another user has to enter it
			if err == nil {
				err = os.Chmod(tmp, 0o711)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.TempDir() // so that later ones are not below tmp
			t.Setenv("TMPDIR", tmp)
			test(t, livestore.Of(id))
			if left, _ := os.ReadDir(tmp); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			_ = os.RemoveAll(tmp)
		})
	}
}

// launch starts a server, which is stopped at the end of the test.
func launch(t *testing.T, d *livestore.Driver, one livestore.Single) livestore.Database {
	t.Helper()
	one.Name = "db"
	db := must.Get(d.Launch(t.Context(), one))(t)
	t.Cleanup(func() { _ = db.Stop() })
	return db
}

// do executes a statement with a client.
func do(d *livestore.Driver, db livestore.Database, query string) (model.Result, error) {
	c, err := d.Operator(db.Endpoint(db.Listens()))
	if err != nil {
		return model.Result{}, err
	}
	got, err := c.Do(context.Background(), 0, model.Stmt{Query: query})
	res, _ := got.(model.Result)
	return res, errors.Join(err, c.Close())
}

func TestDatabasesComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, d *livestore.Driver) {
		db := launch(t, d, livestore.Single{})
		must.Get(do(d, db, "CREATE TABLE t (id BIGINT PRIMARY KEY)"))(t)
		pid := db.Pid()
		must.Do(t, db.Stop())
		if osproc.StartTime(pid) != "" {
			t.Error("the process is still there")
		}
	})
}

func TestAReplicaFollowsAndTakesOver(t *testing.T) {
	each(t, func(t *testing.T, d *livestore.Driver) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		insert := func(db livestore.Database, row string) error {
			_, err := do(d, db, "INSERT INTO t VALUES ("+row+")")
			return err
		}
		rows := func(db livestore.Database) int64 {
			t.Helper()
			res, err := do(d, db, "SELECT COUNT(*) FROM t")
			must(err)
			return res.Rows[0][0].Num
		}
		first := launch(t, d, livestore.Single{Replication: &livestore.Replication{Number: 1}})
		one := first.Listens()
		second := launch(t, d, livestore.Single{Replication: &livestore.Replication{Number: 2, Upstream: one}})
		_, err := do(d, first, "CREATE TABLE t (id BIGINT PRIMARY KEY)")
		must(err)
		must(insert(first, "1"))
		must(second.InStep(t.Context(), one))
		if n := rows(second); n != 1 {
			t.Errorf("the replica has %d rows, want 1", n)
		}
		if insert(second, "2") == nil {
			t.Error("a client could write to the replica")
		}
		must(second.Promote(t.Context()))
		must(insert(second, "2"))
		must(insert(first, "3")) // a split brain: 1 and 3 here, 1 and 2 there
		must(insert(first, "4"))
		must(first.Kill())
		must(first.Rejoin(t.Context(), second.Listens()))
		must(first.InStep(t.Context(), second.Listens()))
		if n := rows(first); n != 2 {
			t.Errorf("the old primary has %d rows, want the 2 of the new one", n)
		}
		if insert(first, "5") == nil {
			t.Error("a client could write to the old primary")
		}
		must(first.Stop())
		must(second.Stop())
	})
}
