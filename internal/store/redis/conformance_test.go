//go:build linux

package redis_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/storetest"
)

// duel compares a model with a real server, on one connection and the wall clock of this machine.
type duel struct {
	storetest.Duel
	keys   *redis.Store
	open   redis.Transaction
	queued []*redis.Cmd // that EXEC will answer
}

func newDuel(t *testing.T, real *realServer, keys *redis.Store) *duel {
	d := &duel{keys: keys}
	d.Duel = storetest.Duel{
		T: t, Model: model{d: d}, Same: d.same,
		Real: func(_ store.Conn, r ports.Request) (any, error) {
			reply := real.do(*r.(*redis.Cmd))
			return reply, reply.Err
		},
		Now: func() store.Clock { return store.Clock{Wall: time.Duration(time.Now().UnixNano())} },
	}
	return d
}

// model is the part of store.Model that a duel needs.
type model struct {
	store.Model
	d *duel
}

// Exec implements store.Model.
func (m model) Exec(now store.Clock, _ uint64, c store.Conn, r store.Op) (store.Answer, bool) {
	reply := m.d.keys.ExecIn(&m.d.open, now.Wall.Milliseconds(), c.Client, r.(*redis.Cmd))
	return store.Answer{Value: reply, Err: reply.Err, Text: reply.String()}, true
}

// Output implements store.Model.
func (model) Output() store.Output { return store.Output{} }

func (d *duel) do(cmd redis.Cmd) redis.Reply {
	d.T.Helper()
	return d.Do(&cmd).(redis.Reply)
}

// same compares two replies to a command, those of EXEC one by one.
func (d *duel) same(r ports.Request, want store.Answer, got storetest.Reply) string {
	cmd, model, server := r.(*redis.Cmd), want.Value.(redis.Reply), got.Value.(redis.Reply)
	queued := d.queued
	switch {
	case server.Str == "QUEUED":
		d.queued = append(d.queued, cmd)
	case cmd.Name() == "EXEC" || cmd.Name() == "DISCARD":
		d.queued = nil
	}
	equal := redis.Same(cmd, server, model)
	if cmd.Name() == "EXEC" && server.Kind == redis.ReplyArray {
		theirs, ours := server.Elements(), model.Elements()
		equal = model.Kind == server.Kind && len(theirs) == len(queued) && len(ours) == len(queued)
		for i := 0; equal && i < len(queued); i++ {
			equal = redis.Same(queued[i], theirs[i], ours[i])
		}
	}
	if !equal {
		return "another reply"
	}
	return ""
}

// The model and redis-server 7 give the same replies to random commands.
func TestConformance(t *testing.T) {
	real, _ := startServer(t, "")
	if version := real.do(redis.Command("INFO", "server")); !strings.Contains(version.Str, "redis_version:7.0") {
		t.Logf("compared with another version than 7.0: %.80q", version.Str)
	}
	random, d := redis.RandomCommands(storetest.Rand(t, 1, 7)), newDuel(t, real, redis.New())
	d.Reset = func() {
		real.do(redis.Command("DISCARD")) // an error without a transaction
		real.do(redis.Command("FLUSHALL"))
		real.do(redis.Command("SCRIPT", "FLUSH"))
		d.keys.Reset()
		d.open, d.queued = redis.Transaction{}, nil
	}
	d.Run(240_000, func() ports.Request {
		cmd := random(time.Now().UnixMilli())
		return &cmd
	})
	all := strings.Fields(`DECR DECRBY DEL DISCARD EVAL EVALSHA EXEC EXISTS EXPIRE EXPIREAT EXPIRETIME FLUSHALL GET GETDEL
		GETRANGE GETSET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSET HSETNX HVALS INCR INCRBY LINDEX LLEN LPOP LPUSH
		LRANGE LREM MGET MSET MSETNX MULTI PERSIST PEXPIRE PEXPIREAT PEXPIRETIME PING PSETEX PTTL PUBLISH RPOP RPUSH SCRIPT SET
		SETEX SETNX STRLEN TTL TYPE UNLINK WAIT ZADD ZCARD ZCOUNT ZINCRBY ZRANGE ZRANGEBYSCORE ZRANK ZREM ZREMRANGEBYSCORE ZSCORE`)
	for _, name := range strings.Fields("EVAL EVALSHA EXEC EXPIRE FOO GET HSET INCR LPUSH MULTI PSETEX SET SETEX WAIT ZADD") {
		all = append(all, name+" refused")
	}
	d.Demand(100, all...)
}

// Keys expire on the clock of the real server, with margins for a busy machine.
func TestConformanceOfShortExpiry(t *testing.T) {
	real, _ := startServer(t, "")
	d, start := newDuel(t, real, redis.New()), time.Now()
	exact := d.Same
	d.Same = func(r ports.Request, want store.Answer, got storetest.Reply) string {
		model, server := want.Value.(redis.Reply).Int, got.Value.(redis.Reply).Int
		if ports.Name(r) == "PTTL" && (model > 0 || server > 0) {
			if ahead := model - server; min(model, server) <= 0 || ahead < -150 || ahead > 150 {
				return "another time"
			}
			return ""
		}
		return exact(r, want, got)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, n := range []int{200, 600, 1000} {
		suffix := strconv.Itoa(n)
		d.do(redis.Set("k"+suffix, "v").NX().PX(ms(n)))
		d.do(redis.Set("e"+suffix, "v"))
		d.do(redis.Command("PEXPIRE", "e"+suffix).Num(int64(n)))
		d.do(redis.Command("PSETEX", "p"+suffix).Num(int64(n)).Text("v"))
		d.do(redis.Command("HSET", "h"+suffix, "f", "1"))
		d.do(redis.Command("PEXPIRE", "h"+suffix).Num(int64(n)))
	}
	unlock, counter := &redis.LockScripts[0].Script, &redis.LockScripts[9].Script
	for range 3 { // at 400, 800, 1200 ms: 200 ms away from any expiry
		time.Sleep(time.Until(start.Add(ms(400))))
		start = start.Add(ms(400))
		for _, n := range []int{200, 600, 1000} {
			suffix := strconv.Itoa(n)
			for _, prefix := range []string{"k", "e", "p", "h"} {
				for _, name := range []string{"PTTL", "EXISTS", "TYPE"} {
					d.do(redis.Command(name, prefix+suffix))
				}
			}
			d.do(redis.Get("k" + suffix))
			d.do(redis.Command("HINCRBY", "h"+suffix, "f").Num(1))
			d.do(redis.Eval(unlock, "p"+suffix).Text("nobody"))
			d.do(redis.Eval(counter, "e"+suffix))
			d.do(redis.Set("k"+suffix, "w").NX())
		}
	}
}

// All scripts of a server draw from one sequence of random numbers, which restarts with the server.
func TestRandomNumbersAreTheServers(t *testing.T) {
	for range 2 {
		real, _ := startServer(t, "")
		d := newDuel(t, real, redis.New())
		d.keys.DrawRandom()
		d.keys.Reset() // as a restart does
		for range 5 {
			d.do(redis.ScriptOf(`return math.random(1000000)`))
			d.do(redis.ScriptOf(`return {tostring(math.random()), 1}`))
			d.do(redis.ScriptOf(`math.randomseed(3) return math.random(7)`))
		}
	}
}
