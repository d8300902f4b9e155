package servers_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/images"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/sql"
)

// saysAll checks that an error has all these texts.
func saysAll(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("it has started")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not in: %v", w, err)
		}
	}
}

// The error of a server that hangs says what was waited for, how long, and the last line of the
// log; so does that of a program that makes a database.
func TestTheErrorOfAServerThatHangs(t *testing.T) {
	hangs := func(string, string) string {
		return "echo 'one thing'; echo 'the moon is full'; echo '\tat java.base/java.lang.Thread.run(Thread.java:840)'; echo '\t... 3 more'; exec sleep 60\n"
	}
	hung := func(t *testing.T, program string) context.Context {
		realtest.Need(t, program)
		instead(t, program, hangs)
		empty(t)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	t.Run("server", func(t *testing.T) {
		ctx := hung(t, "redis-server")
		_, err := servers.StartRedis(ctx, servers.RedisOptions{Name: "redis-7"})
		saysAll(t, err, "redis-7 did not answer on 127.0.0.1:", "time was up after ", "still runs", "the last thing that it said was: the moon is full")
	})
	t.Run("installer", func(t *testing.T) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where no database is kept
		ctx := hung(t, "mariadb-install-db")
		_, err := livestore.Of(sql.MySQLID).Launch(ctx, livestore.Single{Name: "mysql-7"})
		saysAll(t, err, "mysql-7 did not make a database in ", "the moon is full")
	})
}

// The error of a server on a full disk says so, even without a message from the server, which
// cannot write one there.
func TestAFullDiskIsNamed(t *testing.T) {
	t.Run("told", func(t *testing.T) {
		realtest.Need(t, "redis-server")
		instead(t, "redis-server", func(string, string) string {
			return "echo 'write: No space left on device'; echo 'bye'; exec sleep 60\n"
		})
		empty(t)
		_, err := servers.StartRedis(t.Context(), servers.RedisOptions{})
		saysAll(t, err, "no space left on device", "on the disk of ", "TMPDIR")
	})
	for _, kind := range kinds {
		if kind.program == "redis-server" || kind.program == "java" {
			continue // they start without writing anything
		}
		t.Run(kind.program, func(t *testing.T) {
			realtest.Need(t, kind.program)
			disk := must.Get(os.MkdirTemp("", "full-*"))(t)
			t.Cleanup(func() { _ = os.RemoveAll(disk) })
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m,mode=0711"); err != nil {
				t.Skipf("no small disk can be mounted here: %v; the words of a server are tested above", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
			caches := []string{os.Getenv("XDG_CACHE_HOME"), t.TempDir()} // a kept database is copied, else one is installed
			t.Setenv("TMPDIR", disk)
			for _, cache := range caches {
				t.Setenv("XDG_CACHE_HOME", cache)
				_, _, err := kind.start(t.Context())
				saysAll(t, err, "no space left on device", "on the disk of "+disk, "TMPDIR")
				if strings.Contains(err.Error(), "overloaded") {
					t.Errorf("the error blames the load: %v", err)
				}
			}
		})
	}
}

// up is the place of a running server; it has only the methods that are called.
type up struct {
	servers.Resident
	addr string
}

var errStarted = errors.New("it was restarted")

func (u up) Place(context.Context, images.Product, string) (servers.Place, error) { return u, nil }
func (u up) Addr() string                                                         { return u.addr }
func (u up) Dir() string                                                          { return "" }
func (u up) Runs() bool                                                           { return true }
func (u up) Remove() error                                                        { return nil }
func (u up) Log() []byte                                                          { return nil }
func (u up) Start(context.Context, servers.Recipe) (servers.Process, error)       { return nil, errStarted }

// A run waits for a server that the previous run has just restarted and that does not listen yet.
func TestARunWaitsForAServerThatIsRestarting(t *testing.T) {
	realtest.Need(t, "redis-server")
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	addr := l.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	must.Do(t, l.Close())
	program := must.Get(programs.Find("redis-server"))(t)
	late := exec.Command(program, "--port", port, "--save", "", "--dir", t.TempDir())
	came := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		came <- late.Start()
	}()
	defer func() {
		if err := <-came; err != nil {
			t.Error(err)
			return
		}
		_ = late.Process.Signal(os.Kill)
		_ = late.Wait()
	}()
	if _, err := servers.StartRedis(t.Context(), servers.RedisOptions{Launcher: up{addr: addr}}); !errors.Is(err, errStarted) {
		t.Errorf("got %v, want that the server was waited for and then started", err)
	}
}

func TestARelaunchedServerHasItsAddress(t *testing.T) {
	s := livetest.Start(t, etcd.ID, livestore.Wish{}).Members[0]
	addr, pid := s.Addr, s.Pid()
	must.Do(t, errors.Join(s.Kill(), s.Relaunch(t.Context())))
	if s.Addr != addr || s.Pid() == pid {
		t.Errorf("on %s as process %d, want %s and another process than %d", s.Addr, s.Pid(), addr, pid)
	}
	if !realtest.Soon(20*time.Second, func() bool { leads, err := livestore.Of(etcd.ID).Leads(t.Context(), s); return leads && err == nil }) {
		t.Fatal("it never leads again")
	}
}
