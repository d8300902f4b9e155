package servers_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	_ "lockstep/internal/locks" // and with them the stores, which know how their servers are installed
	"lockstep/internal/must"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// A primary writes a dump for a new replica, which a restart would load.
func TestAServerWithoutAFileComesBackEmpty(t *testing.T) {
	ctx := t.Context()
	for fsync, want := range map[string]string{"": "(nil)", "always": `"v"`, "everysec": `"v"`} {
		primary := livetest.Redis(t, servers.RedisOptions{Fsync: fsync})
		must.Get(primary.Command(ctx, "SET", "k", "v"))(t)
		replica := livetest.Redis(t, servers.RedisOptions{ReplicaOf: primary.Addr})
		must.Do(t, primary.WaitReplicas(ctx, []*servers.Server{replica}))
		addr := primary.Addr
		must.Do(t, errors.Join(primary.Kill(), primary.Restart(ctx, "")))
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
	must.Equal(t, err.Error(), want)
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	realtest.Need(t, "redis-server")
	empty(t)
	_, err := servers.StartRedis(context.Background(), servers.RedisOptions{ReplicaOf: "127.0.0.1:x"})
	saysAll(t, err, "ended at its start (exit status 1)")
}

func TestAServerComesAndGoes(t *testing.T) {
	ctx := t.Context()
	s := livetest.Redis(t, servers.RedisOptions{})
	if r, err := s.Command(ctx, "SET", "k", "v"); err != nil || !r.IsOK() {
		t.Fatalf("SET: %v, %v", r, err)
	}
	if _, err := s.Command(ctx, "INCR", "k"); err == nil {
		t.Error("an error of the server was not reported")
	}
	must.Do(t, s.Freeze())
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := s.Command(short, "PING"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a stopped server answered: %v", err)
	}
	must.Do(t, s.Thaw())
	must.Get(s.Command(ctx, "PING"))(t)
	must.Do(t, s.Stop())
	must.Equalf(t, osproc.StartTime(s.Pid()), "", "the process is still there")
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplicasFollow(t *testing.T) {
	ctx := t.Context()
	primary := livetest.Redis(t, servers.RedisOptions{Name: "redis-1"})
	var replicas []*servers.Server
	for _, name := range []string{"redis-2", "redis-3"} {
		replicas = append(replicas, livetest.Redis(t, servers.RedisOptions{Name: name, ReplicaOf: primary.Addr}))
	}
	must.Do(t, primary.WaitReplicas(ctx, replicas))
	must.Get(primary.Command(ctx, "SET", "k", "v"))(t)
	if r, err := primary.Command(ctx, "WAIT", "2", "1000"); err != nil || !r.IsInt(2) {
		t.Errorf("WAIT 2: %v, %v", r, err)
	}
}

// The wait for a replica ends when the replica dies, not only when time is up.
func TestAReplicaThatDiesIsNotWaitedFor(t *testing.T) {
	primary := livetest.Redis(t, servers.RedisOptions{Name: "redis-1"})
	replica := livetest.Redis(t, servers.RedisOptions{Name: "redis-2", ReplicaOf: primary.Addr})
	must.Do(t, replica.Kill())
	err := primary.WaitReplicas(t.Context(), []*servers.Server{replica})
	must.Fail(t, err, "redis-2 ended (signal: killed) while redis-1 waited for it")
}
