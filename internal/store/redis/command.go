package redis

import "strings"

// command is a command that the model has: how it may be called, and what it does. Most work
// on the value of one key and have an on; the others have a run.
type command struct {
	name     string
	min, max int8 // how many arguments after the name; max -1: any number
	pairs    bool // the arguments after the first min come in pairs
	write    bool
	noScript bool       // scripts may not call it
	beyond   Extensions // the extension that has it; 0: Redis 7.0

	// run executes it; name, arity and permission have been checked. With neither run nor on,
	// the world executes it, or another part of the model.
	run running

	// on executes it on the value of that kind at args[0].
	on    acting
	kind  valueKind
	ints  []int // the arguments that have to be integers, checked first
	none  Reply // the reply when there is no such key
	makes bool  // it makes an empty value when there is no such key
}

// running executes a command, which some errors name; acting executes one on an entry.
type (
	running func(s *Store, c *command, args []Arg) Reply
	acting  func(s *Store, e *entry, args []Arg) Reply
)

var (
	zero   = Int(0)
	noList = List(nil)
)

var commandTable = []command{
	{name: "ping", max: -1, run: (*Store).ping},
	{name: "set", min: 2, max: -1, write: true, run: (*Store).set},
	{name: "setnx", min: 2, max: 2, write: true, run: (*Store).setNX},
	{name: "setex", min: 3, max: 3, write: true, run: setEX(unitEX)},
	{name: "psetex", min: 3, max: 3, write: true, run: setEX(unitPX)},
	{name: "get", min: 1, max: 1, on: (*Store).get},
	{name: "getset", min: 2, max: 2, write: true, run: (*Store).getSet},
	{name: "getdel", min: 1, max: 1, write: true, on: (*Store).getDel},
	{name: "getrange", min: 3, max: 3, on: (*Store).getRange, ints: []int{1, 2}, none: Bulk("")},
	{name: "strlen", min: 1, max: 1, on: (*Store).strLen, none: zero},
	{name: "mget", min: 1, max: -1, run: (*Store).mget},
	{name: "mset", min: 2, max: -1, pairs: true, write: true, run: (*Store).mset},
	{name: "msetnx", min: 2, max: -1, pairs: true, write: true, run: (*Store).msetNX},
	{name: "incr", min: 1, max: 1, write: true, run: increment(1)},
	{name: "decr", min: 1, max: 1, write: true, run: increment(-1)},
	{name: "incrby", min: 2, max: 2, write: true, run: increment(1)},
	{name: "decrby", min: 2, max: 2, write: true, run: increment(-1)},

	{name: "del", min: 1, max: -1, write: true, run: (*Store).del},
	{name: "unlink", min: 1, max: -1, write: true, run: (*Store).del},
	{name: "exists", min: 1, max: -1, run: (*Store).exists},
	{name: "type", min: 1, max: 1, on: (*Store).typeCommand, kind: kindAny, none: Status("none")},
	{name: "expire", min: 2, max: -1, write: true, run: expire(unitEX)},
	{name: "pexpire", min: 2, max: -1, write: true, run: expire(unitPX)},
	{name: "expireat", min: 2, max: -1, write: true, run: expire(unitEXAT)},
	{name: "pexpireat", min: 2, max: -1, write: true, run: expire(unitPXAT)},
	{name: "persist", min: 1, max: 1, write: true, on: (*Store).persist, kind: kindAny, none: zero},
	{name: "ttl", min: 1, max: 1, on: timeToLive(unitEX), kind: kindAny, none: Int(-2)},
	{name: "pttl", min: 1, max: 1, on: timeToLive(unitPX), kind: kindAny, none: Int(-2)},
	{name: "expiretime", min: 1, max: 1, on: timeToLive(unitEXAT), kind: kindAny, none: Int(-2)},
	{name: "pexpiretime", min: 1, max: 1, on: timeToLive(unitPXAT), kind: kindAny, none: Int(-2)},
	{name: "flushall", max: -1, write: true, run: (*Store).flushAll},
	{name: "publish", min: 2, max: 2, run: (*Store).publish},
	{name: "time", run: (*Store).time},

	{name: "hset", min: 3, max: -1, pairs: true, write: true, on: (*Store).hset, kind: kindHash, makes: true},
	{name: "hsetnx", min: 3, max: 3, write: true, on: (*Store).hsetnx, kind: kindHash, makes: true},
	{name: "hincrby", min: 3, max: 3, write: true, on: (*Store).hincrby, kind: kindHash, ints: []int{2}, makes: true},
	{name: "hget", min: 2, max: 2, on: (*Store).hget, kind: kindHash},
	{name: "hmget", min: 2, max: -1, run: (*Store).hmget},
	{name: "hexists", min: 2, max: 2, on: (*Store).hexists, kind: kindHash, none: zero},
	{name: "hdel", min: 2, max: -1, write: true, on: (*Store).hdel, kind: kindHash, none: zero},
	{name: "hlen", min: 1, max: 1, on: (*Store).length, kind: kindHash, none: zero},
	{name: "hkeys", min: 1, max: 1, on: listing(true, false), kind: kindHash, none: noList},
	{name: "hvals", min: 1, max: 1, on: listing(false, true), kind: kindHash, none: noList},
	{name: "hgetall", min: 1, max: 1, on: listing(true, true), kind: kindHash, none: noList},

	{name: "lpush", min: 2, max: -1, write: true, on: push(EffectPushLeft), kind: kindList, makes: true},
	{name: "rpush", min: 2, max: -1, write: true, on: push(EffectPushRight), kind: kindList, makes: true},
	{name: "lpop", min: 1, max: -1, write: true, run: pop(EffectPopLeft)},
	{name: "rpop", min: 1, max: -1, write: true, run: pop(EffectPopRight)},
	{name: "lindex", min: 2, max: 2, on: (*Store).lindex, kind: kindList},
	{name: "lrange", min: 3, max: 3, on: (*Store).lrange, kind: kindList, ints: []int{1, 2}, none: noList},
	{name: "lrem", min: 3, max: 3, write: true, on: (*Store).lrem, kind: kindList, ints: []int{1}, none: zero},
	{name: "llen", min: 1, max: 1, on: (*Store).length, kind: kindList, none: zero},

	{name: "zadd", min: 3, max: -1, write: true, run: (*Store).zadd},
	{name: "zincrby", min: 3, max: 3, write: true, run: (*Store).zincrby},
	{name: "zrem", min: 2, max: -1, write: true, on: (*Store).zrem, kind: kindSortedSet, none: zero},
	{name: "zremrangebyscore", min: 3, max: 3, write: true, run: (*Store).zremRangeByScore},
	{name: "zscore", min: 2, max: 2, on: (*Store).hget, kind: kindSortedSet},
	{name: "zrank", min: 2, max: 2, on: (*Store).zrank, kind: kindSortedSet},
	{name: "zcard", min: 1, max: 1, on: (*Store).length, kind: kindSortedSet, none: zero},
	{name: "zcount", min: 3, max: 3, run: (*Store).zcount},
	{name: "zrange", min: 3, max: -1, run: (*Store).zrange},
	{name: "zrangebyscore", min: 3, max: -1, run: (*Store).zrangeByScore},

	{name: "eval", min: 2, max: -1, noScript: true},
	{name: "evalsha", min: 2, max: -1, noScript: true},
	{name: "script", min: 1, max: -1, noScript: true},
	{name: "wait", min: 2, max: 2, noScript: true, run: (*Store).wait}, // the world executes it
	{name: "multi", noScript: true},                                    // these three: see Transaction
	{name: "exec", noScript: true},
	{name: "discard", noScript: true},

	{name: "cas", min: 3, max: -1, write: true, beyond: TairString, run: (*Store).cas},
	{name: "cad", min: 2, max: 2, write: true, beyond: TairString, on: (*Store).cad, none: Int(-1)},
	{name: "delex", min: 1, max: -1, write: true, beyond: Redis84, run: (*Store).delEx},
}

