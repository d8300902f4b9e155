package containers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/containers"
	"lockstep/internal/real/containers/enginetest"
	"lockstep/internal/real/images"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/osproc"
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

// envHarness makes the test's program start servers in containers and wait to be killed.
const envHarness = "LOCKSTEP_TEST_HARNESS"

func TestMain(m *testing.M) {
	containers.ReaperMain()
	if os.Getenv(envHarness) != "" {
		harnessMain()
		return
	}
	os.Exit(m.Run())
}

// open opens the engine, and checks at the end of the test that nothing is left.
func open(t *testing.T, products ...images.Product) *containers.Engine {
	t.Helper()
	enginetest.Need(t, products...)
	before := enginetest.Left(t, nil)
	scratch := must.Get(osproc.NewScratch())(t)
	engine := must.Get(containers.Open(t.Context(), scratch, nil))(t)
	t.Cleanup(func() {
		if err := errors.Join(engine.Close(), scratch.Remove()); err != nil {
			t.Error(err)
		}
		if left := enginetest.Left(t, before); len(left) > 0 {
			t.Errorf("left in the engine: %v", left)
		}
	})
	return engine
}

func startRedis(t *testing.T, o servers.RedisOptions) *servers.Server {
	t.Helper()
	return must.Get(servers.StartRedis(t.Context(), o))(t)
}

func do(t *testing.T, s *servers.Server, want string, args ...string) {
	t.Helper()
	got, err := s.Command(t.Context(), args...)
	if err != nil || got.String() != want {
		t.Errorf("%s: got %v, %v, want %s", args, got, err, want)
	}
}

func TestARedisInAContainerFreezesAndDies(t *testing.T) {
	s := startRedis(t, servers.RedisOptions{Launcher: open(t, images.Redis)})
	do(t, s, "OK", "SET", "k", "v")
	if osproc.StartTime(s.Pid()) == "" {
		t.Errorf("no process has the number %d", s.Pid())
	}
	for range 2 {
		must.Do(t, s.Freeze())
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := s.Command(short, "PING"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a frozen server answered: %v", err)
		}
		cancel()
		must.Do(t, s.Thaw())
		do(t, s, "PONG", "PING")
	}
	must.Do(t, errors.Join(s.Freeze(), s.Kill()))
	<-s.Done()
	must.Equalf(t, s.Ended(), "signal: killed", "it ended by")
	must.Contain(t, s.LastLog(), "Ready to accept connections")
	must.Do(t, errors.Join(s.Kill(), s.Stop(), s.Stop()))
}

// The volume outlives the container, but a server without a file loses its data.
func TestARedisThatIsStartedAgain(t *testing.T) {
	engine := open(t, images.Redis)
	for fsync, want := range map[string]string{"": "(nil)", "always": `"v"`} {
		s := startRedis(t, servers.RedisOptions{Launcher: engine, Fsync: fsync})
		addr := s.Addr
		do(t, s, "OK", "SET", "k", "v")
		must.Do(t, errors.Join(s.Kill(), s.Restart(t.Context(), "")))
		do(t, s, want, "GET", "k")
		if s.Addr != addr {
			t.Errorf("it moved from %s to %s", addr, s.Addr)
		}
		must.Do(t, s.Stop())
	}
}

// A node keeps its identity, without the dump that replication would have left.
func TestANodeOfAClusterIsStartedAgain(t *testing.T) {
	s := startRedis(t, servers.RedisOptions{
		Name: "redis-1", Launcher: open(t, images.Redis), Announce: "127.0.0.1:7001",
		Cluster: &servers.ClusterOptions{Host: "redis-1", AnnounceBus: "127.0.0.1:7002", NodeTimeout: time.Second},
	})
	must.Do(t, servers.FormCluster(t.Context(), []*servers.Server{s}, 1))
	do(t, s, "OK", "SET", "k", "v")
	do(t, s, "OK", "SAVE") // as for a replica's full sync
	id := must.Get(s.Command(t.Context(), "CLUSTER", "MYID"))(t)
	must.Do(t, errors.Join(s.Kill(), s.Restart(t.Context(), "")))
	do(t, s, id.String(), "CLUSTER", "MYID")
	var got redis.Reply
	var err error
	serves := func() bool { // at first it serves no client
		got, err = s.Command(t.Context(), "GET", "k")
		return err == nil
	}
	if !realtest.Soon(20*time.Second, serves) || got.String() != "(nil)" {
		t.Fatalf("got %v, %v, want (nil)", got, err)
	}
	must.Do(t, s.Stop())
}

