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
	"strings"
	"syscall"
	"time"

	_ "github.com/lib/pq" // the driver "postgres"

	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
)

// PostgresOptions says how to start a PostgreSQL server. The zero value is a
// server of its own with an empty database.
type PostgresOptions struct {
	Name     string          // in messages and as the name of its directory; "postgres" when empty
	Scratch  *osproc.Scratch // where its directory goes; one of its own when nil
	Launcher Launcher        // where it runs; as a child with a directory in Scratch when nil
	// Replication is what it shares with others; nil for a server that is alone. They
	// have to be child processes.
	Replication *Replication
	Upstream    string // host:port at which it reaches its primary; "" for a primary
	// IdleTimeout is how long a session may say nothing, in or out of a transaction, in
	// whole milliseconds; 0: for ever.
	IdleTimeout time.Duration
}

// Postgres is a running PostgreSQL server.
type Postgres struct {
	*Server
	replication *Replication
	upstream    string // as Upstream; what it follows when its database is made
	idle        time.Duration
}

// postgresUser is the account of the operating system under which the server
// runs when the harness is root, which PostgreSQL refuses to be.
const postgresUser = "postgres"

// StartPostgres makes a new database in a fresh directory, starts a server on it
// and returns when it answers.
func StartPostgres(ctx context.Context, o PostgresOptions) (*Postgres, error) {
	if o.Name == "" {
		o.Name = "postgres"
	}
	db := &Postgres{newDatabase(o.Name, images.Postgres, o.Launcher, o.Scratch), o.Replication, o.Upstream, o.IdleTimeout}
	if err := startDatabase(ctx, db.Server, db); err != nil {
		return nil, err
	}
	return db, nil
}

// recipe is a small server. cluster_name, which it only shows, is what it is
// recognised by.
func (db *Postgres) recipe(port int) Recipe {
	args := []string{"-p", strconv.Itoa(port)}
	settings := []string{
		"listen_addresses=127.0.0.1", "cluster_name=" + db.mark, "fsync=off", "shared_buffers=8MB",
		"max_connections=50", "autovacuum=off", "logging_collector=off", "dynamic_shared_memory_type=mmap",
	}
	if db.idle > 0 {
		limit := strconv.FormatInt(max(db.idle.Milliseconds(), 1), 10) // 0 would be never
		settings = append(settings, "idle_session_timeout="+limit, "idle_in_transaction_session_timeout="+limit)
	}
	if db.replication != nil {
		settings = append(settings, postgresReplication...)
	}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return Recipe{Args: args, Child: db.child, Family: true}
}

// child makes a database and the command line of a process that keeps to its
// directory.
func (db *Postgres) child(ctx context.Context) (*exec.Cmd, error) {
	cmd, err := childOf("", "postgres")
	if err != nil {
		return nil, err
	}
	account, err := db.giveDir()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = as(account)
	cmd.Args = append(cmd.Args, "-D", db.data(), "-c", "unix_socket_directories=")
	if _, err := os.Stat(db.data()); err == nil {
		return cmd, nil // it has run before
	}
	return cmd, db.furnish(func() error { return db.init(ctx, account) })
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
func (db *Postgres) init(ctx context.Context, account *syscall.Credential) error {
	initdb, err := Find("initdb")
	if err != nil {
		return err
	}
	cmd := exec.Command(initdb, "-D", db.data(), "-U", postgresUser,
		"--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--no-instructions", "--wal-segsize=1")
	cmd.Dir, cmd.SysProcAttr = db.Dir, as(account)
	began := time.Now()
	out, err := osproc.Output(ctx, cmd)
	if err != nil {
		return db.notMade(began, err, out, fmt.Sprintf("it may be that %s cannot be reached by the user %s", db.Dir, postgresUser))
	}
	return nil
}

// DSN is what the driver wants to know to connect; addr is the server's own
// address, or that of a proxy before it.
func (db *Postgres) DSN(addr string) string {
	return "postgres://" + postgresUser + "@" + addr + "/postgres?sslmode=disable"
}

// answers tries one statement.
func (db *Postgres) answers(ctx context.Context) error {
	// The driver does not look at ctx while it waits for the first word of a server.
	pool, err := sql.Open("postgres", db.DSN(db.Addr)+"&connect_timeout=2")
	if err != nil {
		return err
	}
	defer pool.Close()
	var mark string
	if err := pool.QueryRowContext(ctx, "SHOW cluster_name").Scan(&mark); err != nil {
		return err
	}
	if mark != db.mark {
		return errPortTaken
	}
	return nil
}

// Stop ends the server and removes its place. It may be called twice. The server gets
// a moment to end by itself.
func (db *Postgres) Stop() error {
	if db.process != nil && !db.ended() {
		_ = db.Thaw()                          // it may have ended by now
		_ = db.process.Signal(syscall.SIGQUIT) // the same
		select {
		case <-db.Done():
		case <-time.After(2 * time.Second):
		}
	}
	return errors.Join(db.Kill(), db.Server.Stop())
}

func init() { osproc.OnDiscard(removeSharedMemory) }

// removeSharedMemory removes what a killed server has left in the kernel, initdb's own
// ones among them. The file that tells its number is gone when it has removed it itself.
func removeSharedMemory(dir string) error {
	raw, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lines := strings.Split(string(raw), "\n")
	const line = 6 // the key and the number
	if err != nil || len(lines) <= line {
		return err
	}
	if words := strings.Fields(lines[line]); len(words) == 2 {
		id, err := strconv.Atoi(words[1])
		return errors.Join(err, osproc.RemoveSharedMemory(id))
	}
	return nil
}
