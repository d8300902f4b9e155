package servers_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/etcd"
	_ "lockstep/internal/store/live"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/sql"
	"lockstep/internal/store/zookeeper"
)

// kind is a kind of servers that can be started.
type kind struct {
	program string
	store   store.ID
	port    *regexp.Regexp // finds the port in the arguments or the configuration of the program
}

// kinds are all of them; the databases are at the end.
var kinds = []kind{
	{"redis-server", redis.ID, regexp.MustCompile(`--port (\d+)`)},
	{"etcd", etcd.ID, regexp.MustCompile(`--listen-client-urls http://127.0.0.1:(\d+)`)},
	{"java", zookeeper.ID, regexp.MustCompile(`clientPort=(\d+)`)},
	{"mariadbd", sql.MySQLID, regexp.MustCompile(`--port=(\d+)`)},
	{"postgres", sql.PostgresID, regexp.MustCompile(`-p (\d+)`)},
}

// start starts one server.
func (k *kind) start(ctx context.Context) (s servers.Running, addr string, err error) {
	d := livestore.Of(k.store)
	switch {
	case d == nil:
		var one *servers.Server
		if one, err = servers.StartRedis(ctx, servers.RedisOptions{}); err == nil {
			s, addr = one, one.Addr
		}
	case d.Launch != nil:
		var one livestore.Database
		if one, err = d.Launch(ctx, livestore.Single{Name: string(k.store)}); err == nil {
			s, addr = one, one.Listens()
		}
	default:
		var all []*servers.Server
		if all, err = d.Start(ctx, livestore.Wish{}); err == nil {
			s, addr = all[0], all[0].Addr
		}
	}
	return s, addr, err
}

// instead puts a script in the place of a program. script gets the path of the real program, and a
// directory for messages to the test.
func instead(t *testing.T, program string, script func(actual, talk string) string) (talk string) {
	t.Helper()
	actual := must.Get(programs.Find(program))(t)
	bin, err := os.MkdirTemp("", "instead-*") // not t.TempDir: PostgreSQL's user has to reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(bin) })
	talk = filepath.Join(bin, "talk")
	must.Do(t, errors.Join(os.Chmod(bin, 0o755), os.Mkdir(talk, 0o700), os.Chmod(talk, 0o777),
		os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\n"+script(actual, talk)), 0o755)))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return talk
}

// empty gives the test a directory for temporary files, and checks at its end that
// nothing is in it.
func empty(t *testing.T) {
	t.Helper()
	tmp := must.Get(os.MkdirTemp("", "servers-*"))(t)
	must.Do(t, os.Chmod(tmp, 0o711))
	t.Setenv("TMPDIR", tmp)
	t.Cleanup(func() {
		if left, _ := os.ReadDir(tmp); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
		_ = os.RemoveAll(tmp)
	})
}

// forwarding is the beginning of a script that only serves in the place of a server: it runs the
// real program when that makes a database or prints its version.
const forwarding = `case "$*" in *--boot*|*--bootstrap*|*--single*|-V|--version|*--help*) exec %s "$@";; esac
`

// At the first attempt another process takes the chosen port before the server binds it.
func TestAPortThatIsTakenMeanwhile(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.program, func(t *testing.T) {
			realtest.NeedServers(t, kind.store)
			talk := instead(t, kind.program, func(actual, talk string) string {
				return fmt.Sprintf(forwarding, actual) + fmt.Sprintf(`if mkdir %[2]s/first 2>/dev/null; then
  { echo "$@"; cat zoo.cfg 2>/dev/null; } > %[2]s/told.new; mv %[2]s/told.new %[2]s/told
  while [ ! -e %[2]s/taken ]; do sleep 0.01; done
fi
exec %[1]s "$@"
`, actual, talk)
			})
			empty(t)
			taken := make(chan string, 1)
			go func() { taken <- take(t, talk, kind.port) }()
			s, addr, err := kind.start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if first := <-taken; first == addr {
				t.Errorf("it answers on %s, which is taken", addr)
			}
			must.Do(t, s.Stop())
		})
	}
}

// take takes the port that a server is to listen on, until the end of the test.
func take(t *testing.T, talk string, port *regexp.Regexp) (addr string) {
	var told []byte
	if !realtest.Soon(2*time.Minute, func() bool { // a database is made first
		var err error
		told, err = os.ReadFile(filepath.Join(talk, "told"))
		return err == nil
	}) {
		t.Error("the server was never started")
		return ""
	}
	m := port.FindSubmatch(told)
	if m == nil {
		t.Errorf("no port in %q", told)
		return ""
	}
	addr = "127.0.0.1:" + string(m[1])
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Error(err)
		return ""
	}
	t.Cleanup(func() { l.Close() })
	must.Do(t, os.WriteFile(filepath.Join(talk, "taken"), nil, 0o600))
	return addr
}

// fails starts a server whose program is a script that fails, and checks the error.
func (k *kind) fails(t *testing.T, script string, want ...string) {
	t.Run(k.program, func(t *testing.T) {
		realtest.NeedServers(t, k.store)
		instead(t, k.program, func(actual, _ string) string { return fmt.Sprintf(forwarding, actual) + script })
		empty(t)
		_, _, err := k.start(t.Context())
		saysAll(t, err, want...)
	})
}

// The error names the last line of the log, and what to do.
func TestAServerThatEndsAtOnceSaysWhy(t *testing.T) {
	for _, kind := range kinds {
		kind.fails(t, "echo 'one thing'; echo 'the moon is full' >&2; exit 3\n",
			"ended at its start (exit status 3)", "the moon is full", "free memory and disk space")
	}
}

// After a few attempts, a port that is always taken is an error. (Each attempt of a database makes
// a new one first, which takes its time, and runs the same code.)
func TestPortsThatAreAlwaysTaken(t *testing.T) {
	for _, kind := range kinds[:3] {
		kind.fails(t, "echo 'bind: Address already in use, address already in use'; exit 1\n",
			"ended at its start (exit status 1)", "ddress already in use", "ss -ltnp")
	}
}
