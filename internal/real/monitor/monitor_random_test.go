package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/logcheck"
	"lockstep/internal/real/realtest"
)

// actor is a client that takes random steps of correct and incorrect clients. Its replies say
// whether it has the lock.
type actor struct {
	conn  string // its connection, which two actors may share
	value string
	holds bool
}

// scripts are the scripts of a kind of lock, with their arguments.
type scripts struct {
	lock, unlock, renew *redis.Script // no lock: SET with NX
	args                func(value string, lease time.Duration) []any
}

// acquire tries once.
func (s *scripts) acquire(ctx context.Context, c *redis.Client, key, value string, lease time.Duration) (bool, error) {
	if s.lock == nil {
		return c.SetNX(ctx, key, value, lease).Result()
	}
	err := s.lock.Run(ctx, c, []string{key}, s.args(value, lease)...).Err()
	if errors.Is(err, redis.Nil) {
		return true, nil
	}
	return false, err
}

// play plays some commands on one key, and reports whether two clients certainly had the lock at
// once: one acquired it, and another one, which had it, used it later.
func (m *monitored) play(random *rand.Rand, s *scripts, key string) (overlap bool) {
	m.t.Helper()
	actors := []*actor{{conn: "A"}, {conn: "B"}, {conn: "C"}, {conn: "A"}, {conn: "A2"}}
	random.Shuffle(len(actors), func(i, j int) { actors[i], actors[j] = actors[j], actors[i] })
	actors = actors[:2+random.IntN(3)]
	constant, blind, careless, hostile := random.IntN(3) == 0, random.IntN(4) == 0, random.IntN(5) == 0, random.IntN(3) == 0
	lease := []time.Duration{day, day, 4 * time.Millisecond}[random.IntN(3)]
	met := map[*actor]bool{} // those that had the lock when another one acquired it
	for n := range 30 {
		a := actors[random.IntN(len(actors))]
		client := m.clients[a.conn]
		over := func() {
			overlap = overlap || met[a]
			a.holds = false
			delete(met, a)
		}
		release := func() {
			if blind {
				m.must(client.Del(m.ctx, key).Err())
			} else {
				m.must(s.unlock.Run(m.ctx, client, []string{key, "channel"}, s.args(a.value, lease)...).Err())
			}
		}
		switch roll := random.IntN(20); {
		case hostile && roll == 0:
			m.must(m.hostile(random, client, key))
		case roll == 1 && lease < day:
			time.Sleep(lease + 4*time.Millisecond)
		case !a.holds:
			if a.value = fmt.Sprint("v", n); constant && s.lock == nil { // a re-entrant lock would take them for one client
				a.value = "1"
			}
			got, err := s.acquire(m.ctx, client, key, a.value, lease)
			m.must(err)
			if got {
				for _, other := range actors {
					if other.holds {
						met[other] = true
					}
				}
				a.holds = true
			} else if careless {
				release()
			}
		case roll < 10:
			release()
			over()
		case roll < 13:
			reply, err := s.renew.Run(m.ctx, client, []string{key}, s.args(a.value, lease)...).Int()
			m.must(err)
			if overlap = overlap || met[a]; reply == 0 {
				over()
			}
		}
	}
	return overlap
}

// hostile sends commands that no client of a lock sends.
func (m *monitored) hostile(random *rand.Rand, c *redis.Client, key string) error {
	switch random.IntN(7) {
	case 0:
		return c.Del(m.ctx, key).Err()
	case 1:
		return c.FlushAll(m.ctx).Err()
	case 2:
		return c.GetDel(m.ctx, key).Err()
	case 3:
		return c.Persist(m.ctx, key).Err()
	case 4:
		return c.PExpire(m.ctx, key, time.Hour).Err()
	case 5:
		return c.Set(m.ctx, key, "x", 0).Err()
	}
	return c.GetSet(m.ctx, key, "1").Err()
}

// The verdict on a log of MONITOR is "certain" only if two clients had the lock at once, by their
// replies from a real server, and "none" only if not.
func TestMonitorSaysWhatRepliesSay(t *testing.T) {
	m, server := watched(t, 5*time.Minute)
	of := func(name string) *redis.Script { return scriptOf(t, "redisson_scripts.go", "redisson3123"+name) }
	kinds := []*scripts{
		{nil, scriptOf(t, "set_nx_lua.go", "unlockScript"), scriptOf(t, "watchdog_lua.go", "renewScript"), func(value string, lease time.Duration) []any { return []any{value, lease.Milliseconds()} }},
		{of("Lock"), of("Unlock"), of("Renew"), func(value string, lease time.Duration) []any { return []any{lease.Milliseconds(), value, value} }},
	}
	seen := map[logcheck.Verdict]int{}
	for seed := range uint64(realtest.Rounds(t, 100)) {
		end := listen(t, m.ctx, server)
		overlap := m.play(rand.New(rand.NewPCG(seed, 0)), kinds[seed%2], fmt.Sprint("k", seed))
		text := strings.Join(end(), "\n") + "\n"
		r, err := logcheck.Check(m.ctx, logcheck.Options{TempDir: t.TempDir()}, logcheck.Source{Name: "log", In: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		seen[r.Verdict()]++
		if r.Verdict() == logcheck.Certain && !overlap || r.Verdict() == logcheck.None && overlap {
			t.Errorf("seed %d: %s; two had it at once: %t\n%s", seed, r.Verdict(), overlap, text)
		}
	}
	t.Log(seen)
	if seen[logcheck.None] == 0 || seen[logcheck.Certain] == 0 {
		t.Errorf("%v: want both verdicts", seen)
	}
}
