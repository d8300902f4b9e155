package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
)

// TestConformance compares the replies of these commands with a real server; the
// changes and effects are tested here.

func TestCollections(t *testing.T) {
	cmd := Command
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"a list belongs to its creator and ends with its last element", []step{
			{0, 1, cmd("RPUSH", "q", "A", "B"), "(integer) 2", "granted q of 1 by 1 ttl -1", "RPUSH q A @-1 of 1 by 1; RPUSH q B @-1 of 1 by 1"},
			{1, 2, cmd("LPUSH", "q", "C"), "(integer) 3", "", "LPUSH q C @-1 of 1 by 2"},
			{2, 2, cmd("LRANGE", "q", "0", "-1"), `["C" "A" "B"]`, "", ""},
			{3, 2, cmd("LREM", "q", "0", "A"), "(integer) 1", "", "LREM q A 0 @-1 of 1 by 2"},
			{4, 2, cmd("LPOP", "q"), `"C"`, "", "LPOP q @-1 of 1 by 2"},
			{5, 2, cmd("RPOP", "q"), `"B"`, "removed q of 1 by 2 ttl -1", "DEL q @-1 of 1 by 2"},
			{6, 2, cmd("LPOP", "q"), "(nil)", "", ""},
		}},
		{"LPOP or LREM of all elements removes the list", []step{
			{0, 1, cmd("RPUSH", "q", "A", "A"), "(integer) 2", "granted q of 1 by 1 ttl -1", "RPUSH q A @-1 of 1 by 1; RPUSH q A @-1 of 1 by 1"},
			{1, 1, cmd("LPOP", "q", "5"), `["A" "A"]`, "removed q of 1 by 1 ttl -1", "LPOP q @-1 of 1 by 1; DEL q @-1 of 1 by 1"},
			{2, 1, cmd("RPUSH", "q").Num(7), "(integer) 1", "granted q of 1 by 1 ttl -1", "RPUSH q 7 @-1 of 1 by 1"},
			{3, 2, cmd("LREM", "q", "-1", "7"), "(integer) 1", "removed q of 1 by 2 ttl -1", "DEL q @-1 of 1 by 2"},
		}},
		{"a sorted set is ordered by score, then by name", []step{
			{0, 1, cmd("ZADD", "z", "2", "B", "1", "C", "2", "A"), "(integer) 3", "granted z of 1 by 1 ttl -1",
				"ZADD z B 2 @-1 of 1 by 1; ZADD z C 1 @-1 of 1 by 1; ZADD z A 2 @-1 of 1 by 1"},
			{1, 2, cmd("ZRANGE", "z", "0", "-1", "WITHSCORES"), `["C" "1" "A" "2" "B" "2"]`, "", ""},
			{2, 2, cmd("ZINCRBY", "z", "-5", "B"), `"-3"`, "", "ZADD z B -3 @-1 of 1 by 2"},
			{3, 2, cmd("ZRANGEBYSCORE", "z", "-inf", "(2"), `["B" "C"]`, "", ""},
			{4, 2, cmd("ZADD", "z", "1", "C"), "(integer) 0", "", ""},
			{5, 2, cmd("ZREM", "z", "B", "nobody", "C"), "(integer) 2", "", "ZREM z B @-1 of 1 by 2; ZREM z C @-1 of 1 by 2"},
			{6, 2, cmd("ZREMRANGEBYSCORE", "z", "0", "9"), "(integer) 1", "removed z of 1 by 2 ttl -1", "DEL z @-1 of 1 by 2"},
		}},
		{"lists and sorted sets expire like strings", []step{
			{0, 1, cmd("RPUSH", "q", "A"), "(integer) 1", "granted q of 1 by 1 ttl -1", "RPUSH q A @-1 of 1 by 1"},
			{0, 1, cmd("PEXPIRE", "q", "50"), "(integer) 1", "extended q of 1 by 1 ttl 50", "PEXPIREAT q @50 of 1 by 1"},
			{1, 1, cmd("RPUSH", "q", "B"), "(integer) 2", "", "RPUSH q B @50 of 1 by 1"},
			{51, 2, cmd("ZADD", "q", "1", "m"), "(integer) 1", "expired q of 1 by 0 ttl 0; granted q of 2 by 2 ttl -1",
				"EXPIRED q @50 of 1 by 0; ZADD q m 1 @-1 of 2 by 2"},
		}},
		{"SET makes any value a string, and only its owner keeps the entry", []step{
			{0, 1, cmd("RPUSH", "q", "A"), "(integer) 1", "granted q of 1 by 1 ttl -1", "RPUSH q A @-1 of 1 by 1"},
			{1, 1, cmd("SET", "q", "v"), "OK", "extended q of 1 by 1 ttl -1", "SET q v @-1 of 1 by 1"},
			{2, 1, cmd("TYPE", "q"), "string", "", ""},
			{3, 2, cmd("ZADD", "z", "1", "m"), "(integer) 1", "granted z of 2 by 2 ttl -1", "ZADD z m 1 @-1 of 2 by 2"},
			{4, 1, cmd("MSET", "z", "1"), "OK", "removed z of 2 by 1 ttl -1; granted z of 1 by 1 ttl -1", "SET z 1 @-1 of 1 by 1"},
		}},
		{"MSETNX sets all or nothing", []step{
			{0, 1, cmd("MSETNX", "a", "1", "b", "2"), "(integer) 1", "granted a of 1 by 1 ttl -1; granted b of 1 by 1 ttl -1",
				"SET a 1 @-1 of 1 by 1; SET b 2 @-1 of 1 by 1"},
			{1, 2, cmd("MSETNX", "c", "3", "a", "4"), "(integer) 0", "", ""},
			{2, 2, cmd("GETDEL", "b"), `"2"`, "removed b of 1 by 2 ttl -1", "DEL b @-1 of 1 by 2"},
		}},
		{"a hash belongs to its creator, not to the client of a field", []step{
			{0, 1, cmd("HSETNX", "h", "A", "1"), "(integer) 1", "granted h of 1 by 1 ttl -1", "HSET h A 1 @-1 of 1 by 1"},
			{1, 2, cmd("HSETNX", "h", "A", "2"), "(integer) 0", "", ""},
			{2, 2, cmd("HSETNX", "h", "B", "2"), "(integer) 1", "", "HSET h B 2 @-1 of 1 by 2"},
			{3, 2, cmd("HKEYS", "h"), `["A" "B"]`, "", ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { play(t, New(), tt.steps) })
	}
}

