package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
)

// library is a script that computes with what Redis adds to Lua.
func (g *generator) library() Cmd {
	var out []string
	for range 1 + g.IntN(4) {
		out = append(out, "tostring("+g.libraryCall()+")")
	}
	text := "return {" + strings.Join(out, ", ") + "}"
	if strings.Contains(text, "random") { // the server has drawn more numbers than the model
		text = fmt.Sprintf("math.randomseed(%s) ", g.number()) + text
	}
	return Eval(&Script{Name: "library", Source: text}, g.key()).Text(g.pick("1", "2.5", "A"))
}

// number is an argument in Lua.
func (g *generator) number() string {
	return g.pick("0", "1", "3", "-1", "31", "33", "2.5", "3.5", "-7.9", "255", "0x12345678", "2^31", "2^32+5", "1e15", `"12"`, "#KEYS")
}

func (g *generator) libraryCall() string {
	arguments := func(most int) string {
		var out []string
		for range 1 + g.IntN(most) {
			out = append(out, g.number())
		}
		if g.IntN(25) == 0 {
			out = append(out, g.pick("nil", "{}", `"x"`, "ARGV[1]"))
		}
		return strings.Join(out, ", ")
	}
	switch g.IntN(8) {
	case 0, 1:
		return "bit." + g.pick("tobit", "bnot", "bswap") + "(" + g.number() + ")"
	case 2:
		return "bit." + g.pick("band", "bor", "bxor", "tohex") + "(" + arguments(3) + ")"
	case 3:
		return "bit." + g.pick("lshift", "rshift", "arshift", "rol", "ror") + "(" + g.number() + ", " + arguments(1) + ")"
	case 4:
		return g.pick("math.random()", "math.random(1000000)", "math.random(10, 20)", "math.random(-5, 5)", "math.random("+arguments(2)+")")
	case 5:
		return "redis." + g.pick("log(redis.LOG_WARNING, ARGV[1])", "log(2, 'x', 3)", "log('1', {})", "log('x', 'y')", "log(9, 'y')", "log(2)", "log()",
			"set_repl(redis.REPL_ALL)", "set_repl(9)", "set_repl()", "setresp(2)", "setresp(4)", "setresp()", "setresp({})")
	case 6:
		return g.pick("redis.replicate_commands()", "redis.breakpoint()", "redis.debug('x')")
	}
	return "redis." + g.pick("REDIS_VERSION", "REDIS_VERSION_NUM", "LOG_DEBUG", "LOG_NOTICE", "LOG_VERBOSE", "REPL_NONE", "REPL_AOF", "REPL_REPLICA", "REPL_SLAVE")
}

// hashed runs scripts by their hash, loaded or not, and loads them.
func (g *generator) hashed() Cmd {
	source := lockScripts[g.IntN(len(lockScripts))].Source
	switch g.IntN(8) {
	case 0, 1, 2:
		return Command("SCRIPT", g.pick("LOAD", "load"), source)
	case 3:
		return Command("EVALSHA", []string{hashOf(source), g.pick("1", "x", "-1", "7"), "a"}[:g.IntN(4)]...)
	case 4:
		return Command("EVALSHA", g.pick("", "abc", strings.Repeat("0", 40)), g.pick("0", "x", "-1", "7"))
	}
	hash := hashOf(source)
	if g.IntN(4) == 0 {
		hash = strings.ToUpper(hash)
	}
	return Command("EVALSHA", hash, "1", g.key(), g.pick("1", "A", "B", "oops"), g.pick("1", "2", "f"))
}

func hashOf(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// badWait is a WAIT that is refused.
func (g *generator) badWait() Cmd {
	switch g.IntN(4) {
	case 0:
		return Command("WAIT", []string{"1", "0", "0"}[:g.IntN(2)]...)
	case 1:
		return Command("WAIT", "1", g.pick("-1", "x", "1.5", "", "9223372036854775808", "+5"))
	}
	return Command("WAIT", g.pick("x", "", "1.5", "+1"), g.pick("0", "-1", "x"))
}
