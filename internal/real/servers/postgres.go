package servers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	_ "github.com/lib/pq" // the driver "postgres"

	"lockstep/internal/real/osproc"
)

// PostgresOptions says how to start a PostgreSQL server. The zero value is a
// server of its own with an empty database.
type PostgresOptions struct {
	Name    string          // in messages and as the name of its directory; "postgres" when empty
	Scratch *osproc.Scratch // where its directory goes; one of its own when nil
}

// Postgres is a running PostgreSQL server.
type Postgres struct{ *Server }

// postgresUser is the account of the operating system under which the server
// runs when the harness is root, which PostgreSQL refuses to be.
const postgresUser = "postgres"

// StartPostgres makes a new database in a fresh directory, starts a server on it
// and returns when it answers.
func StartPostgres(ctx context.Context, o PostgresOptions) (*Postgres, error) {
	if o.Name == "" {
		o.Name = "postgres"
	}
	program, err := Find("postgres")
	if err != nil {
		return nil, err
	}
	initdb, err := Find("initdb")
	if err != nil {
		return nil, err
	}
	db := &Postgres{&Server{Name: o.Name}}
	err = startDatabase(ctx, db.Server, o.Scratch, func(ctx context.Context, port int) error {
		account, err := db.giveDir()
		if err != nil {
			return err
		}
		if err := db.init(ctx, initdb, account); err != nil {
			return err
		}
		cmd := exec.Command(program, db.args(port)...)
		cmd.SysProcAttr = as(account)
		return db.launch(cmd, port)
	}, db.answers)
	if err != nil {
		return nil, err
	}
	return db, nil
}

// giveDir gives the server's directory to the account that it runs under; nil
// when that is the harness's own.
func (db *Postgres) giveDir() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup(postgresUser)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no user %s: %w: install the package postgresql, or do not be root", postgresUser, err)
	}
	uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
	// The directory above is the harness's: others may pass through it, not look.
	err = errors.Join(err1, err2, os.Chmod(filepath.Dir(db.Dir), 0o711), os.Chown(db.Dir, int(uid), int(gid)))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func as(account *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: account}
}

func (db *Postgres) data() string { return filepath.Join(db.Dir, "data") }

// init makes the system tables. Everybody may connect: the server listens on the
// loopback interface only, and its directory is thrown away.
func (db *Postgres) init(ctx context.Context, initdb string, account *syscall.Credential) error {
	cmd := exec.CommandContext(ctx, initdb, "-D", db.data(), "-U", postgresUser,
		"--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--no-instructions")
	cmd.Dir, cmd.SysProcAttr = db.Dir, as(account)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s did not make a database: %w: %s: it may be that %s cannot be reached by the user %s", db.Name, err, lastLine(out), db.Dir, postgresUser)
	}
	return nil
}

// args are the flags of a small server that keeps to its directory.
func (db *Postgres) args(port int) []string {
	args := []string{"-D", db.data(), "-p", strconv.Itoa(port)}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "shared_buffers=8MB",
		"max_connections=50", "autovacuum=off", "logging_collector=off", "dynamic_shared_memory_type=mmap",
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// DSN is what the driver wants to know to connect; addr is the server's own
// address, or that of a proxy before it.
func (db *Postgres) DSN(addr string) string {
	return "postgres://" + postgresUser + "@" + addr + "/postgres?sslmode=disable"
}

// answers tries one statement. It compares the directory: when somebody else has
// got the port, a foreign server may answer.
func (db *Postgres) answers(ctx context.Context) error {
	pool, err := sql.Open("postgres", db.DSN(db.Addr))
	if err != nil {
		return err
	}
	defer pool.Close()
	var dir string
	if err := pool.QueryRowContext(ctx, "SHOW data_directory").Scan(&dir); err != nil {
		return err
	}
	if filepath.Clean(dir) != db.data() {
		return errPortTaken
	}
	return nil
}

// Stop ends the server and removes its directory. It may be called twice. The
// server gets a moment to give its shared memory back, which the operating system
// would keep after a SIGKILL.
func (db *Postgres) Stop() error {
	if db.process != nil {
		_ = db.Thaw()                               // it may be dead or running
		_ = syscall.Kill(db.Pid(), syscall.SIGQUIT) // the same
		select {
		case <-db.Done():
		case <-time.After(2 * time.Second):
		}
	}
	return db.Server.Stop()
}
