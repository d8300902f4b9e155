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
	opEval
	opWait // answered by the world; scripts must be told that they may not call it
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
	opPing:      {name: "ping", max: 1},
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
	opEval:      {name: "eval", min: 2, max: -1, noScript: true},
	opWait:      {name: "wait", min: 2, max: 2, noScript: true},
}

// opcodes finds a command by its upper-case name. It is filled once and only
// read afterwards.
var opcodes = func() map[string]opcode {
	m := make(map[string]opcode, opCount)
	for op := opUnknown + 1; op < opCount; op++ {
		m[strings.ToUpper(commands[op].name)] = op
	}
	return m
}()

// lookup returns the command with that name in any case.
func lookup(name string) opcode {
	switch name { // the names of every lock's hot path, without hashing
	case "SET":
		return opSet
	case "GET":
		return opGet
	case "EVAL":
		return opEval
	case "DEL":
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

// arityOK reports whether a command may have n arguments.
func arityOK(op opcode, n int) bool {
	c := &commands[op]
	return n >= int(c.min) && (c.max < 0 || n <= int(c.max))
}

// run executes a command whose name, arity and permission have been checked.
func (s *Store) run(op opcode, args []world.Arg) world.Reply {
	switch op {
	case opPing:
		if len(args) == 1 {
			return world.Bulk(args[0].String())
		}
		return world.Reply{Kind: world.ReplyStatus, Str: "PONG"}
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
		return s.hlen(args)
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
	}
	panic("redis: " + commands[op].name + " is not a command of the keyspace: the world must answer it")
}

// The errors of Redis 7.0, as values so that a refusal allocates nothing.
var (
	errSyntax       error = world.ServerError("ERR syntax error")
	errNotInteger   error = world.ServerError("ERR value is not an integer or out of range")
	errOverflow     error = world.ServerError("ERR increment or decrement would overflow")
	errDecrOverflow error = world.ServerError("ERR decrement would overflow")
	errHashInteger  error = world.ServerError("ERR hash value is not an integer")
	errReadOnly     error = world.ServerError("READONLY You can't write against a read only replica.")
	errWrongType    error = world.ServerError(
		"WRONGTYPE Operation against a key holding the wrong kind of value")
	errExpireNX error = world.ServerError(
		"ERR NX and XX, GT or LT options at the same time are not compatible")
	errExpireGTLT error = world.ServerError(
		"ERR GT and LT options at the same time are not compatible")
)

// wrongNumber is the refusal of a command with too few or too many arguments.
func wrongNumber(op opcode) world.Reply {
	return world.Failed(world.ServerError(
		"ERR wrong number of arguments for '" + commands[op].name + "' command"))
}

// badExpire is the refusal of a time to live.
func badExpire(op opcode) world.Reply {
	return world.Failed(world.ServerError(
		"ERR invalid expire time in '" + commands[op].name + "' command"))
}

// unknownCommand is the refusal of a command that does not exist; it quotes up
// to 128 characters of the arguments (commandCheckExistence in server.c).
func unknownCommand(name string, args []world.Arg) world.Reply {
	const most = 128
	quoted := ""
	for _, a := range args {
		if len(quoted) >= most {
			break
		}
		text := a.String()
		quoted += "'" + text[:min(len(text), most-len(quoted))] + "' "
	}
	text := "ERR unknown command '" + name[:min(len(name), most)] +
		"', with args beginning with: " + quoted
	return world.Failed(world.ServerError(oneLine(text)))
}

// oneLine replaces line ends, which would break the protocol, by blanks
// (addReplyErrorFormatInternal in networking.c).
func oneLine(text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	text = strings.TrimRight(text, "\r\n")
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
}

// isOption reports whether an argument is that upper-case word in any case.
func isOption(a world.Arg, word string) bool {
	return !a.IsNum && len(a.Text) == len(word) && strings.EqualFold(a.Text, word)
}

// parseInt reads an argument as Redis reads integers: no blanks, no plus sign, no
// leading zeros (string2ll in util.c).
func parseInt(a world.Arg) (int64, bool) {
	if a.IsNum {
		return a.Num, true
	}
	text := a.Text
	negative := text != "" && text[0] == '-'
	if negative {
		text = text[1:]
	}
	if text == "0" {
		return 0, !negative
	}
	if text == "" || len(text) > 19 || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	var n uint64
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + uint64(d) // 19 digits fit into 64 bits
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// addOverflows reports whether a+b leaves the range of int64.
func addOverflows(a, b int64) bool {
	sum := a + b
	return (sum > a) != (b > 0) && b != 0
}
