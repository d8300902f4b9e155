package servers

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

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
}

// MariaDB is a running MariaDB server, which speaks MySQL's protocol.
type MariaDB struct{ *Server }

// mariaDatabase is the database that the server comes with.
const mariaDatabase = "lockstep"

// StartMariaDB makes a new database in a fresh directory, starts a server on it
// and returns when it answers.
func StartMariaDB(ctx context.Context, o MariaDBOptions) (*MariaDB, error) {
	if o.Name == "" {
		o.Name = "mariadb"
	}
	db := &MariaDB{newDatabase(o.Name, images.MariaDB, o.Launcher, o.Scratch)}
	if err := startDatabase(ctx, db.Server, db); err != nil {
		return nil, err
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
// recognised by.
func (db *MariaDB) recipe(port int) Recipe {
	return Recipe{
		Args: []string{
			"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port), "--report-host=" + db.mark,
			"--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--innodb-fast-shutdown=2",
			"--skip-log-bin", "--skip-name-resolve", "--performance-schema=OFF",
		},
		Child: db.child,
	}
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
	if _, err := os.Stat(db.data()); err == nil {
		return cmd, nil // it has run before
	}
	return cmd, db.install(ctx)
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
	out, err := osproc.Output(ctx, cmd)
	if err != nil {
		return fmt.Errorf("%s did not make a database: %w: %s", db.Name, err, lastLine(out))
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
	_, err = pool.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+mariaDatabase)
	return err
}
