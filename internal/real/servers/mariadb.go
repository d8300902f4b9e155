package servers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"lockstep/internal/real/osproc"
)

// MariaDBOptions says how to start a MariaDB server. The zero value is a server
// of its own with an empty database.
type MariaDBOptions struct {
	Name    string          // in messages and as the name of its directory; "mariadb" when empty
	Scratch *osproc.Scratch // where its directory goes; one of its own when nil
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
	daemon, err := Find("mariadbd")
	if err != nil {
		return nil, err
	}
	installer, err := Find("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	db := &MariaDB{&Server{Name: o.Name}}
	err = startDatabase(ctx, db.Server, o.Scratch, func(ctx context.Context, port int) error {
		if err := db.install(ctx, installer); err != nil {
			return err
		}
		return db.launch(exec.Command(daemon, db.args(port)...), port)
	}, db.answers)
	if err != nil {
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

// install makes the system tables. The account root has no password: the server
// listens on the loopback interface only, and its directory is thrown away.
func (db *MariaDB) install(ctx context.Context, installer string) error {
	args := []string{
		"--no-defaults", "--datadir=" + db.data(), "--auth-root-authentication-method=normal",
		"--skip-test-db", "--innodb-log-file-size=4M",
	}
	out, err := exec.CommandContext(ctx, installer, append(args, userFlag()...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s did not make a database: %w: %s", db.Name, err, lastLine(out))
	}
	return nil
}

func (db *MariaDB) data() string { return filepath.Join(db.Dir, "data") }

// args are the flags of a small server that keeps to its directory.
func (db *MariaDB) args(port int) []string {
	args := []string{
		"--no-defaults", "--datadir=" + db.data(),
		"--socket=" + filepath.Join(db.Dir, "s.sock"), "--pid-file=" + filepath.Join(db.Dir, "pid"),
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(port),
		"--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--innodb-fast-shutdown=2",
		"--skip-log-bin", "--skip-name-resolve", "--performance-schema=OFF",
	}
	return append(args, userFlag()...)
}

// userFlag lets the programs run as root, who they refuse to be without being told.
func userFlag() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// answers tries one statement. It compares the directory: when somebody else has
// got the port, a foreign server may answer.
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
	var dir string
	if err := pool.QueryRowContext(ctx, "SELECT @@datadir").Scan(&dir); err != nil {
		return err
	}
	if filepath.Clean(dir) != db.data() {
		return errPortTaken
	}
	_, err = pool.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+mariaDatabase)
	return errors.Join(err)
}
