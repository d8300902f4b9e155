package redis

import (
	"strings"

	"lockstep/internal/world"
)

// opcode is a command that the model knows.
type opcode uint8

const (
	opUnknown opcode = iota
	opPing
	opSet
	opSetNX
	opSetEX
	opPSetEX
	opGet
	opGetSet
	opDel
	opExists
	opExpire
	opPExpire
	opExpireAt
	opPExpireAt
	opTTL
	opPTTL
	opPersist
	opType
	opIncr
	opDecr
	opIncrBy
	opDecrBy
	opHSet
	opHGet
	opHExists
	opHDel
	opHLen
	opHIncrBy
	opHGetAll
	opPublish
	opTime
	opFlushAll
	opUnlink
	opExpireTime
	opPExpireTime
	opGetDel
	opGetRange
	opStrLen
	opMGet
	opMSet
	opMSetNX
	opHSetNX
	opHMGet
	opHKeys
	opHVals
	opLPush
	opRPush
	opLPop
	opRPop
	opLIndex
	opLRange
	opLRem
	opLLen
	opZAdd
	opZIncrBy
	opZRem
	opZRemRangeByScore
	opZScore
	opZRank
	opZCard
	opZCount
	opZRange
	opZRangeByScore
	opEval
	opWait  // answered by the world; scripts must be told that they may not call it
	opMulti // the rest of these: see Transaction
	opExec
	opDiscard
	opCas // from here on: not in Redis 7.0, see Extensions
	opCad
	opDelEx
	opCount
)

// command says how a command may be called: the least number of arguments after
// the name, the most (-1: any), whether it writes, whether scripts may call it.
type command struct {
	name     string
	min, max int8
	write    bool
	noScript bool
}

