package redis

import (
	"math/rand/v2"
	"strings"
)

// generator makes random commands like those of locks, with few keys and values, so
// that they collide. Times to live are long or already over, so nothing depends on
// the speed of the real server.
type generator struct {
	*rand.Rand
	nowMS int64
	multi bool // a transaction is open

	extensions bool // also commands that Redis 7.0 does not have
	collection int  // 1: mostly lists, 2: mostly sorted sets; else all kinds
}

func (g *generator) pick(texts ...string) string { return texts[g.IntN(len(texts))] }
func (g *generator) key() string                 { return g.pick("a", "b", "c", "h", "q", "z", "fence") }

// of is the usual key of a type, sometimes another one.
func (g *generator) of(usual string) string {
	if g.IntN(8) == 0 {
		return g.key()
	}
	return usual
}

// value adds a text or a number; some texts only look like numbers.
func (g *generator) value(c Cmd) Cmd {
	switch g.IntN(12) {
	case 0:
		return c.Num(g.Int64N(20) - 5)
	case 1:
		return c.Num(9223372036854775807 - g.Int64N(3))
	case 2:
		return c.Num(-9223372036854775808 + g.Int64N(3))
	case 3:
		return c.Text(g.pick("", "007", " 1", "+1", "-0", "1.5", "9223372036854775808", "-9223372036854775809"))
	}
	return c.Text(g.pick("1", "2", "A", "B", "x y"))
}

// ttl is a time to live in a unit of unitMS milliseconds. Two are rarely so close
// that the server's speed decides which one is longer.
func (g *generator) ttl(unitMS int64) int64 { return (1_000_000 + g.Int64N(1e10)) / unitMS }

// bad adds a time that Redis refuses, or a past one.
func (g *generator) bad(c Cmd) Cmd {
	switch g.IntN(5) {
	case 0:
		return c.Text(g.pick("x", "", "1.5", "10 "))
	case 1:
		return c.Num(9223372036854775807)
	case 2:
		return c.Num(9223372036854776)
	case 3:
		return c.Num(-9223372036854775808)
	}
	return c.Num(-g.Int64N(3))
}

// when adds a time in seconds or milliseconds, relative or absolute.
func (g *generator) when(c Cmd, unitMS int64, absolute bool) Cmd {
	switch {
	case g.IntN(8) == 0:
		return g.bad(c)
	case absolute && g.IntN(3) == 0:
		return c.Num(1 + g.Int64N(1_000_000)) // 1970
	case absolute && g.IntN(2) == 0:
		return c.Num((4_000_000_000_000 + 1000*g.Int64N(2)) / unitMS) // 2096, for equal expiries
	case absolute:
		return c.Num((g.nowMS + 1_000_000 + g.Int64N(1e10)) / unitMS)
	}
	return c.Num(g.ttl(unitMS))
}

func (g *generator) set() Cmd {
	c := g.value(Command("SET", g.key()))
	for g.IntN(5) < 3 && c.Len() < 6 {
		switch g.IntN(10) {
		case 0, 1, 2:
			c = c.Text(g.pick("NX", "nx", "XX"))
		case 3:
			c = c.Text(g.pick("GET", "KEEPTTL", "keepttl", "FOO"))
		case 4, 5:
			c = g.when(c.Text(g.pick("EX", "ex")), 1000, false)
		case 6:
			c = g.when(c.Text("EXAT"), 1000, true)
		case 7:
			c = g.when(c.Text("PXAT"), 1, true)
		default:
			c = g.when(c.Text("PX"), 1, false)
		}
	}
	return c
}

func (g *generator) expire() Cmd {
	name := g.pick("EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT")
	unitMS := int64(1000)
	if name[0] == 'P' {
		unitMS = 1
	}
	c := g.when(Command(name, g.key()), unitMS, strings.HasSuffix(name, "AT"))
	for g.IntN(3) == 0 && c.Len() < 5 {
		c = c.Text(g.pick("NX", "XX", "GT", "LT", "gt", "FOO"))
	}
	return c
}

func (g *generator) script() Cmd {
	switch g.IntN(20) {
	case 0, 1, 2:
		return g.library()
	case 3, 4, 5:
		return g.hashed()
	case 6:
		return g.badWait()
	}
	c := Eval(&lockScripts[g.IntN(len(lockScripts))].Script, g.key())
	return c.Text(g.pick("1", "A", "B", "oops")).Text(g.pick("1", "2", "f"))
}

// next returns a random command.
func (g *generator) next() Cmd {
	switch n := g.IntN(100); {
	case g.collection == 1 && n < 70:
		return g.list()
	case g.collection == 2 && n < 70:
		return g.sortedSet()
	case g.extensions && n < 10:
		return g.extension()
	case n < 16:
		return g.list()
	case n < 34:
		return g.sortedSet()
	case n < 38, g.multi && n < 46:
		return g.transaction()
	case n < 48:
		return g.moreKeys()
	}
	return g.usual()
}