// A clock can be set while the server runs, and outlives its container.
func TestTheClockOfARedisInAContainer(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	s := startRedis(t, servers.RedisOptions{Launcher: open(t, images.Redis), Clock: true})
	ahead := func(when string, want time.Duration) {
		t.Helper()
		shown, err := s.Time(t.Context())
		if got := time.Until(shown); err != nil || (got-want).Abs() > 500*time.Millisecond {
			t.Errorf("%s: ahead by %v, %v, want %v", when, got, err, want)
		}
	}
	ahead("at first", 0)
	do(t, s, "OK", "SET", "k", "v", "PX", "10000")
	must.Do(t, s.SetClock(12*time.Second, 0))
	do(t, s, "(nil)", "GET", "k")
	if err := s.SetClock(0, 9_000_000); err != nil { // ten times as fast
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	must.Do(t, s.SetClock(0, 0))
	shown, err := s.Time(t.Context())
	drifted := time.Until(shown)
	if err != nil || drifted < 20*time.Second {
		t.Errorf("after a drift: ahead by %v, %v, want 21 s", drifted, err)
	}
	must.Do(t, errors.Join(s.Kill(), s.Restart(t.Context(), "")))
	ahead("after a restart", drifted)
	must.Do(t, s.Stop())
}

// The start of a sentinel with a fast clock fails unless its clock is fast. After a restart it
// still has its settings.
func TestASentinelInAContainerHasAFastClock(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	engine := open(t, images.Redis)
	primary := startRedis(t, servers.RedisOptions{Launcher: engine})
	s := must.Get(servers.StartSentinel(t.Context(), servers.SentinelOptions{
		Name: "sentinel-1", Launcher: engine, Primary: primary.Addr, Quorum: 1, DownAfter: 10 * time.Second, Speed: 10,
	}))(t)
	do(t, s, "OK", "SENTINEL", "SET", servers.Watched, "quorum", "7")
	must.Do(t, errors.Join(s.Kill(), s.Restart(t.Context(), "")))
	state, err := s.Command(t.Context(), "SENTINEL", "MASTER", servers.Watched)
	if err != nil || !strings.Contains(state.String(), `"7"`) {
		t.Errorf("it has lost its quorum: %v, %v", state, err)
	}
	must.Do(t, errors.Join(s.Stop(), primary.Stop()))
}

// A replica in a container follows its primary through a proxy of this process.
func TestAReplicaFollowsThroughAProxy(t *testing.T) {
	engine := open(t, images.Redis)
	primary := startRedis(t, servers.RedisOptions{Name: "redis-1", Launcher: engine})
	feed := must.Get(link.Open(link.Options{Name: "feed", Upstream: primary.Addr, Raw: true}))(t)
	defer feed.Close()
	replica := startRedis(t, servers.RedisOptions{Name: "redis-2", ReplicaOf: feed.Addr(), Launcher: engine})
	must.Do(t, primary.WaitReplicas(t.Context(), []*servers.Server{replica}))
	do(t, primary, "OK", "SET", "k", "v")
	shows(t, replica, `"v"`)
	feed.Switch(link.Down, link.Hold)
	do(t, primary, "OK", "SET", "k", "w")
	time.Sleep(100 * time.Millisecond)
	do(t, replica, `"v"`, "GET", "k")
	feed.Switch(link.Down, link.Pass)
	shows(t, replica, `"w"`)
	must.Do(t, errors.Join(replica.Stop(), primary.Stop()))
}

// shows waits until the server has a value of k.
func shows(t *testing.T, s *servers.Server, want string) {
	t.Helper()
	var got redis.Reply
	var err error
	if !realtest.Soon(5*time.Second, func() bool {
		got, err = s.Command(t.Context(), "GET", "k")
		return err == nil && got.String() == want
	}) {
		t.Fatalf("%s has %v, %v, want %s", s.Name, got, err, want)
	}
}

func TestClustersInContainers(t *testing.T) {
	for _, id := range []store.ID{etcd.ID, zookeeper.ID} {
		t.Run(images.For(id), func(t *testing.T) {
			engine := open(t, images.For(id))
			for _, s := range must.Get(livestore.Of(id).Start(t.Context(), livestore.Wish{Members: 3, Launcher: engine}))(t) {
				must.Do(t, errors.Join(s.Freeze(), s.Thaw(), s.Kill()))
				<-s.Done()
				must.Do(t, s.Stop())
				if s.Ended() != "signal: killed" || osproc.StartTime(s.Pid()) != "" {
					t.Errorf("%s: %s", s.Name, s.Ended())
				}
			}
		})
	}
}

func TestDatabasesInContainers(t *testing.T) {
	for _, d := range livestore.All(store.Replicated) {
		t.Run(string(d.Store), func(t *testing.T) {
			engine := open(t, images.For(d.Store))
			db := must.Get(d.Launch(t.Context(), livestore.Single{Name: string(d.Store), Launcher: engine}))(t)
			client := must.Get(d.Operator(db.Endpoint(db.Listens())))(t)
			must.Get(client.Do(t.Context(), 0, sql.Stmt{Query: "CREATE TABLE t (id BIGINT PRIMARY KEY)"}))(t)
			must.Do(t, errors.Join(db.Freeze(), db.Thaw(), db.Kill()))
			if _, err := client.Do(t.Context(), 0, sql.Stmt{Query: "DELETE FROM t"}); err == nil {
				t.Error("a dead server answered")
			}
			must.Do(t, db.Stop())
		})
	}
}

func TestTheErrorOfAMissingImageSaysWhatToDo(t *testing.T) {
	enginetest.Need(t)
	engine := must.Get(containers.Open(t.Context(), nil, map[images.Product]string{images.Redis: "lockstep/nowhere:none"}))(t)
	defer engine.Close()
	_, err := servers.StartRedis(t.Context(), servers.RedisOptions{Launcher: engine})
	must.Fail(t, err,
		"redis cannot be started from the image lockstep/nowhere:none", "--image redis=NAME")
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	engine := open(t, images.Redis)
	_, err := servers.StartRedis(t.Context(), servers.RedisOptions{ReplicaOf: "127.0.0.1:x", Launcher: engine})
	must.Fail(t, err, "ended at its start (exit status 1)", "Invalid master port")
}

func harnessMain() {
	ctx := context.Background()
	engine, err := containers.Open(ctx, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, fsync := range []string{"", "always"} {
		s, err := servers.StartRedis(ctx, servers.RedisOptions{Launcher: engine, Fsync: fsync})
		if err != nil {
			fmt.Println(err)
			return
		}
		if fsync == "" {
			_ = s.Freeze()
		}
	}
	fmt.Println("ready")
	select {}
}

func TestTheReaperRemovesWhatAKilledHarnessLeaves(t *testing.T) {
	enginetest.Need(t, images.Redis)
	before := enginetest.Left(t, nil)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envHarness+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // it may be dead
	said := make([]byte, 1000)
	n, _ := out.Read(said)
	if got := string(said[:n]); got != "ready\n" {
		t.Fatalf("the harness said %q", got)
	}
	if left := enginetest.Left(t, before); len(left) != 4 {
		t.Fatalf("got %v, want two containers and two volumes", left)
	}
	killed := time.Now()
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil { // with all of its group
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for left := enginetest.Left(t, before); len(left) > 0; left = enginetest.Left(t, before) {
		if time.Since(killed) > 10*time.Second {
			t.Fatalf("still there: %v", left)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("all was gone %v after the kill", time.Since(killed))
}
