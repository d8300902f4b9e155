package redis

import (
	"strings"
	"testing"

	"lockstep/internal/must"
)

// No server with these extensions is installed, so the expected values are from their
// documentation:
//   - CAS and CAD: the README of the module TairString (github.com/tair-opensource/
//     TairString) and its tairstring.c for expiries, refusals and replication;
//   - SET with IFEQ and IFNE, DELEX: redis.io/commands/set and /delex.

const (
	wrongTypeReply = "(error) WRONGTYPE Operation against a key holding the wrong kind of value"
	syntaxReply    = "(error) ERR syntax error"
)

func TestExtensions(t *testing.T) {
	cmd := Command
	take := Set("lock", "t").NX().PX(ttl)
	taken := step{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"}
	hash := step{0, 1, cmd("HSET", "h", "f", "v"), "(integer) 1", "granted h of 1 by 1 ttl -1", "HSET h f v @-1 of 1 by 1"}
	tests := []struct {
		name  string
		steps []step
	}{
		{"CAS replaces a value that is the expected one", []step{
			{0, 1, cmd("SET", "foo", "bar"), "OK", "granted foo of 1 by 1 ttl -1", "SET foo bar @-1 of 1 by 1"},
			{1, 1, cmd("CAS", "foo", "baa", "bzz"), "(integer) 0", "", ""},
			{2, 1, cmd("CAS", "foo", "bar", "bzz"), "(integer) 1", "extended foo of 1 by 1 ttl -1", "SET foo bzz @-1 of 1 by 1"},
			{3, 1, Get("foo"), `"bzz"`, "", ""},
			{4, 1, cmd("CAS", "none", "a", "b"), "(integer) -1", "", ""},
		}},
		{"CAS with an expiry goes to replicas as SET and PEXPIREAT", []step{
			taken,
			{1, 1, cmd("CAS", "lock", "t", "t", "EX").Num(10), "(integer) 1", "extended lock of 1 by 1 ttl 10000",
				"SET lock t @-1 of 1 by 1; PEXPIREAT lock @10001 of 1 by 1"},
			{2, 1, cmd("CAS", "lock", "t", "t", "px").Num(70), "(integer) 1", "extended lock of 1 by 1 ttl 70",
				"SET lock t @-1 of 1 by 1; PEXPIREAT lock @72 of 1 by 1"},
			{3, 1, cmd("CAS", "lock", "t", "t", "PXAT", "90"), "(integer) 1", "extended lock of 1 by 1 ttl 87",
				"SET lock t @-1 of 1 by 1; PEXPIREAT lock @90 of 1 by 1"},
			{4, 1, cmd("CAS", "lock", "t", "t", "EXAT", "2"), "(integer) 1", "extended lock of 1 by 1 ttl 1996",
				"SET lock t @-1 of 1 by 1; PEXPIREAT lock @2000 of 1 by 1"},
		}},
		{"CAS to an instant that has passed expires the key now", []step{
			taken,
			{50, 1, cmd("CAS", "lock", "t", "t", "PXAT", "7"), "(integer) 1", "extended lock of 1 by 1 ttl 0",
				"SET lock t @-1 of 1 by 1; PEXPIREAT lock @50 of 1 by 1"},
			{51, 1, Get("lock"), "(nil)", "expired lock of 1 by 0 ttl 0", "EXPIRED lock @50 of 1 by 0"},
		}},
		{"CAS without an expiry removes the old one", []step{
			taken,
			{1, 1, cmd("CAS", "lock", "t", "t"), "(integer) 1", "extended lock of 1 by 1 ttl -1", "SET lock t @-1 of 1 by 1"},
			{99_000, 2, take, "(nil)", "", ""},
		}},
		{"CAS by another client takes the entry over", []step{
			taken,
			{1, 2, cmd("CAS", "lock", "t", "u", "PX", "5"), "(integer) 1",
				"removed lock of 1 by 2 ttl 9999; granted lock of 2 by 2 ttl 5", "SET lock u @-1 of 2 by 2; PEXPIREAT lock @6 of 2 by 2"},
		}},
		{"CAS refuses what it does not understand", []step{
			taken, hash,
			{1, 1, cmd("CAS", "lock", "t", "t", "EX", "0"), syntaxReply, "", ""},
			{1, 1, cmd("CAS", "lock", "t", "t", "PX", "-1"), syntaxReply, "", ""},
			{1, 1, cmd("CAS", "lock", "t", "t", "EX", "x"), syntaxReply, "", ""},
			{1, 1, cmd("CAS", "lock", "t", "t", "EX"), syntaxReply, "", ""},
			{1, 1, cmd("CAS", "lock", "t", "t", "EX", "1", "PX", "2"), syntaxReply, "", ""},
			{1, 1, cmd("CAS", "lock", "t", "t", "NX"), syntaxReply, "", ""},
			{1, 1, cmd("CAS", "lock", "t"), "(error) ERR wrong number of arguments for 'cas' command", "", ""},
			{1, 1, cmd("CAS", "h", "v", "w"), wrongTypeReply, "", ""},
		}},
		{"CAD deletes a key that has the expected value", []step{
			taken, hash,
			{1, 2, cmd("CAD", "lock", "u"), "(integer) 0", "", ""},
			{2, 1, cmd("CAD", "lock", "t"), "(integer) 1", "removed lock of 1 by 1 ttl 9998", "DEL lock @10000 of 1 by 1"},
			{3, 1, cmd("CAD", "lock", "t"), "(integer) -1", "", ""},
			{3, 1, cmd("CAD", "h", "v"), wrongTypeReply, "", ""},
			{3, 1, cmd("CAD", "lock"), "(error) ERR wrong number of arguments for 'cad' command", "", ""},
		}},
		{"SET IFEQ sets a key that has the expected value", []step{
			taken, hash,
			{1, 1, cmd("SET", "lock", "t", "IFEQ", "u", "PX").Num(70), "(nil)", "", ""},
			{2, 1, cmd("SET", "lock", "t", "IFEQ", "t", "PX").Num(70), "OK", "extended lock of 1 by 1 ttl 70", "SET lock t @72 of 1 by 1"},
			{3, 1, cmd("SET", "lock", "u", "GET", "ifeq", "x"), `"t"`, "", ""},
			{4, 1, cmd("SET", "lock", "u", "IFEQ", "t", "GET"), `"t"`, "extended lock of 1 by 1 ttl -1", "SET lock u @-1 of 1 by 1"},
			{5, 1, cmd("SET", "none", "u", "IFEQ", "t"), "(nil)", "", ""},
			{6, 1, cmd("SET", "h", "u", "IFEQ", "v"), wrongTypeReply, "", ""},
			{7, 1, cmd("SET", "lock", "u", "IFEQ"), syntaxReply, "", ""},
			{7, 1, cmd("SET", "lock", "u", "IFEQ", "u", "NX"), syntaxReply, "", ""},
			{7, 1, cmd("SET", "lock", "u", "XX", "IFEQ", "u"), syntaxReply, "", ""},
			{7, 1, cmd("SET", "lock", "u", "IFEQ", "u", "IFNE", "u"), syntaxReply, "", ""},
		}},
		{"SET IFNE also makes a key", []step{
			taken,
			{1, 1, cmd("SET", "lock", "u", "IFNE", "t"), "(nil)", "", ""},
			{2, 1, cmd("SET", "lock", "u", "IFNE", "x"), "OK", "extended lock of 1 by 1 ttl -1", "SET lock u @-1 of 1 by 1"},
			{3, 2, cmd("SET", "none", "u", "IFNE", "x"), "OK", "granted none of 2 by 2 ttl -1", "SET none u @-1 of 2 by 2"},
		}},
		{"DELEX deletes on a condition", []step{
			taken, hash,
			{1, 2, cmd("DELEX", "lock", "IFEQ", "u"), "(integer) 0", "", ""},
			{2, 2, cmd("DELEX", "lock", "IFNE", "t"), "(integer) 0", "", ""},
			{3, 1, cmd("DELEX", "lock", "ifeq", "t"), "(integer) 1", "removed lock of 1 by 1 ttl 9997", "DEL lock @10000 of 1 by 1"},
			{4, 1, cmd("DELEX", "lock", "IFEQ", "t"), "(integer) 0", "", ""},
			{4, 1, cmd("DELEX", "lock", "IFNE", "t"), "(integer) 0", "", ""},
			{5, 1, cmd("DELEX", "h", "IFEQ", "v"), wrongTypeReply, "", ""},
			{5, 1, cmd("DELEX", "h", "IFEQ"), "(error) ERR wrong number of arguments for 'delex' command", "", ""},
			{6, 1, cmd("DELEX", "h"), "(integer) 1", "removed h of 1 by 1 ttl -1", "DEL h @-1 of 1 by 1"},
		}},
		{"a number and its digits are the same value", []step{
			{0, 1, cmd("SET", "n").Num(7), "OK", "granted n of 1 by 1 ttl -1", "SET n 7 @-1 of 1 by 1"},
			{1, 1, cmd("CAS", "n", "7").Num(8), "(integer) 1", "extended n of 1 by 1 ttl -1", "SET n 8 @-1 of 1 by 1"},
			{2, 1, cmd("CAD", "n").Num(8), "(integer) 1", "removed n of 1 by 1 ttl -1", "DEL n @-1 of 1 by 1"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New()
			s.Extensions = TairString | Redis84
			play(t, s, tt.steps)
		})
	}
}

// TestExtensionsAreOff: the commands of an extension exist only if it is enabled.
func TestExtensionsAreOff(t *testing.T) {
	cad := Command("CAD", "lock", "t")
	delEx := Command("DELEX", "lock", "IFEQ", "t")
	ifEq := Command("SET", "lock", "u", "IFEQ", "t")
	script := Eval(&Script{Name: "cad", Source: `return redis.call("cad", KEYS[1], "x")`}, "lock")
	tests := []struct {
		have                   Extensions
		cad, delEx, ifEq, eval string
	}{
		{0, "unknown command 'CAD'", "unknown command 'DELEX'", "syntax error", "Unknown Redis command called from script"},
		{TairString, "(integer) 1", "unknown command 'DELEX'", "syntax error", "(integer) 0"},
		{Redis84, "unknown command 'CAD'", "(integer) 1", "OK", "Unknown Redis command called from script"},
	}
	for _, tt := range tests {
		for _, give := range []struct {
			cmd  Cmd
			want string
		}{{cad, tt.cad}, {delEx, tt.delEx}, {ifEq, tt.ifEq}, {script, tt.eval}} {
			s := New()
			s.Extensions = tt.have
			do(s, 0, 1, Set("lock", "t"))
			if got := do(s, 1, 1, give.cmd); !strings.Contains(got, give.want) {
				t.Errorf("extensions %d, %v: %s, want %s", tt.have, &give.cmd, got, give.want)
			}
		}
	}
	s := New()
	must.Equalf(t, do(s, 0, 1, Command("SET", "k", "v", "IFDEQ", "0")), syntaxReply,
		"SET IFDEQ of Redis 7.0")
	s.Extensions = TairString
	if s.Reset(); s.Extensions != TairString {
		t.Error("Reset has removed the module")
	}
}

func of(source string) Cmd {
	return Eval(&Script{Name: "test", Source: source}, "z")
}

// TestUnmodelled: a command that is not modelled must end the run without a reply.
func TestUnmodelled(t *testing.T) {
	for _, cmd := range []Cmd{
		Command("ZADD", "z", "1.5", "m"), Command("ZADD", "z", "inf", "m"), Command("ZADD", "z", "9007199254740993", "m"),
		Command("ZINCRBY", "full", "1", "m"), Command("ZRANGE", "z", "[a", "[b", "BYLEX"),
		Command("CAS", "lock", "t", "t", "KEEPTTL"), Command("DELEX", "lock", "IFDEQ", "0"),
		Command("SET", "lock", "t", "IFDNE", "0"), Command("MULTI"), Command("WAIT", "1", "0"),
		of(`return redis.pcall("zadd", "z", 0.5, "m")`), of(`return cjson.encode({1})`), of(`return pcall(cmsgpack.pack, 1)`),
		of(`return {xpcall(function() return redis.call("zadd", "z", 0.5, "m") end, function(e) return e end)}`),
		of(`return {xpcall(function() return struct.pack("b", 1) end, function(e) return e end)}`),
		of(`return table.concat({[0] = 1}, "", 0, 0)`), of(`return redis.setresp(3)`), of(`redis.set_repl(redis.REPL_NONE)`), of(`return redis.acl_check_cmd("get", "a")`),
		of(`return loadstring("return 1")()`), of(`return string.dump(tostring)`), of(`table.foreach({}, tostring)`), of(`return coroutine.create(tostring)`),
		Command("SCRIPT", "FLUSH"), Command("SCRIPT", "EXISTS", "x"),
		of(`return redis.call("SADD", "s", "m")`), of(`return redis.pcall("getex", "lock")`),
		of(`return pcall(redis.call, "ltrim", "q", 0, 1)`),
		of("#!lua flags=no-writes\nreturn 1"),
	} {
		func() {
			s := New()
			s.Extensions = TairString | Redis84
			do(s, 0, 1, Set("lock", "t"))
			do(s, 0, 1, Command("ZADD", "full", "9007199254740992", "m"))
			defer func() {
				if _, ok := recover().(Unmodelled); !ok && cmd.name != "MULTI" {
					t.Errorf("%v was answered", cmd.Args())
				}
			}()
			do(s, 0, 1, cmd)
		}()
	}
}

// Scripts by hash and refused WAITs, with the answers of redis-server 7.0.15.
// TestTheDoorAnswersAsAServer compares them with a server.
func TestHashesAndBadWaits(t *testing.T) {
	s := New()
	var open Transaction
	hash := hashOf("return 1")
	for i, step := range []struct{ cmd, want string }{
		{"MULTI", "OK"}, {"EVALSHA " + hash + " 0", "QUEUED"}, {"EXEC", "[(error) NOSCRIPT No matching script. Please use EVAL.]"},
		{"MULTI", "OK"}, {"SCRIPT LOAD return 1", "QUEUED"}, {"EVALSHA " + strings.ToUpper(hash) + " 0", "QUEUED"}, {"EXEC", `["` + hash + `" (integer) 1]`},
		{"EVALSHA " + hash + " 0", "(integer) 1"}, {"EVALSHA " + hash + " x", "(error) ERR value is not an integer or out of range"},
		{"WAIT x 0", "(error) ERR value is not an integer or out of range"}, {"WAIT 1 x", "(error) ERR timeout is not an integer or out of range"},
		{"WAIT 1 -1", "(error) ERR timeout is negative"},
	} {
		words := strings.SplitN(step.cmd, " ", 3)
		cmd := Command(words[0], words[1:]...)
		must.Equalf(t, s.ExecIn(&open, 0, 1, &cmd).String(), step.want, "%d, %s", i, step.cmd)
	}
}