var commands = [opCount]command{
	opPing:      {name: "ping", max: -1},
	opSet:       {name: "set", min: 2, max: -1, write: true},
	opSetNX:     {name: "setnx", min: 2, max: 2, write: true},
	opSetEX:     {name: "setex", min: 3, max: 3, write: true},
	opPSetEX:    {name: "psetex", min: 3, max: 3, write: true},
	opGet:       {name: "get", min: 1, max: 1},
	opGetSet:    {name: "getset", min: 2, max: 2, write: true},
	opDel:       {name: "del", min: 1, max: -1, write: true},
	opExists:    {name: "exists", min: 1, max: -1},
	opExpire:    {name: "expire", min: 2, max: -1, write: true},
	opPExpire:   {name: "pexpire", min: 2, max: -1, write: true},
	opExpireAt:  {name: "expireat", min: 2, max: -1, write: true},
	opPExpireAt: {name: "pexpireat", min: 2, max: -1, write: true},
	opTTL:       {name: "ttl", min: 1, max: 1},
	opPTTL:      {name: "pttl", min: 1, max: 1},
	opPersist:   {name: "persist", min: 1, max: 1, write: true},
	opType:      {name: "type", min: 1, max: 1},
	opIncr:      {name: "incr", min: 1, max: 1, write: true},
	opDecr:      {name: "decr", min: 1, max: 1, write: true},
	opIncrBy:    {name: "incrby", min: 2, max: 2, write: true},
	opDecrBy:    {name: "decrby", min: 2, max: 2, write: true},
	opHSet:      {name: "hset", min: 3, max: -1, write: true},
	opHGet:      {name: "hget", min: 2, max: 2},
	opHExists:   {name: "hexists", min: 2, max: 2},
	opHDel:      {name: "hdel", min: 2, max: -1, write: true},
	opHLen:      {name: "hlen", min: 1, max: 1},
	opHIncrBy:   {name: "hincrby", min: 3, max: 3, write: true},
	opHGetAll:   {name: "hgetall", min: 1, max: 1},
	opPublish:   {name: "publish", min: 2, max: 2},
	opTime:      {name: "time"},
	opFlushAll:  {name: "flushall", max: -1, write: true},

	opUnlink:      {name: "unlink", min: 1, max: -1, write: true},
	opExpireTime:  {name: "expiretime", min: 1, max: 1},
	opPExpireTime: {name: "pexpiretime", min: 1, max: 1},
	opGetDel:      {name: "getdel", min: 1, max: 1, write: true},
	opGetRange:    {name: "getrange", min: 3, max: 3},
	opStrLen:      {name: "strlen", min: 1, max: 1},
	opMGet:        {name: "mget", min: 1, max: -1},
	opMSet:        {name: "mset", min: 2, max: -1, write: true},
	opMSetNX:      {name: "msetnx", min: 2, max: -1, write: true},
	opHSetNX:      {name: "hsetnx", min: 3, max: 3, write: true},
	opHMGet:       {name: "hmget", min: 2, max: -1},
	opHKeys:       {name: "hkeys", min: 1, max: 1},
	opHVals:       {name: "hvals", min: 1, max: 1},

	opLPush:  {name: "lpush", min: 2, max: -1, write: true},
	opRPush:  {name: "rpush", min: 2, max: -1, write: true},
	opLPop:   {name: "lpop", min: 1, max: -1, write: true},
	opRPop:   {name: "rpop", min: 1, max: -1, write: true},
	opLIndex: {name: "lindex", min: 2, max: 2},
	opLRange: {name: "lrange", min: 3, max: 3},
	opLRem:   {name: "lrem", min: 3, max: 3, write: true},
	opLLen:   {name: "llen", min: 1, max: 1},

	opZAdd:             {name: "zadd", min: 3, max: -1, write: true},
	opZIncrBy:          {name: "zincrby", min: 3, max: 3, write: true},
	opZRem:             {name: "zrem", min: 2, max: -1, write: true},
	opZRemRangeByScore: {name: "zremrangebyscore", min: 3, max: 3, write: true},
	opZScore:           {name: "zscore", min: 2, max: 2},
	opZRank:            {name: "zrank", min: 2, max: 2},
	opZCard:            {name: "zcard", min: 1, max: 1},
	opZCount:           {name: "zcount", min: 3, max: 3},
	opZRange:           {name: "zrange", min: 3, max: -1},
	opZRangeByScore:    {name: "zrangebyscore", min: 3, max: -1},

	opEval:    {name: "eval", min: 2, max: -1, noScript: true},
	opWait:    {name: "wait", min: 2, max: 2, noScript: true},
	opMulti:   {name: "multi", noScript: true},
	opExec:    {name: "exec", noScript: true},
	opDiscard: {name: "discard", noScript: true},

	opCas:   {name: "cas", min: 3, max: -1, write: true},
	opCad:   {name: "cad", min: 2, max: 2, write: true},
	opDelEx: {name: "delex", min: 1, max: -1, write: true},
}

// opcodes finds a command by its name in capitals, as clients write it, or in
// small letters, as scripts do. It is filled once and only read afterwards.
var opcodes = func() map[string]opcode {
	m := make(map[string]opcode, 2*opCount)
	for op := opUnknown + 1; op < opCount; op++ {
		m[commands[op].name] = op
		m[strings.ToUpper(commands[op].name)] = op
	}
	return m
}()

