package live

import (
	"context"
	"database/sql"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	model "lockstep/internal/store/sql"
)

// clocked starts a MariaDB whose clock can be set, and connects to it.
func clocked(t *testing.T) (*mariaDB, *sql.DB) {
	t.Helper()
	for _, program := range []string{"mariadbd", programs.Faketime} {
		realtest.Need(t, program)
	}
	t.Setenv("TMPDIR", t.TempDir())
	db := launch(t, livestore.Of(model.MySQLID), livestore.Single{Clock: true}).(*mariaDB)
	pool := must.Get(sql.Open("mysql", db.dsn(db.Addr)))(t)
	t.Cleanup(func() { pool.Close() })
	return db, pool
}

func (db *mariaDB) set(t *testing.T, step time.Duration, ppm int64) {
	t.Helper()
	must.Do(t, db.SetClock(step, ppm))
}

// The thread that serves the connection has started before the first step.
func TestTheClockOfADatabase(t *testing.T) {
	db, pool := clocked(t)
	k := realtest.Clock{Exact: time.Millisecond, Shows: func() (time.Time, error) {
		var seconds float64
		err := pool.QueryRow("SELECT UNIX_TIMESTAMP(NOW(6))").Scan(&seconds)
		return time.UnixMicro(int64(seconds * 1e6)), err
	}}
	k.Want(t, "at the start", realtest.Steady(0))
	db.set(t, time.Hour, 0)
	k.Want(t, "after a step", realtest.Steady(time.Hour))
	db.set(t, -3*time.Hour, 0)
	k.Want(t, "after a step back", realtest.Steady(-2*time.Hour))
	setting := time.Now().Round(0)
	db.set(t, 0, 9_000_000)
	began := time.Now().Round(0)
	fast := func(now time.Time) (least, most time.Duration) {
		return -2*time.Hour + 9*now.Sub(began), -2*time.Hour + 9*now.Sub(setting)
	}
	time.Sleep(300 * time.Millisecond)
	k.Want(t, "ten times as fast", fast)
	least, _ := fast(time.Now().Round(0))
	db.set(t, 0, 0)
	_, most := fast(time.Now().Round(0))
	must.Do(t, db.Kill())
	db.set(t, time.Hour, 0)
	must.Do(t, db.Relaunch(t.Context()))
	k.Want(t, "after a restart", realtest.Between(least+time.Hour, most+time.Hour))
	pid := db.Pid()
	must.Do(t, db.Stop())
	if left, _ := filepath.Glob("/dev/shm/*faketime_*_" + strconv.Itoa(pid)); len(left) != 0 {
		t.Errorf("left in shared memory: %v", left)
	}
}

// A statement waits for its full time, whatever the clock shows, unless the clock steps past the
// end of the wait.
func TestMariaDBWaitsOnAWrongClock(t *testing.T) {
	db, pool := clocked(t)
	holder := must.Get(pool.Conn(t.Context()))(t)
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
	db.set(t, time.Hour, 0)
	if took := get(pool, "SELECT GET_LOCK('k', 1)", 0); took < 900*time.Millisecond || took > 30*time.Second {
		t.Errorf("it waited for %v, want a second", took)
	}
	time.AfterFunc(200*time.Millisecond, func() { db.set(t, time.Hour, 0) })
	if took := get(pool, "SELECT GET_LOCK('k', 60)", 0); took < 200*time.Millisecond || took > 30*time.Second {
		t.Errorf("it waited for %v, want until the step", took)
	}
}
