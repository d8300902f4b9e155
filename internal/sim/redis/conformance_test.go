package redis

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/world"
)

var (
	conformanceSeed     = flag.Uint64("conformance.seed", 1, "seed of the random commands")
	conformanceCommands = flag.Int("conformance.commands", 120_000, "how many random commands to compare")
)

// generator makes random commands of the kind that locks send. A few keys and
// values keep them colliding. Times to live are long or already over: nothing
// depends on how fast the real server answers.
type generator struct {
	*rand.Rand
	nowMS int64
}

func (g *generator) pick(texts ...string) string { return texts[g.IntN(len(texts))] }
func (g *generator) key() string                 { return g.pick("a", "b", "c", "h", "fence") }

// value returns a text or a number; some texts look like numbers but are none.
func (g *generator) value(c world.Cmd) world.Cmd {
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

// ttl is a time to live from now, in a unit of so many milliseconds. Two of them
// are never so close that the server's speed could decide which one is longer.
func (g *generator) ttl(unitMS int64) int64 { return (1_000_000 + g.Int64N(1e10)) / unitMS }

// bad is a time that Redis refuses, or a past one where that is allowed.
func (g *generator) bad(c world.Cmd) world.Cmd {
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

// when appends a time in seconds or milliseconds, relative or absolute.
func (g *generator) when(c world.Cmd, unitMS int64, absolute bool) world.Cmd {
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

func (g *generator) set() world.Cmd {
	c := g.value(world.Command("SET", g.key()))
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

func (g *generator) expire() world.Cmd {
	name := g.pick("EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT")
	unitMS := int64(1000)
	if name[0] == 'P' {
		unitMS = 1
	}
	c := g.when(world.Command(name, g.key()), unitMS, strings.HasSuffix(name, "AT"))
	for g.IntN(3) == 0 && c.Len() < 5 {
		c = c.Text(g.pick("NX", "XX", "GT", "LT", "gt", "FOO"))
	}
	return c
}

func (g *generator) script() world.Cmd {
	c := world.Eval(&lockScripts[g.IntN(len(lockScripts))].Script, g.key())
	return c.Text(g.pick("1", "A", "B", "oops")).Text(g.pick("1", "2", "f"))
}

// next returns a random command.
func (g *generator) next() world.Cmd {
	switch g.IntN(24) {
	case 0, 1, 2, 3:
		return g.set()
	case 4, 5:
		return world.Command("GET", g.key())
	case 6:
		return g.value(world.Command(g.pick("SETNX", "GETSET"), g.key()))
	case 7:
		name, unitMS := "SETEX", int64(1000)
		if g.IntN(2) == 0 {
			name, unitMS = "PSETEX", 1
		}
		return g.value(g.when(world.Command(name, g.key()), unitMS, false))
	case 8, 9:
		return g.expire()
	case 10:
		return world.Command(g.pick("TTL", "PTTL", "PERSIST", "TYPE", "HLEN", "HGETALL"), g.key())
	case 11:
		return world.Command(g.pick("DEL", "EXISTS"), g.key(), g.key())
	case 12:
		return world.Command(g.pick("INCR", "DECR", "DEL"), g.key())
	case 13:
		return g.value(world.Command(g.pick("INCRBY", "DECRBY"), g.key()))
	case 14, 15:
		c := g.value(world.Command("HSET", g.key(), g.pick("f", "g")))
		if g.IntN(4) == 0 {
			c = g.value(c.Text(g.pick("f", "g", "1")))
		}
		return c
	case 16:
		return world.Command(g.pick("HGET", "HEXISTS", "HDEL"), g.key(), g.pick("f", "g", "1"))
	case 17:
		return g.value(world.Command("HINCRBY", g.key(), g.pick("f", "g")))
	case 18:
		return g.odd()
	}
	return g.script()
}

// odd are commands that are wrong or rare.
func (g *generator) odd() world.Cmd {
	switch g.IntN(10) {
	case 0:
		return world.Command(g.pick("GET", "SET", "HSET", "DEL", "PING", "TIME", "INCR", "EXPIRE", "EVAL", "SETEX"),
			[]string{"a", "b", "c", "d", "e"}[:g.IntN(5)]...)
	case 1:
		return world.Command(g.pick("FOO", "foo", "it's"), []string{"x", strings.Repeat("y", 140), "z\nz"}[:g.IntN(4)]...)
	case 2:
		return world.Command("PING")
	case 3:
		return world.Command("FLUSHALL", []string{g.pick("ASYNC", "sync", "x"), "y"}[:g.IntN(3)]...)
	case 4:
		return world.Command("PUBLISH", "c", "m")
	case 5:
		return world.Command("EVAL", "return {KEYS[1], ARGV[1]}", g.pick("0", "1", "2", "3", "-1", "x"), "k", "v")
	case 6:
		return world.Command("HDEL", g.key(), "f", "g", "f")
	}
	return world.Command("HGETALL", g.key())
}

// TestConformance sends the same random commands to redis-server 7 and to the
// model and demands the same replies.
func TestConformance(t *testing.T) {
	real, _ := startServer(t, "")
	version := real.do(t, world.Command("INFO", "server"))
	if !strings.Contains(version.Str, "redis_version:7.0") {
		t.Logf("compared with another version than 7.0: %.80q", version.Str)
	}
	const batch = 400
	t.Logf("seed %d", *conformanceSeed)
	g := &generator{Rand: rand.New(rand.NewPCG(*conformanceSeed, 7))}
	model, started, scripts := New(), time.Now(), 0
	for sent := 0; sent < *conformanceCommands; sent += batch {
		cmds := make([]world.Cmd, batch)
		g.nowMS = time.Now().UnixMilli()
		for i := range cmds {
			cmds[i] = g.next()
			if cmds[i].Script != nil {
				scripts++
			}
		}
		if bad, why := differ(t, real, model, cmds); bad >= 0 {
			cmds = shrink(t, real, model, cmds[:bad+1])
			_, why2 := differ(t, real, model, cmds)
			for i := range cmds {
				t.Logf("%3d %s", i, cmds[i].Args())
			}
			t.Fatalf("seed %d, command %d: %s\nafter shrinking: %s", *conformanceSeed, sent+bad, why, why2)
		}
	}
	t.Logf("%d commands, %d of them scripts, in %v", *conformanceCommands, scripts, time.Since(started).Round(time.Millisecond))
}

// differ runs commands on an empty server and an empty model and returns the
// index of the first reply that differs, -1 for none.
func differ(t *testing.T, real *realServer, model *Store, cmds []world.Cmd) (bad int, why string) {
	t.Helper()
	real.do(t, world.Command("FLUSHALL"))
	model.Reset()
	want := real.pipeline(t, cmds)
	nowMS := time.Now().UnixMilli()
	for i := range cmds {
		got := model.Exec(nowMS, 1, &cmds[i])
		if !same(&cmds[i], want[i], got) {
			return i, fmt.Sprintf("%v\nredis-server: %v\nmodel:        %v", cmds[i].Args(), want[i], got)
		}
	}
	return -1, ""
}

// shrink leaves out commands as long as some reply still differs.
func shrink(t *testing.T, real *realServer, model *Store, cmds []world.Cmd) []world.Cmd {
	t.Helper()
	for i := len(cmds) - 1; i >= 0; i-- {
		fewer := append(append([]world.Cmd{}, cmds[:i]...), cmds[i+1:]...)
		if bad, _ := differ(t, real, model, fewer); bad >= 0 {
			cmds = fewer[:bad+1]
			i = min(i, len(cmds))
		}
	}
	return cmds
}

// same compares two replies to a command.
func same(cmd *world.Cmd, want, got world.Reply) bool {
	if want.Kind != got.Kind || want.Str != got.Str || len(want.Array) != len(got.Array) {
		return false
	}
	if want.Int != got.Int {
		// TTL and PTTL: the two have not read the same clock at the same time.
		toleranceMS := int64(20_000)
		isTTL := strings.HasSuffix(cmd.Name, "TTL") && want.Int > 900 && got.Int > 900
		if !isTTL || want.Int-got.Int > toleranceMS || got.Int-want.Int > toleranceMS {
			return false
		}
	}
	if want.Kind == world.ReplyError {
		return normal(cmd, want.Err.Error()) == normal(cmd, got.Err.Error())
	}
	a, b := want.Array, got.Array
	if cmd.Name == "TIME" && len(a) == 2 {
		return near(a[0].Str, b[0].Str, 20) && near(a[1].Str, b[1].Str, 1_000_000)
	}
	if cmd.Name == "HGETALL" {
		a, b = pairs(a), pairs(b)
	}
	for i := range a {
		if !same(cmd, a[i], b[i]) {
			return false
		}
	}
	return true
}

// near reports whether two numbers differ by less than a tolerance.
func near(a, b string, tolerance int64) bool {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	return errX == nil && errY == nil && max(x-y, y-x) < tolerance
}

// pairs sorts the reply of HGETALL by field: Redis promises no order.
func pairs(list []world.Reply) []world.Reply {
	type pair [2]world.Reply
	var sorted []pair
	for i := 0; i+1 < len(list); i += 2 {
		sorted = append(sorted, pair{list[i], list[i+1]})
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i][0].Str < sorted[j][0].Str })
	var out []world.Reply
	for _, p := range sorted {
		out = append(out, p[0], p[1])
	}
	return out
}

var luaComplaint = regexp.MustCompile(`(user_script:\d+: ).*?( script: [0-9a-f]{40}, on @user_script:\d+\.$|$)`)

// normal takes Lua's own complaint out of an error, where the script says so:
// position, script and line still have to agree.
func normal(cmd *world.Cmd, text string) string {
	for _, known := range lockScripts {
		if cmd.Script == &known.Script && known.anyText {
			return luaComplaint.ReplaceAllString(text, "$1...$2")
		}
	}
	return text
}

// TestConformanceOfShortExpiry lets keys really run out, on the clock of the real
// server, with margins that a busy machine keeps.
func TestConformanceOfShortExpiry(t *testing.T) {
	real, _ := startServer(t, "")
	model := New()
	start := time.Now()
	both := func(cmd world.Cmd) {
		t.Helper()
		want := real.do(t, cmd)
		got := model.Exec(time.Now().UnixMilli(), 1, &cmd)
		if cmd.Name == "PTTL" && want.Int > 0 && got.Int > 0 {
			if d := want.Int - got.Int; d < -150 || d > 150 {
				t.Errorf("%v: redis-server %v, model %v", &cmd, want, got)
			}
		} else if want.String() != got.String() {
			t.Errorf("after %v: %v: redis-server %v, model %v", time.Since(start), &cmd, want, got)
		}
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	expire := func(name string, n int) world.Cmd { return world.Command(name, "e"+strconv.Itoa(n)).Num(int64(n)) }
	for _, n := range []int{200, 600, 1000} {
		both(world.Set("k"+strconv.Itoa(n), "v").NX().PX(ms(n)))
		both(world.Set("e"+strconv.Itoa(n), "v"))
		both(expire("PEXPIRE", n))
		both(world.Command("PSETEX", "p"+strconv.Itoa(n)).Num(int64(n)).Text("v"))
		both(world.Command("HSET", "h"+strconv.Itoa(n), "f", "1"))
		both(world.Command("PEXPIRE", "h"+strconv.Itoa(n)).Num(int64(n)))
	}
	unlock, counter := &lockScripts[0].Script, &lockScripts[9].Script
	for range 3 { // at 400, 800, 1200 ms: 200 ms away from any expiry
		time.Sleep(time.Until(start.Add(ms(400))))
		start = start.Add(ms(400))
		for _, n := range []int{200, 600, 1000} {
			for _, prefix := range []string{"k", "e", "p", "h"} {
				key := prefix + strconv.Itoa(n)
				both(world.Command("PTTL", key))
				both(world.Command("EXISTS", key))
				both(world.Command("TYPE", key))
			}
			both(world.Get("k" + strconv.Itoa(n)))
			both(world.Command("HINCRBY", "h"+strconv.Itoa(n), "f").Num(1))
			both(world.Eval(unlock, "p"+strconv.Itoa(n)).Text("nobody"))
			both(world.Eval(counter, "e"+strconv.Itoa(n)))
			both(world.Set("k"+strconv.Itoa(n), "w").NX())
		}
	}
}

// TestConformanceOfReplica compares refusals and reads of a replica.
func TestConformanceOfReplica(t *testing.T) {
	primary, addr := startServer(t, "")
	replica, _ := startServer(t, addr)
	primary.do(t, world.Set("k", "v"))
	deadline := time.Now().Add(20 * time.Second)
	for replica.do(t, world.Get("k")).Str != "v" {
		if time.Now().After(deadline) {
			t.Fatal("the replica did not follow its primary")
		}
		time.Sleep(10 * time.Millisecond)
	}
	source, model := New(), New()
	set := world.Set("k", "v")
	source.Exec(1, 1, &set)
	source.CopyTo(model, 1)
	model.SetReplica(true)
	cmds := []world.Cmd{
		world.Set("k", "w"), world.Command("SET", "k"), world.Command("SET", "k", "v", "FOO"), world.Get("k"),
		world.Del("k"), world.Command("PEXPIRE", "k", "10"), world.Command("FLUSHALL"), world.Command("PUBLISH", "c", "m"),
		world.Command("INCR", "n"), world.Command("HSET", "h", "f", "v"), world.Command("EXISTS", "k"),
	}
	for _, known := range lockScripts {
		cmds = append(cmds, world.Eval(&known.Script, "k").Text("v").Text("2"))
	}
	for i := range cmds {
		want, got := replica.do(t, cmds[i]), model.Exec(1, 1, &cmds[i])
		if !same(&cmds[i], want, got) {
			t.Errorf("%v on a replica: redis-server %v, model %v", &cmds[i], want, got)
		}
	}
}
