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
		must.Equalf(t, osproc.StartTime(pid), "", "the process is still there")
	})
}

func TestAReplicaFollowsAndTakesOver(t *testing.T) {
	each(t, func(t *testing.T, d *livestore.Driver) {
		insert := func(db livestore.Database, row string) error {
			_, err := do(d, db, "INSERT INTO t VALUES ("+row+")")
			return err
		}
		rows := func(db livestore.Database) int64 {
			t.Helper()
			return must.Get(do(d, db, "SELECT COUNT(*) FROM t"))(t).Rows[0][0].Num
		}
		first := launch(t, d, livestore.Single{Replication: &livestore.Replication{Number: 1}})
		one := first.Listens()
		second := launch(t, d, livestore.Single{Replication: &livestore.Replication{Number: 2, Upstream: one}})
		must.Get(do(d, first, "CREATE TABLE t (id BIGINT PRIMARY KEY)"))(t)
		must.Do(t, insert(first, "1"))
		must.Do(t, second.InStep(t.Context(), one))
		must.Equalf(t, rows(second), 1, "the replica has … rows")
		if insert(second, "2") == nil {
			t.Error("a client could write to the replica")
		}
		must.Do(t, second.Promote(t.Context()))
		must.Do(t, insert(second, "2"))
		must.Do(t, insert(first, "3")) // a split brain: 1 and 3 here, 1 and 2 there
		must.Do(t, insert(first, "4"))
		must.Do(t, first.Kill())
		must.Do(t, first.Rejoin(t.Context(), second.Listens()))
		must.Do(t, first.InStep(t.Context(), second.Listens()))
		must.Equalf(t, rows(first), 2, "the old primary has … rows")
		if insert(first, "5") == nil {
			t.Error("a client could write to the old primary")
		}
		must.Do(t, first.Stop())
		must.Do(t, second.Stop())
	})
}