// commands has each command by its name in capitals, as clients write it, and in
// small letters, as scripts do.
var commands = func() map[string]*command {
	m := make(map[string]*command, 2*len(commandTable))
	for i := range commandTable {
		c := &commandTable[i]
		m[c.name], m[strings.ToUpper(c.name)] = c, c
	}
	return m
}()

var (
	cmdSet, cmdGet, cmdDel         = commands["set"], commands["get"], commands["del"]
	cmdEval, cmdEvalSHA, cmdScript = commands["eval"], commands["evalsha"], commands["script"]
	cmdMulti, cmdExec, cmdDiscard  = commands["multi"], commands["exec"], commands["discard"]
)

// lookup returns the command with that name in any case; nil if there is none.
func lookup(name string) *command {
	switch name { // the usual ones without hashing
	case "SET":
		return cmdSet
	case "EVAL":
		return cmdEval
	case "GET", "get":
		return cmdGet
	case "DEL", "del":
		return cmdDel
	}
	if c := commands[name]; c != nil {
		return c
	}
	return commands[strings.ToUpper(name)]
}

// knows reports whether the store has a command: those beyond Redis 7.0 have to be
// enabled.
func (s *Store) knows(c *command) bool {
	return c != nil && (c.beyond == 0 || s.Extensions&c.beyond != 0)
}

// refuses returns why a write must not be executed now, nil when it may
// (processCommand in server.c, scriptVerifyWriteCommandAllow in script.c). A
// replica does not count its own replicas.
func (s *Store) refuses() error {
	switch {
	case s.replica:
		return errReadOnly
	case s.NoGoodReplicas:
		return errNoReplicas
	}
	return nil
}

// takes reports whether a command may have n arguments.
func (c *command) takes(n int) bool {
	return n >= int(c.min) && (c.max < 0 || n <= int(c.max))
}

// run executes a command whose name, arity and permission have been checked.
func (s *Store) run(c *command, args []Arg) Reply {
	reply := s.execute(c, args)
	s.reading(c, args)
	return reply
}

func (s *Store) execute(c *command, args []Arg) Reply {
	switch {
	case c.pairs && (len(args)-int(c.min))%2 != 0:
		return wrongNumber(c)
	case c.run != nil:
		return c.run(s, c, args)
	case c.on == nil:
		panic("redis: " + c.name + " is not a command of the keyspace: the world must answer it")
	}
	for _, i := range c.ints {
		if _, ok := parseInt(args[i]); !ok {
			return Failed(errNotInteger)
		}
	}
	key := args[0].String()
	e, refused := s.typed(c.kind, key)
	switch {
	case refused != nil:
		return Failed(refused)
	case e == nil && c.makes:
		e = s.create(key, c.kind, noExpiry)
	case e == nil:
		return c.none
	}
	return c.on(s, e, args)
}
