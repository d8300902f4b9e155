package live

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"lockstep/internal/real/images"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	model "lockstep/internal/store/sql"
)

// mariaDB is a running MariaDB server, which speaks MySQL's protocol.
type mariaDB struct {
	database
	number int // its server_id, which identifies it in the logs of the others
}

// mariaDatabase is the name of the database for the locks.
const mariaDatabase = "lockstep"

// launchMariaDB makes a new database in a fresh directory, starts a server on it and returns when
// it answers.
func launchMariaDB(ctx context.Context, o livestore.Single) (livestore.Database, error) {
	db := &mariaDB{database: database{servers.New(o.Name, images.For(model.MySQLID), o.Launcher), o, connectMySQL, mariaDSN}}
	start := servers.Alone{Recipe: db.recipe, Answers: db.answers}
	if o.Clock {
		start.Clock, start.Threads = db.shows, true
	}
	if o.Replication != nil {
		db.number = o.Replication.Number
	}
	err := servers.StartAlone(ctx, db.Server, start)
	if err == nil && o.Replication != nil && o.Replication.Upstream != "" {
		if err = db.OrDied(db.Follow(ctx, o.Replication.Upstream)); err != nil {
			err = errors.Join(err, db.Stop())
		}
	}
	return db, err
}

// mariaDSN is the data source of an operator.
func mariaDSN(addr string) string { return "root@tcp(" + addr + ")/" }

// recipe is a small server. report-host, which only replicas use, has the mark that
// identifies it. It does not wait for the disk: its writes survive its death, but not
// that of the machine.
func (db *mariaDB) recipe(port int) servers.Recipe {
	args := []string{
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port), "--report-host=" + db.Mark(),
		"--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--innodb-fast-shutdown=2",
		"--innodb-flush-method=nosync", "--debug-no-sync", "--skip-name-resolve", "--performance-schema=OFF",
		"--wait-timeout=" + strconv.FormatInt(db.waitTimeout(), 10),
	}
	if db.asked.Replication == nil {
		args = append(args, "--skip-log-bin")
	} else {
		args = append(args, mariaReplication(db.asked.Replication)...)
	}
	return servers.Recipe{Args: args, Child: db.child}
}

// waitTimeout is the server's wait_timeout. It counts from the end of a statement to the
// beginning of the next one, in a transaction as well.
func (db *mariaDB) waitTimeout() int64 {
	const longest = 31_536_000 // a year
	if idle := int64(db.asked.Idle.Round(time.Second) / time.Second); idle > 0 {
		return idle
	}
	return longest
}

// child makes a database and the command line of a process that uses no other directory.
func (db *mariaDB) child(ctx context.Context) (*exec.Cmd, error) {
	cmd, err := servers.Child("mariadbd")(ctx)
	if err != nil {
		return nil, err
	}
	cmd.Args = append(cmd.Args, "--no-defaults", "--datadir="+db.data(), "--tmpdir="+db.Dir,
		"--socket=s.sock", // below datadir: the whole path may be longer than a socket may have
		"--pid-file="+filepath.Join(db.Dir, "pid"))
	cmd.Args = append(cmd.Args, userFlag()...)
	if _, err := os.Stat(db.data()); err == nil {
		return cmd, nil // it has run before
	}
	return cmd, initDatabase("mariadbd", db.data(), func() error { return db.install(ctx) })
}

// install makes the system tables. The account root has no password: the server
// listens on the loopback interface only, and its directory is thrown away.
func (db *mariaDB) install(ctx context.Context) error {
	installer, err := programs.Find("mariadb-install-db")
	if err != nil {
		return err
	}
	args := []string{
		"--no-defaults", "--datadir=" + db.data(), "--auth-root-authentication-method=normal",
		"--skip-test-db", "--innodb-log-file-size=4M",
	}
	cmd := exec.Command(installer, append(args, userFlag()...)...)
	cmd.Dir, cmd.Env = db.Dir, append(os.Environ(), "TMPDIR="+db.Dir)
	return db.Made(ctx, cmd, "free memory and disk space")
}

// userFlag lets the programs run as root, which they refuse without the flag.
func userFlag() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// answers tries one statement, and makes what clients need.
func (db *mariaDB) answers(ctx context.Context) error {
	if err := db.recognise(ctx, "SELECT @@report_host"); err != nil {
		return err
	}
	return db.execute(ctx,
		"CREATE DATABASE IF NOT EXISTS "+mariaDatabase, "CREATE USER IF NOT EXISTS "+mariaClient+"@'%'",
		"GRANT ALL ON "+mariaDatabase+".* TO "+mariaClient+"@'%'")
}

// shows asks the server what its clock shows.
func (db *mariaDB) shows(ctx context.Context) (time.Time, error) {
	micros, err := db.asks(ctx, db.Addr, "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS INT)")
	return time.UnixMicro(micros.Num), err
}

// Evict implements livestore.Database: it ends the session with the named lock, or with a locked
// row; else it deletes the row that is the lock.
func (db *mariaDB) Evict(ctx context.Context, e store.Entry) (found bool, err error) {
	session, err := db.asks(ctx, db.Addr, "SELECT CAST(COALESCE(IS_USED_LOCK('"+e.Key+"'), (SELECT MIN(trx_mysql_thread_id) "+
		"FROM information_schema.INNODB_TRX WHERE trx_rows_locked > 0 AND trx_state = 'RUNNING')) AS INT)")
	switch {
	case err != nil:
		return false, err
	case !session.Null:
		return true, db.execute(ctx, "KILL "+strconv.FormatInt(session.Num, 10))
	case e.Table == "":
		return false, nil
	}
	removed, err := db.asks(ctx, db.Addr, "DELETE FROM "+mariaDatabase+"."+e.Table+" WHERE "+e.Name+" = '"+e.Key+"' RETURNING TRUE")
	return !removed.Null, err
}
