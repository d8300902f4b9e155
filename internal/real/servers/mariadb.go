package servers

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// MariaDBOptions says how to start a MariaDB server. The zero value is a server
// of its own with an empty database.
type MariaDBOptions struct {
	Name     string          // in messages and as the name of its directory; "mariadb" when empty
	Scratch  *osproc.Scratch // where its directory goes; one of its own when nil
	Launcher Launcher        // where it runs; as a child with a directory in Scratch when nil
	// Replication is what it shares with others; nil for a server that is alone.
	Replication *Replication
	Upstream    string // host:port at which it reaches its primary; "" for a primary
	Clock       bool   // SetClock will be called; it needs libfaketime
	// IdleTimeout is how long a session may say nothing, in whole seconds; 0: for as long as
	// the server can wait.
	IdleTimeout time.Duration
}

// MariaDB is a running MariaDB server, which speaks MySQL's protocol.
type MariaDB struct {
	*Server
	replication *Replication
	number      int // by which it is known in the logs of the others
	idle        time.Duration
}

// mariaDatabase is the database that the server comes with.
const mariaDatabase = "lockstep"

// StartMariaDB makes a new database in a fresh directory, starts a server on it
// and returns when it answers.
func StartMariaDB(ctx context.Context, o MariaDBOptions) (*MariaDB, error) {
	if o.Name == "" {
		o.Name = "mariadb"
	}
	db := &MariaDB{newDatabase(o.Name, images.MariaDB, o.Launcher, o.Scratch), o.Replication, 0, o.IdleTimeout}
	if o.Replication != nil {
		db.number = o.Replication.Number
	}
	if o.Clock {
		if _, child := db.launcher.(children); !child {
			return nil, errors.New("the clock of " + db.Name + " can only be set when it runs as a child process")
		}
		db.clock = &clock{}
	}
	if err := startDatabase(ctx, db.Server, db); err != nil {
		return nil, errors.Join(err, db.forgetClock())
	}
	if o.Upstream != "" {
		if err := db.Follow(ctx, o.Upstream); err != nil {
			return nil, errors.Join(err, db.Stop())
		}
	}
	return db, nil
}

// DSN is what the driver wants to know to connect; addr is the server's own
// address, or that of a proxy before it. Arguments are put into the text of the
// statement, so that each statement is one request.
func (db *MariaDB) DSN(addr string) string { return mariaDSN(addr, mariaDatabase) }

func mariaDSN(addr, database string) string {
	return "root@tcp(" + addr + ")/" + database + "?interpolateParams=true"
}

// recipe is a small server. report-host, of use to replicas only, is what it is
// recognised by. It does not wait for the disk: what it has written survives its death,
// if not that of the machine.
func (db *MariaDB) recipe(port int) Recipe {
	args := []string{
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port), "--report-host=" + db.mark,
		"--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--innodb-fast-shutdown=2",
		"--innodb-flush-method=nosync", "--debug-no-sync", "--skip-name-resolve", "--performance-schema=OFF",
		"--wait-timeout=" + strconv.FormatInt(db.waitTimeout(), 10),
	}
	if db.replication == nil {
		args = append(args, "--skip-log-bin")
	} else {
		args = append(args, mariaReplication(db.replication)...)
	}
	return Recipe{Args: args, Child: db.child}
}

// waitTimeout is the server's wait_timeout. It counts from the end of a statement to the
// beginning of the next one, in a transaction as well.
func (db *MariaDB) waitTimeout() int64 {
	const longest = 31_536_000 // a year
	if db.idle == 0 {
		return longest
	}
	return int64(db.idle / time.Second)
}

// child makes a database and the command line of a process that keeps to its
// directory.
func (db *MariaDB) child(ctx context.Context) (*exec.Cmd, error) {
	cmd, err := childOf("", "mariadbd")
	if err != nil {
		return nil, err
	}
	cmd.Args = append(cmd.Args, "--no-defaults", "--datadir="+db.data(), "--tmpdir="+db.Dir,
		"--socket=s.sock", // below datadir: the whole path may be longer than a socket may have
		"--pid-file="+filepath.Join(db.Dir, "pid"))
	cmd.Args = append(cmd.Args, userFlag()...)
	if db.clock != nil {
		if err := db.underFaketime(cmd); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(db.data()); err == nil {
		return cmd, nil // it has run before
	}
	return cmd, db.replication.furnish(db.data(), func() error { return db.install(ctx) })
}

func (db *MariaDB) underFaketime(cmd *exec.Cmd) error {
	settings, err := db.clock.begin(db.place)
	if err != nil {
		return err
	}
	cmd.Env = os.Environ()
	for name, value := range settings {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return underFaketime(cmd, true)
}

// install makes the system tables. The account root has no password: the server
// listens on the loopback interface only, and its directory is thrown away.
func (db *MariaDB) install(ctx context.Context) error {
	installer, err := Find("mariadb-install-db")
	if err != nil {
		return err
	}
	args := []string{
		"--no-defaults", "--datadir=" + db.data(), "--auth-root-authentication-method=normal",
		"--skip-test-db", "--innodb-log-file-size=4M",
	}
	cmd := exec.Command(installer, append(args, userFlag()...)...)
	cmd.Dir, cmd.Env = db.Dir, append(os.Environ(), "TMPDIR="+db.Dir)
	began := time.Now()
	out, err := osproc.Output(ctx, cmd)
	if err != nil {
		return db.notMade(began, err, out, "free memory and disk space")
	}
	return nil
}

func (db *MariaDB) data() string { return filepath.Join(db.Dir, "data") }

// userFlag lets the programs run as root, who they refuse to be without being told.
func userFlag() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// answers tries one statement.
func (db *MariaDB) answers(ctx context.Context) error {
	config, err := mysql.ParseDSN(mariaDSN(db.Addr, ""))
	if err != nil {
		return err
	}
	config.Logger = &mysql.NopLogger{} // it is not there yet, which is no news
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	pool := sql.OpenDB(connector)
	defer pool.Close()
	var mark string
	if err := pool.QueryRowContext(ctx, "SELECT @@report_host").Scan(&mark); err != nil {
		return err
	}
	if mark != db.mark {
		return errPortTaken
	}
	for _, statement := range []string{
		"CREATE DATABASE IF NOT EXISTS " + mariaDatabase,
		"CREATE USER IF NOT EXISTS " + mariaClient + "@'%'",
		"GRANT ALL ON " + mariaDatabase + ".* TO " + mariaClient + "@'%'",
	} {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if db.clock == nil {
		return nil
	}
	return errors.Join(db.forgetClock(), db.calibrate(ctx, func(ctx context.Context) (time.Time, error) {
		var micros int64
		err := pool.QueryRowContext(ctx, "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS INT)").Scan(&micros)
		return time.UnixMicro(micros), err
	}))
}

// forgetClock removes what libfaketime has put into shared memory at the server's start.
func (db *MariaDB) forgetClock() error {
	if db.clock == nil || db.process == nil {
		return nil
	}
	return removeShared(db.Pid())
}

// Relaunch is that of every server; one with a clock has to answer besides, to be asked
// what it shows.
func (db *MariaDB) Relaunch(ctx context.Context) error {
	err := db.Server.Relaunch(ctx)
	if err == nil && db.clock != nil {
		err = db.waitAnswer(ctx, db.answers)
	}
	return err
}
