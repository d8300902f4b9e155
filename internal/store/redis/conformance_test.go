//go:build linux

package redis_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
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
	return store.Answer{Value: reply, Err: reply.Err}, true
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

// TestConformanceOfReplica compares refusals and reads of a replica.
func TestConformanceOfReplica(t *testing.T) {
	primary, addr := startServer(t, "")
	replica, _ := startServer(t, addr)
	primary.do(redis.Set("k", "v"))
	for end := time.Now().Add(20 * time.Second); replica.do(redis.Get("k")).Str != "v"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the replica did not follow its primary")
		}
	}
	source, model := redis.New(), redis.New()
	set := redis.Set("k", "v")
	source.Exec(1, 1, &set)
	source.CopyTo(model, 1)
	model.SetReplica(true)
	d := newDuel(t, replica, model)
	for _, cmd := range []redis.Cmd{
		redis.Set("k", "w"), redis.Command("SET", "k"), redis.Command("SET", "k", "v", "FOO"), redis.Get("k"),
		redis.Del("k"), redis.Command("PEXPIRE", "k", "10"), redis.Command("FLUSHALL"), redis.Command("PUBLISH", "c", "m"),
		redis.Command("INCR", "n"), redis.Command("HSET", "h", "f", "v"), redis.Command("EXISTS", "k"),
		redis.Command("RPUSH", "q", "v"), redis.Command("LRANGE", "q", "0", "-1"), redis.Command("ZADD", "z", "1", "m"),
		redis.Command("ZADD", "z"), redis.Command("MSETNX", "m", "v"), redis.Command("GETDEL", "k"),
		redis.Command("MULTI"), redis.Get("k"), redis.Del("k"), redis.Command("EXEC"),
		redis.Command("MULTI"), redis.Get("k"), redis.Command("EXEC"),
	} {
		d.do(cmd)
	}
	for _, known := range redis.LockScripts {
		d.do(redis.Eval(&known.Script, "k").Text("v").Text("2"))
	}
}

// TestConformanceOfTooFewReplicas compares the refusals of a primary with too few
// replicas: of commands, scripts and transactions.
func TestConformanceOfTooFewReplicas(t *testing.T) {
	real, addr := startServer(t, "")
	operator, model := connect(t, addr), redis.New()
	d := newDuel(t, real, model)
	atLeast := func(replicas string) {
		t.Helper()
		if r := operator.do(redis.Command("CONFIG", "SET", "min-replicas-to-write", replicas)); !r.IsOK() {
			t.Fatal(r)
		}
		model.NoGoodReplicas = replicas != "0"
	}
	d.do(redis.Set("k", "v"))
	d.do(redis.Command("MULTI")) // queued with enough replicas, executed without
	d.do(redis.Set("k", "w"))
	atLeast("1")
	d.do(redis.Command("EXEC"))
	d.do(redis.Get("k"))
	refused := redis.Set("k", "w")
	if got, want := model.Exec(1, 1, &refused).String(), "(error) NOREPLICAS Not enough good replicas to write."; got != want {
		t.Errorf("SET: %s, want %s", got, want)
	}
	for _, cmd := range []redis.Cmd{
		redis.Set("k", "w"), redis.Command("SET", "k"), redis.Command("SET", "k", "v", "FOO"), redis.Get("k"), redis.Del("k"),
		redis.Command("PUBLISH", "c", "m"), redis.Command("NONSENSE"), redis.Command("RPUSH", "q", "v"), redis.Command("ZADD", "z", "1", "m"),
		redis.Command("LRANGE", "q", "0", "-1"), redis.Command("FLUSHALL"),
		redis.Command("MULTI"), redis.Get("k"), redis.Set("k", "w"), redis.Get("k"), redis.Command("EXEC"),
		redis.Command("MULTI"), redis.Get("k"), redis.Eval(&redis.LockScripts[0].Script, "k").Text("v"), redis.Command("EXEC"),
		redis.Command("MULTI"), redis.Set("k", "w"), redis.Command("DISCARD"),
	} {
		d.do(cmd)
	}
	for _, known := range redis.LockScripts {
		d.do(redis.Eval(&known.Script, "k").Text("v").Text("2"))
	}
	d.do(redis.Command("MULTI")) // refused when queued, although there are enough replicas later
	d.do(redis.Set("k", "w"))
	atLeast("0")
	d.do(redis.Command("EXEC"))
	d.do(redis.Set("k", "w"))
	d.do(redis.Get("k"))
}

// TestKeySlotLikeTheRealServer compares slots of keys with and without hash tags with
// those of a real node.
func TestKeySlotLikeTheRealServer(t *testing.T) {
	realtest.Need(t, "redis-server")
	node := must.Get(servers.StartRedis(t.Context(), servers.RedisOptions{
		Announce: "127.0.0.1:1", Cluster: &servers.ClusterOptions{Host: "redis-1", AnnounceBus: "127.0.0.1:2"},
	}))(t)
	t.Cleanup(func() {
		if err := node.Stop(); err != nil {
			t.Error(err)
		}
	})
	keys := []string{"lock", "lock:fence", "redisson_lock__channel:{lock}", "{}", "{", "}{", "{}a", "a{}b{c}", "{a{b}c}", "ключ"}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		key := ""
		for range rng.IntN(12) {
			key += string("ab{}:\x00é"[rng.IntN(7)])
		}
		keys = append(keys, key)
	}
	real := connect(t, node.Addr)
	for _, key := range keys {
		if reply := real.do(redis.Command("CLUSTER", "KEYSLOT", key)); !reply.IsInt(int64(redis.KeySlot(key))) {
			t.Errorf("slot of %q: %d, on the real server %v", key, redis.KeySlot(key), reply)
		}
	}
}

// Scripts get the answer of a missing command for those commands only that a real server does not
// have, either.
func TestScriptsMissTheCommandsThatAServerHasNot(t *testing.T) {
	real, _ := startServer(t, "")
	var theirs []string
	for _, name := range real.do(redis.Command("COMMAND", "LIST")).Elements() {
		if !strings.Contains(name.Str, "|") {
			theirs = append(theirs, name.Str)
		}
	}
	slices.Sort(theirs)
	ours := slices.Sorted(slices.Values(redis.KnownCommands()))
	if len(theirs) < 200 || !slices.Equal(theirs, ours) {
		t.Errorf("the model knows the commands\n%v\na server has\n%v", ours, theirs)
	}
}

// realServer is a connection to a redis-server.
type realServer struct {
	conn net.Conn
	in   *resp.Reader
}

// startServer starts a redis-server for a test. replicaOf is the address of its primary, "" for
// none.
func startServer(t *testing.T, replicaOf string) (server *realServer, addr string) {
	t.Helper()
	addr = livetest.Redis(t, servers.RedisOptions{ReplicaOf: replicaOf}).Addr
	return connect(t, addr), addr
}

// connect opens another connection to a server.
func connect(t *testing.T, addr string) *realServer {
	t.Helper()
	conn := must.Get(net.Dial("tcp", addr))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return &realServer{conn, resp.NewReader(conn)}
}

// do sends a command and returns its reply, an error if the connection is broken.
func (r *realServer) do(cmd redis.Cmd) redis.Reply {
	var words []string
	for _, a := range cmd.Args() {
		words = append(words, fmt.Sprint(a))
	}
	_ = r.conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, err := r.conn.Write(resp.AppendCommand(nil, words...))
	var message []byte
	if err == nil {
		message, err = r.in.Next()
	}
	if err != nil {
		return redis.Failed(err)
	}
	reply, err := resp.Parse(message)
	if err != nil {
		return redis.Failed(err)
	}
	return reply
}