// lookup returns the command with that name in any case.
func lookup(name string) opcode {
	switch name { // what nearly every lock and script sends, without hashing
	case "SET":
		return opSet
	case "EVAL":
		return opEval
	case "GET", "get":
		return opGet
	case "DEL", "del":
		return opDel
	}
	if op, ok := opcodes[name]; ok {
		return op
	}
	var buf [16]byte
	if len(name) > len(buf) {
		return opUnknown
	}
	for i := range len(name) {
		c := name[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	return opcodes[string(buf[:len(name)])]
}

// knows reports whether the store has a command: those beyond Redis 7.0 have to be
// asked for.
func (s *Store) knows(op opcode) bool {
	return op != opUnknown && (op < opCas || s.Extensions&extensionOf(op) != 0)
}

// refuses returns why a write must not be executed now, nil when it may
// (processCommand in server.c, scriptVerifyWriteCommandAllow in script.c). Nobody
// counts the replicas of a replica.
func (s *Store) refuses() error {
	switch {
	case s.replica:
		return errReadOnly
	case s.NoGoodReplicas:
		return errNoReplicas
	}
	return nil
}

// arityOK reports whether a command may have n arguments.
func arityOK(op opcode, n int) bool {
	c := &commands[op]
	return n >= int(c.min) && (c.max < 0 || n <= int(c.max))
}

// run executes a command whose name, arity and permission have been checked.
func (s *Store) run(op opcode, args []world.Arg) world.Reply {
	switch op {
	case opPing:
		return ping(args)
	case opSet:
		return s.set(args)
	case opSetNX:
		return s.setNX(args)
	case opSetEX, opPSetEX:
		return s.setEX(op, args)
	case opGet:
		return s.get(args)
	case opGetSet:
		return s.getSet(args)
	case opDel:
		return s.del(args)
	case opExists:
		return s.exists(args)
	case opExpire, opPExpire, opExpireAt, opPExpireAt:
		return s.expireCommand(op, args)
	case opTTL, opPTTL:
		return s.ttlCommand(op, args)
	case opPersist:
		return s.persist(args)
	case opType:
		return s.typeCommand(args)
	case opIncr, opDecr, opIncrBy, opDecrBy:
		return s.increment(op, args)
	}
	return s.runMore(op, args)
}

// runMore executes the rest of the commands.
func (s *Store) runMore(op opcode, args []world.Arg) world.Reply {
	switch op {
	case opHSet:
		return s.hset(args)
	case opHGet:
		return s.hget(args)
	case opHExists:
		return s.hexists(args)
	case opHDel:
		return s.hdel(args)
	case opHLen:
		return s.length(kindHash, args)
	case opHIncrBy:
		return s.hincrby(args)
	case opHGetAll:
		return s.hgetall(args)
	case opPublish:
		return s.publish(args)
	case opTime:
		return s.time()
	case opFlushAll:
		return s.flushAll(args)
	case opUnlink:
		return s.del(args)
	case opExpireTime, opPExpireTime:
		return s.expireTime(op, args)
	case opGetDel:
		return s.getDel(args)
	case opGetRange:
		return s.getRange(args)
	case opStrLen:
		return s.strLen(args)
	case opMGet:
		return s.mget(args)
	case opMSet, opMSetNX:
		return s.mset(op, args)
	case opHSetNX:
		return s.hsetnx(args)
	case opHMGet:
		return s.hmget(args)
	case opHKeys, opHVals:
		return s.hlist(op, args)
	case opCas:
		return s.cas(args)
	case opCad:
		return s.cad(args)
	case opDelEx:
		return s.delEx(args)
	}
	return s.runCollection(op, args)
}

// runCollection executes the commands of lists and sorted sets.
func (s *Store) runCollection(op opcode, args []world.Arg) world.Reply {
	switch op {
	case opLPush, opRPush:
		return s.push(op, args)
	case opLPop, opRPop:
		return s.pop(op, args)
	case opLIndex:
		return s.lindex(args)
	case opLRange:
		return s.lrange(args)
	case opLRem:
		return s.lrem(args)
	case opLLen:
		return s.length(kindList, args)
	case opZAdd:
		return s.zadd(args)
	case opZIncrBy:
		return s.zincrby(args)
	case opZRem:
		return s.zrem(args)
	case opZRemRangeByScore:
		return s.zremRangeByScore(args)
	case opZScore:
		return s.zscore(args)
	case opZRank:
		return s.zrank(args)
	case opZCard:
		return s.length(kindSortedSet, args)
	case opZCount:
		return s.zcount(args)
	case opZRange, opZRangeByScore:
		return s.zrange(op, args)
	}
	panic("redis: " + commands[op].name + " is not a command of the keyspace: the world must answer it")
}
