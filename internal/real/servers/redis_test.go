package servers_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	_ "lockstep/internal/locks" // and with them the stores, which know how their servers are installed
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// A primary writes a dump for a replica that comes, and would load it.
func TestAServerWithoutAFileComesBackEmpty(t *testing.T) {
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	ctx := context.Background()
	for fsync, want := range map[string]string{"": "(nil)", "always": `"v"`, "everysec": `"v"`} {
		primary, err := servers.StartRedis(ctx, servers.RedisOptions{Fsync: fsync})
		if err != nil {
			t.Fatal(err)
		}
		defer primary.Stop()
		if _, err := primary.Command(ctx, "SET", "k", "v"); err != nil {
			t.Fatal(err)
		}
		replica, err := servers.StartRedis(ctx, servers.RedisOptions{ReplicaOf: primary.Addr})
		if err != nil {
			t.Fatal(err)
		}
		defer replica.Stop()
		if err := primary.WaitReplicas(ctx, []*servers.Server{replica}); err != nil {
			t.Fatal(err)
		}
		addr := primary.Addr
		if err := errors.Join(primary.Kill(), primary.Restart(ctx, "")); err != nil {
			t.Fatal(err)
		}
		if got, err := primary.Command(ctx, "GET", "k"); err != nil || got.String() != want || primary.Addr != addr {
			t.Errorf("fsync %q: got %v, %v on %s, want %s on %s", fsync, got, err, primary.Addr, want, addr)
		}
	}
}

func TestAMissingServerIsOneSentence(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := servers.StartRedis(context.Background(), servers.RedisOptions{})
	var missing *programs.MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a MissingError", err)
	}
	want := "redis-server is not installed: sudo apt-get install -y redis-server"
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	_, err := servers.StartRedis(context.Background(), servers.RedisOptions{ReplicaOf: "127.0.0.1:x"})
	if err == nil || !strings.Contains(err.Error(), "ended at its start (exit status 1)") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAServerComesAndGoes(t *testing.T) {
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	ctx := context.Background()
	began := time.Now()
	s, err := servers.StartRedis(ctx, servers.RedisOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %v", time.Since(began))
	if r, err := s.Command(ctx, "SET", "k", "v"); err != nil || !r.IsOK() {
		t.Fatalf("SET: %v, %v", r, err)
	}
	if _, err := s.Command(ctx, "INCR", "k"); err == nil {
		t.Error("an error of the server was not reported")
	}
	if err := s.Freeze(); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := s.Command(short, "PING"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a stopped server answered: %v", err)
	}
	if err := s.Thaw(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Command(ctx, "PING"); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if osproc.StartTime(s.Pid()) != "" {
		t.Error("the process is still there")
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplicasFollow(t *testing.T) {
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	ctx := context.Background()
	began := time.Now()
	primary, err := servers.StartRedis(ctx, servers.RedisOptions{Name: "redis-1"})
	if err != nil {
		t.Fatal(err)
	}
	defer primary.Stop()
	var replicas []*servers.Server
	for _, name := range []string{"redis-2", "redis-3"} {
		r, err := servers.StartRedis(ctx, servers.RedisOptions{Name: name, ReplicaOf: primary.Addr})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Stop()
		replicas = append(replicas, r)
	}
	if err := primary.WaitReplicas(ctx, replicas); err != nil {
		t.Fatal(err)
	}
	t.Logf("a primary and two replicas in step after %v", time.Since(began))
	if _, err := primary.Command(ctx, "SET", "k", "v"); err != nil {
		t.Fatal(err)
	}
	if r, err := primary.Command(ctx, "WAIT", "2", "1000"); err != nil || !r.IsInt(2) {
		t.Errorf("WAIT 2: %v, %v", r, err)
	}
}

// A primary that waits for a replica does not wait for a dead one until its time is up.
func TestAReplicaThatDiesIsNotWaitedFor(t *testing.T) {
	realtest.Need(t, "redis-server")
	ctx := context.Background()
	primary, err := servers.StartRedis(ctx, servers.RedisOptions{Name: "redis-1"})
	if err != nil {
		t.Fatal(err)
	}
	defer primary.Stop()
	replica, err := servers.StartRedis(ctx, servers.RedisOptions{Name: "redis-2", ReplicaOf: primary.Addr})
	if err != nil {
		t.Fatal(err)
	}
	defer replica.Stop()
	if err := replica.Kill(); err != nil {
		t.Fatal(err)
	}
	err = primary.WaitReplicas(ctx, []*servers.Server{replica})
	if err == nil || !strings.Contains(err.Error(), "redis-2 ended (signal: killed) while redis-1 waited for it") {
		t.Errorf("the error does not say who has died: %v", err)
	}
}
