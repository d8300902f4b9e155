package servers

import (
	"context"
	"database/sql"
	"io"
	"log"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

// told is a server of some kind and what its wall clock shows, as it says itself.
type told struct {
	*Server
	tells func() (time.Time, error)
	exact time.Duration // how exactly it tells
	again func(context.Context) error
}

// kindsWithClocks start a server with a clock that can be set. What asks it keeps its
// connection where the kind has one: a process that serves it began before the step.
var kindsWithClocks = map[string]struct {
	needs []string
	start func(*testing.T) told
}{
	"etcd":       {[]string{"etcd"}, tellingEtcd},
	"zookeeper":  {[]string{"java", "zookeeper.jar"}, tellingZooKeeper},
	"mariadb":    {[]string{"mariadbd", programs.Faketime}, tellingMariaDB},
	"postgresql": {[]string{"postgres"}, tellingPostgres},
	"sentinel":   {[]string{"redis-server"}, tellingSentinel},
}

// An answer of etcd says when it was written, in whole seconds.
func tellingEtcd(t *testing.T) told {
	members, err := StartEtcd(t.Context(), EtcdOptions{Clock: true})
	if err != nil {
		t.Fatal(err)
	}
	return told{members[0], func() (time.Time, error) {
		reply, err := http.Get("http://" + members[0].Addr + "/health")
		if err != nil {
			return time.Time{}, err
		}
		defer reply.Body.Close()
		at, err := http.ParseTime(reply.Header.Get("Date"))
		return at.Add(500 * time.Millisecond), err
	}, 500 * time.Millisecond, members[0].Relaunch}
}

// ZooKeeper notes when a node was changed last.
func tellingZooKeeper(t *testing.T) told {
	members, err := StartZooKeeper(t.Context(), ZooKeeperOptions{Clock: true})
	if err != nil {
		t.Fatal(err)
	}
	conn, _, err := zk.Connect([]string{members[0].Addr}, 10*time.Second, zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if _, err := conn.Create("/clock", nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	return told{members[0], func() (time.Time, error) {
		stat, err := conn.Set("/clock", nil, -1)
		if err != nil {
			return time.Time{}, err
		}
		return time.UnixMilli(stat.Mtime), nil
	}, time.Millisecond, members[0].Relaunch}
}

func tellingMariaDB(t *testing.T) told {
	db, err := StartMariaDB(t.Context(), MariaDBOptions{Clock: true})
	if err != nil {
		t.Fatal(err)
	}
	return tellingDatabase(t, db.Server, db.Relaunch, "mysql", db.DSN(db.Addr), "SELECT UNIX_TIMESTAMP(NOW(6))")
}

func tellingPostgres(t *testing.T) told {
	db, err := StartPostgres(t.Context(), PostgresOptions{Clock: true})
	if err != nil {
		t.Fatal(err)
	}
	return tellingDatabase(t, db.Server, db.Relaunch, "postgres", db.DSN(db.Addr), "SELECT extract(epoch FROM clock_timestamp())")
}

func tellingDatabase(t *testing.T, s *Server, again func(context.Context) error, driver, dsn, query string) told {
	pool, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return told{s, func() (time.Time, error) {
		var seconds float64
		err := pool.QueryRow(query).Scan(&seconds)
		return time.UnixMicro(int64(seconds * 1e6)), err
	}, time.Millisecond, again}
}

func tellingSentinel(t *testing.T) told {
	s, err := StartSentinel(t.Context(), SentinelOptions{
		Name: "sentinel", Primary: "127.0.0.1:1", Quorum: 1, DownAfter: time.Hour, Clock: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return told{s, func() (time.Time, error) {
		info, err := s.Info(context.Background(), "server")
		if err != nil {
			return time.Time{}, err
		}
		micros, err := strconv.ParseInt(info["server_time_usec"], 10, 64)
		return time.UnixMicro(micros), err
	}, 10 * time.Millisecond, func(ctx context.Context) error { return s.Restart(ctx, "") }}
}

// want compares a reading, which was taken between question and answer, with the host's clock at
// both. A fast clock gains while the answer is on its way, too.
func (k *told) want(t *testing.T, when string, ahead lead) {
	t.Helper()
	before := time.Now().Round(0)
	shown, err := k.tells()
	after := time.Now().Round(0)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	low, _ := ahead(before)
	_, high := ahead(after)
	least, most := before.Add(low-k.exact-wrong), after.Add(high+k.exact+wrong)
	if shown.Before(least) || shown.After(most) {
		t.Errorf("%s: it shows %v, want between %v and %v", when, shown, least, most)
	}
}

// lead is by how much a server is ahead, at least and at most, when the host's clock shows a time.
type lead func(time.Time) (least, most time.Duration)

// steady is the lead of a clock that is as fast as the host's.
func steady(ahead time.Duration) lead { return between(ahead, ahead) }

func between(least, most time.Duration) lead {
	return func(time.Time) (time.Duration, time.Duration) { return least, most }
}

func TestTheClockOfAServerOfAnyKind(t *testing.T) {
	for name, kind := range kindsWithClocks {
		t.Run(name, func(t *testing.T) {
			for _, program := range kind.needs {
				realtest.Need(t, program)
			}
			k := kind.start(t)
			t.Cleanup(func() { k.Stop() })
			k.want(t, "at the start", steady(0))
			set(t, k.Server, time.Hour, 0)
			k.want(t, "after a step", steady(time.Hour))
			set(t, k.Server, -3*time.Hour, 0)
			k.want(t, "after a step back", steady(-2*time.Hour))
			setting := time.Now().Round(0)
			set(t, k.Server, 0, 9_000_000)
			began := time.Now().Round(0)
			fast := func(now time.Time) (least, most time.Duration) {
				return -2*time.Hour + 9*now.Sub(began), -2*time.Hour + 9*now.Sub(setting)
			}
			time.Sleep(300 * time.Millisecond)
			k.want(t, "ten times as fast", fast)
			least, _ := fast(time.Now().Round(0))
			set(t, k.Server, 0, 0)
			_, most := fast(time.Now().Round(0))
			if err := k.Kill(); err != nil {
				t.Fatal(err)
			}
			set(t, k.Server, time.Hour, 0)
			if err := k.again(t.Context()); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				if _, err := k.tells(); err == nil || time.Now().After(deadline) {
					break // it listens, and needs a moment more to answer
				}
			}
			k.want(t, "after a restart", between(least+time.Hour, most+time.Hour))
			pid := k.Pid()
			if err := k.Stop(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob("/dev/shm/*faketime_*_" + strconv.Itoa(pid)); len(left) != 0 {
				t.Errorf("left in shared memory: %v", left)
			}
		})
	}
}

// A sentinel that lives ten times as fast finds a step ten times as long: durations are
// scaled in its world, and steps with them.
func TestAFastSentinelsClockSteps(t *testing.T) {
	for _, program := range []string{"redis-server", programs.Faketime} {
		realtest.Need(t, program)
	}
	s, err := StartSentinel(t.Context(), SentinelOptions{
		Name: "sentinel", Primary: "127.0.0.1:1", Quorum: 1, DownAfter: time.Hour, Clock: true, Speed: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	clock := func() time.Duration {
		info, err := s.Info(t.Context(), "server")
		if err != nil {
			t.Fatal(err)
		}
		micros, err := strconv.ParseInt(info["server_time_usec"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(micros) * time.Microsecond
	}
	began := time.Now()
	before := clock()
	set(t, s, time.Hour, 0)
	after := clock()
	took := 10 * (time.Since(began) + wrong)
	if stepped := after - before; stepped < 10*time.Hour || stepped > 10*time.Hour+took {
		t.Errorf("a step of an hour is one of %v for the sentinel, want 10 h", stepped)
	}
	time.Sleep(200 * time.Millisecond)
	if later := clock(); later-after < 2*time.Second {
		t.Errorf("it lived %v in a fifth of a second, want two seconds", later-after)
	}
}

// A statement that waits does so for as long as it says, whatever the clock shows. One
// that waits already when the clock steps past its end does not wait on.
func TestMariaDBWaitsOnAWrongClock(t *testing.T) {
	for _, program := range []string{"mariadbd", programs.Faketime} {
		realtest.Need(t, program)
	}
	t.Setenv("TMPDIR", t.TempDir())
	db, err := StartMariaDB(t.Context(), MariaDBOptions{Clock: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Stop() })
	pool, err := sql.Open("mysql", db.DSN(db.Addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	holder, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	get := func(q interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}, query string, want int,
	) time.Duration {
		t.Helper()
		var got int
		began := time.Now()
		if err := q.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", query, got, err, want)
		}
		return time.Since(began)
	}
	get(holder, "SELECT GET_LOCK('k', 0)", 1)
	set(t, db.Server, time.Hour, 0)
	if took := get(pool, "SELECT GET_LOCK('k', 1)", 0); took < 900*time.Millisecond || took > 30*time.Second {
		t.Errorf("it waited for %v, want a second", took)
	}
	time.AfterFunc(200*time.Millisecond, func() { set(t, db.Server, time.Hour, 0) })
	if took := get(pool, "SELECT GET_LOCK('k', 60)", 0); took < 200*time.Millisecond || took > 30*time.Second {
		t.Errorf("it waited for %v, want until the step", took)
	}
}