// usual returns a random one of the commands that nearly all locks use.
func (g *generator) usual() Cmd {
	switch g.IntN(24) {
	case 0, 1, 2, 3:
		return g.set()
	case 4, 5:
		return Command("GET", g.key())
	case 6:
		return g.value(Command(g.pick("SETNX", "GETSET"), g.key()))
	case 7:
		name, unitMS := "SETEX", int64(1000)
		if g.IntN(2) == 0 {
			name, unitMS = "PSETEX", 1
		}
		return g.value(g.when(Command(name, g.key()), unitMS, false))
	case 8, 9:
		return g.expire()
	case 10:
		return Command(g.pick("TTL", "PTTL", "PERSIST", "TYPE", "HLEN", "HGETALL", "HKEYS", "HVALS", "EXPIRETIME", "PEXPIRETIME"), g.key())
	case 11:
		return Command(g.pick("DEL", "EXISTS"), g.key(), g.key())
	case 12:
		return Command(g.pick("INCR", "DECR", "DEL"), g.key())
	case 13:
		return g.value(Command(g.pick("INCRBY", "DECRBY"), g.key()))
	case 14, 15:
		c := g.value(Command("HSET", g.key(), g.pick("f", "g")))
		if g.IntN(4) == 0 {
			c = g.value(c.Text(g.pick("f", "g", "1")))
		}
		return c
	case 16:
		return Command(g.pick("HGET", "HEXISTS", "HDEL", "HMGET"), g.key(), g.pick("f", "g", "1"))
	case 17:
		return g.value(Command("HINCRBY", g.key(), g.pick("f", "g")))
	case 18:
		return g.odd()
	}
	return g.script()
}

// odd returns a wrong or rare command.
func (g *generator) odd() Cmd {
	switch g.IntN(10) {
	case 0:
		return Command(g.pick("GET", "SET", "HSET", "DEL", "PING", "TIME", "INCR", "EXPIRE", "EVAL", "SETEX"),
			[]string{"a", "b", "c", "d", "e"}[:g.IntN(5)]...)
	case 1:
		return Command(g.pick("FOO", "foo", "it's"), []string{"x", strings.Repeat("y", 140), "z\nz"}[:g.IntN(4)]...)
	case 2:
		return Command("PING")
	case 3:
		return Command("FLUSHALL", []string{g.pick("ASYNC", "sync", "x"), "y"}[:g.IntN(3)]...)
	case 4:
		return Command("PUBLISH", "c", "m")
	case 5:
		return Command("EVAL", "return {KEYS[1], ARGV[1]}", g.pick("0", "1", "2", "3", "-1", "x"), "k", "v")
	case 6:
		return Command("HDEL", g.key(), "f", "g", "f")
	}
	return Command("HGETALL", g.key())
}

// moreKeys returns one of the rarer commands of strings and hashes.
func (g *generator) moreKeys() Cmd {
	switch g.IntN(8) {
	case 0:
		return Command(g.pick("GETDEL", "STRLEN"), g.key())
	case 1:
		return g.position(g.position(Command("GETRANGE", g.key())))
	case 2:
		return Command("MGET", g.key(), g.key(), g.key())
	case 3:
		return Command("UNLINK", g.key(), g.key())
	case 4:
		return g.value(Command("HSETNX", g.key(), g.pick("f", "g")))
	case 5:
		return Command("HMGET", g.key(), "g", "f", "none")
	}
	c := g.value(Command(g.pick("MSET", "MSETNX", "msetnx"), g.key()))
	for c.Len() < 6 && g.IntN(2) == 0 {
		c = c.Text(g.key())
		if g.IntN(10) > 0 {
			c = c.Text(g.pick("1", "A"))
		}
	}
	return c
}

// element adds an element of a list or a member of a sorted set. A number and its
// digits are the same element.
func (g *generator) element(c Cmd) Cmd {
	if g.IntN(4) == 0 {
		return c.Num(g.Int64N(3))
	}
	return c.Text(g.pick("1", "2", "A", "B", "a", ""))
}

// position adds a position in a list or a count, rarely an invalid one.
func (g *generator) position(c Cmd) Cmd {
	if g.IntN(12) == 0 {
		return c.Text(g.pick("x", "1.5", "", "9223372036854775808", "-9223372036854775808"))
	}
	return c.Num(g.Int64N(9) - 4)
}

