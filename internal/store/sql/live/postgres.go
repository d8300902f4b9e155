package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"lockstep/internal/real/images"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	model "lockstep/internal/store/sql"
)

// postgres is a running PostgreSQL server.
type postgres struct{ database }

// postgresUser is the account of the operating system under which the server
// runs when the harness is root: PostgreSQL refuses to run as root.
const postgresUser = "postgres"

// launchPostgres makes a new database in a fresh directory, starts a server on it and returns when
// it answers. Replicas have to be child processes.
func launchPostgres(ctx context.Context, o livestore.Single) (livestore.Database, error) {
	if o.Replication != nil {
		own := *o.Replication // what it follows changes
		o.Replication = &own
	}
	db := &postgres{database{servers.New(o.Name, images.For(model.PostgresID), o.Launcher), o, connectPostgres, postgresDSN}}
	return db, servers.StartAlone(ctx, db.Server, servers.Alone{Recipe: db.recipe, Answers: db.answers, Quit: syscall.SIGQUIT})
}

// upstream is the address of its primary when its database is made; "" for a primary.
func (db *postgres) upstream() string {
	if db.asked.Replication == nil {
		return ""
	}
	return db.asked.Replication.Upstream
}

// recipe is a small server. cluster_name, which it only shows, has the mark that identifies it.
func (db *postgres) recipe(port int) servers.Recipe {
	args := []string{"-p", strconv.Itoa(port)}
	settings := []string{
		"listen_addresses=127.0.0.1", "cluster_name=" + db.Mark(), "fsync=off", "shared_buffers=8MB",
		"max_connections=50", "autovacuum=off", "logging_collector=off", "dynamic_shared_memory_type=mmap",
	}
	if db.asked.Idle > 0 {
		limit := strconv.FormatInt(max(db.asked.Idle.Milliseconds(), 1), 10) // 0 would be never
		settings = append(settings, "idle_session_timeout="+limit, "idle_in_transaction_session_timeout="+limit)
	}
	if db.asked.Replication != nil {
		settings = append(settings, postgresReplication...)
	}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return servers.Recipe{Args: args, Child: db.child, Family: true}
}

// child makes a database and the command line of a process that uses no other directory.
func (db *postgres) child(ctx context.Context) (*exec.Cmd, error) {
	cmd, err := servers.Child("postgres")(ctx)
	if err != nil {
		return nil, err
	}
	account, err := db.giveDir()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	cmd.Args = append(cmd.Args, "-D", db.data(), "-c", "unix_socket_directories=")
	if _, err := os.Stat(db.data()); err == nil {
		return cmd, nil // it has run before
	}
	return cmd, db.initialize(func() error { return db.init(ctx, account) })
}

// giveDir gives the server's directory to the account that it runs under; nil
// when that is the harness's own.
func (db *postgres) giveDir() (*syscall.Credential, error) {
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

// init makes the system tables. Everybody may connect: the server listens on the
// loopback interface only, and its directory is thrown away.
func (db *postgres) init(ctx context.Context, account *syscall.Credential) error {
	initdb, err := programs.Find("initdb")
	if err != nil {
		return err
	}
	cmd := exec.Command(initdb, "-D", db.data(), "-U", postgresUser,
		"--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--no-instructions", "--wal-segsize=1")
	cmd.Dir, cmd.SysProcAttr = db.Dir, &syscall.SysProcAttr{Credential: account}
	return db.Made(ctx, cmd, fmt.Sprintf("it may be that %s cannot be reached by the user %s", db.Dir, postgresUser))
}

// postgresDSN is the data source of an operator.
func postgresDSN(addr string) string {
	return "postgres://" + postgresUser + "@" + addr + "/postgres?sslmode=disable"
}

// answers tries one statement.
func (db *postgres) answers(ctx context.Context) error { return db.recognise(ctx, "SHOW cluster_name") }

// Evict implements livestore.Database: it ends the session with the advisory lock.
func (db *postgres) Evict(ctx context.Context, _ store.Entry) (bool, error) {
	ended, err := db.asks(ctx, db.Addr,
		"SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted")
	return ended.Num > 0, err
}

func init() { osproc.OnDiscard(removeSharedMemory) }

// removeSharedMemory removes the shared memory that a killed server or initdb has left. The
// file with its number does not exist when the server has removed it.
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