// The conditions of PEXPIRE, from its documentation: for GT and LT, a key without an expiry lives
// for ever.
func TestPexpireKeepsItsConditions(t *testing.T) {
	for _, tt := range []struct {
		ttl, asked int64 // ms; a ttl of 0: no expiry
		options    string
		want       string
	}{
		{0, 50, "NX", "(integer) 1"}, {80, 50, "NX", "(integer) 0"},
		{0, 50, "XX", "(integer) 0"}, {80, 50, "XX", "(integer) 1"},
		{0, 50, "GT", "(integer) 0"}, {80, 50, "GT", "(integer) 0"}, {80, 80, "GT", "(integer) 0"}, {80, 90, "GT", "(integer) 1"},
		{0, 50, "LT", "(integer) 1"}, {80, 50, "LT", "(integer) 1"}, {80, 80, "LT", "(integer) 0"}, {80, 90, "LT", "(integer) 0"},
		{80, 90, "xx gt", "(integer) 1"}, {0, 50, "XX LT", "(integer) 0"},
		{80, 90, "NX GT", "(error) ERR NX and XX, GT or LT options at the same time are not compatible"},
		{80, 90, "GT LT", "(error) ERR GT and LT options at the same time are not compatible"},
		{80, 90, "KEEPTTL", "(error) ERR Unsupported option KEEPTTL"},
	} {
		s, left := New(), tt.ttl
		set := Set("lock", "t")
		if tt.ttl > 0 {
			set = set.PX(time.Duration(tt.ttl) * time.Millisecond)
		} else {
			left = -1
		}
		do(s, 0, 1, set)
		ask := Command("PEXPIRE", "lock").Num(tt.asked)
		for _, option := range strings.Fields(tt.options) {
			ask = ask.Text(option)
		}
		got := do(s, 0, 1, ask)
		if got == "(integer) 1" {
			left = tt.asked
		}
		if ttl := do(s, 0, 1, Command("PTTL", "lock")); got != tt.want || ttl != fmt.Sprintf("(integer) %d", left) {
			t.Errorf("PEXPIRE %d %s of a key with %d ms: %s, then PTTL is %s; want %s, %d", tt.asked, tt.options, tt.ttl, got, ttl, tt.want, left)
		}
	}
}