func (g *generator) list() Cmd {
	switch g.IntN(9) {
	case 0, 1, 2:
		c := g.element(Command(g.pick("RPUSH", "LPUSH"), g.of("q")))
		for c.Len() < 5 && g.IntN(3) == 0 {
			c = g.element(c)
		}
		return c
	case 3:
		c := Command(g.pick("LPOP", "RPOP"), g.of("q"))
		for c.Len() < 3 && g.IntN(4) == 0 {
			c = g.position(c)
		}
		return c
	case 4:
		return g.position(Command("LINDEX", g.of("q")))
	case 5:
		return g.element(g.position(Command("LREM", g.of("q"))))
	case 6:
		return Command("LLEN", g.of("q"))
	}
	return g.position(g.position(Command("LRANGE", g.of("q"))))
}

// score adds a score, rarely an invalid one.
func (g *generator) score(c Cmd) Cmd {
	switch g.IntN(14) {
	case 0:
		return c.Text(g.pick("x", "", " 1", "1 ", "nan", "(1", "1_0"))
	case 1:
		return c.Text(g.pick("+3", "1e1", "0x10", "2.0", "007"))
	case 2:
		return c.Num(1_700_000_000_000 + g.Int64N(3))
	}
	return c.Num(g.Int64N(7) - 3)
}

// bound adds an end of a range of scores.
func (g *generator) bound(c Cmd) Cmd {
	switch g.IntN(8) {
	case 0:
		return c.Text(g.pick("-inf", "+inf", "inf", "(inf", "(-inf", "-Infinity"))
	case 1, 2:
		return c.Text(g.pick("(0", "(1", "(-2", "(1700000000001", "(", "( 1"))
	case 3:
		return c.Text(g.pick("x", "((1", "", " 1", "1 ", "nan", "1e1"))
	}
	return c.Num(g.Int64N(7) - 3)
}

func (g *generator) zadd() Cmd {
	c := Command("ZADD", g.of("z"))
	for c.Len() < 4 && g.IntN(3) == 0 {
		c = c.Text(g.pick("NX", "XX", "GT", "LT", "CH", "INCR", "ch", "FOO"))
	}
	c = g.element(g.score(c))
	if c.Len() <= 5 && g.IntN(5) == 0 {
		if c = g.score(c); g.IntN(5) > 0 {
			c = g.element(c)
		}
	}
	return c
}

func (g *generator) zrange() Cmd {
	name := g.pick("ZRANGE", "ZRANGEBYSCORE")
	c := Command(name, g.of("z"))
	byScore := name == "ZRANGEBYSCORE" || g.IntN(2) == 0
	if byScore {
		c = g.bound(g.bound(c))
	} else {
		c = g.position(g.position(c))
	}
	if byScore && name == "ZRANGE" {
		c = c.Text("BYSCORE")
	}
	for c.Len() < 8 && g.IntN(2) == 0 {
		switch word := g.pick("WITHSCORES", "withscores", "REV", "LIMIT", "BYSCORE", "FOO"); {
		case word != "LIMIT":
			c = c.Text(word)
		case c.Len() <= 5:
			c = c.Text("LIMIT").Text(g.pick("0", "1", "2", "-1", "x")).Text(g.pick("0", "1", "2", "-1", "-2"))
		}
	}
	return c
}

func (g *generator) sortedSet() Cmd {
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		return g.zadd()
	case 4:
		return g.element(g.score(Command("ZINCRBY", g.of("z"))))
	case 5:
		return g.element(g.element(Command("ZREM", g.of("z"))))
	case 6:
		return g.element(Command(g.pick("ZSCORE", "ZRANK"), g.of("z")))
	case 7:
		return Command("ZCARD", g.of("z"))
	case 8:
		return g.bound(g.bound(Command(g.pick("ZCOUNT", "ZREMRANGEBYSCORE"), g.of("z"))))
	}
	return g.zrange()
}

// transaction opens and closes transactions, rarely in the wrong order.
func (g *generator) transaction() Cmd {
	name := g.pick("EXEC", "EXEC", "EXEC", "DISCARD", "MULTI")
	if !g.multi && g.IntN(8) > 0 {
		name = "MULTI"
	}
	if g.IntN(40) == 0 {
		return Command(name, "x")
	}
	g.multi = name == "MULTI"
	return Command(name)
}

// extension returns a command beyond Redis 7.0.
func (g *generator) extension() Cmd {
	old := func() string { return g.pick("1", "2", "A", "B", "x y") }
	switch g.IntN(5) {
	case 0:
		return Command("CAD", g.key(), old())
	case 1:
		return Command("DELEX", g.key(), g.pick("IFEQ", "IFNE", "FOO"), old())
	case 2:
		return Command("SET", g.key(), old(), g.pick("IFEQ", "IFNE"), old(), "PX").Num(g.ttl(1))
	}
	c := Command("CAS", g.key(), old(), old())
	if g.IntN(2) == 0 {
		unit := g.pick("EX", "PX", "PXAT", "EXAT", "FOO")
		c = g.when(c.Text(unit), 1000, len(unit) == 4)
	}
	return c
}
