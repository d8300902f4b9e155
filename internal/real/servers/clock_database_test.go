package servers

import (
	"context"
	"database/sql"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

// told is a server and what its wall clock shows, as it says itself.
type told struct {
	*Server
	tells func() (time.Time, error)
	exact time.Duration // how exactly it tells
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

// wrongDatabase starts a MariaDB whose clock can be set, and connects to it.
func wrongDatabase(t *testing.T) (*MariaDB, *sql.DB) {
	t.Helper()
	for _, program := range []string{"mariadbd", programs.Faketime} {
		realtest.Need(t, program)
	}
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
	return db, pool
}

// The connection stays the same: the thread that serves it began before the step.
func TestTheClockOfADatabase(t *testing.T) {
	db, pool := wrongDatabase(t)
	k := told{db.Server, func() (time.Time, error) {
		var seconds float64
		err := pool.QueryRow("SELECT UNIX_TIMESTAMP(NOW(6))").Scan(&seconds)
		return time.UnixMicro(int64(seconds * 1e6)), err
	}, time.Millisecond}
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
	if err := db.Relaunch(t.Context()); err != nil {
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
}

// A statement that waits does so for as long as it says, whatever the clock shows. One
// that waits already when the clock steps past its end does not wait on.
func TestMariaDBWaitsOnAWrongClock(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	db, pool := wrongDatabase(t)
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