func TestEvict(t *testing.T) {
	s := New()
	do(s, 0, 1, Set("lock", "t").PX(ttl))
	if !s.Evict(4_000, "lock") {
		t.Error("Evict found no lock")
	}
	reports(t, s, "Evict", "removed lock of 1 by 0 ttl 6000", "DEL lock @10000 of 1 by 0")
	if s.Evict(4_000, "lock") {
		t.Error("Evict dropped a lock twice")
	}
	reports(t, s, "Evict again", "", "")
	do(s, 5_000, 1, Set("lock", "t").PX(ttl))
	if s.Evict(15_001, "lock") {
		t.Error("Evict dropped a lock whose time was up")
	}
	reports(t, s, "Evict too late", "expired lock of 1 by 0 ttl 0", "EXPIRED lock @15000 of 1 by 0")
	do(s, 20_000, 1, Set("lock", "t"))
	if s.SetReplica(true); s.Evict(20_000, "lock") || s.Len() != 1 {
		t.Error("a replica dropped a key by itself")
	}
}

// TestTransaction: EXEC rolls nothing back. The commands around one that fails take
// effect, and their changes and effects are reported together.
func TestTransaction(t *testing.T) {
	s := New()
	var a, b Transaction
	in := func(t *Transaction, cmd Cmd) string { return s.ExecIn(t, 5, 1, &cmd).String() }
	steps := []struct {
		on   *Transaction
		give Cmd
		want string
	}{
		{&a, Command("MULTI"), "OK"},
		{&a, Set("x", "1"), "QUEUED"},
		{&a, Command("HGET", "x", "f"), "QUEUED"},
		{&b, Get("x"), "(nil)"}, // nothing has happened yet
		{&a, Command("INCR", "x"), "QUEUED"},
		{&a, Command("EXEC"), "[OK " + wrongTypeReply + " (integer) 2]"},
	}
	for i, step := range steps {
		must.Equalf(t, in(step.on, step.give), step.want, "step %d, %v", i, &step.give)
	}
	reports(t, s, "EXEC", "granted x of 1 by 1 ttl -1", "SET x 1 @-1 of 1 by 1; VALUE x 2 @-1 of 1 by 1")
	must.Equalf(t, in(&b, Get("x")), `"2"`, "x is … afterwards")
	in(&a, Command("MULTI"))
	in(&a, Set("x", "9"))
	in(&a, Command("DISCARD"))
	must.Equalf(t, in(&a, Get("x")), `"2"`, "x is … after DISCARD")
}

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
	for _, tt := range []struct {
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
	} {
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
	for _, tt := range []struct {
		have                   Extensions
		cad, delEx, ifEq, eval string
	}{
		{0, "unknown command 'CAD'", "unknown command 'DELEX'", "syntax error", "Unknown Redis command called from script"},
		{TairString, "(integer) 1", "unknown command 'DELEX'", "syntax error", "(integer) 0"},
		{Redis84, "unknown command 'CAD'", "(integer) 1", "OK", "Unknown Redis command called from script"},
	} {
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
		of(`return pcall(redis.call, "ltrim", "q", 0, 1)`), of(`return redis.pcall("HPEXPIRE", "h", 1000, "FIELDS", 1, "f")`),
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
