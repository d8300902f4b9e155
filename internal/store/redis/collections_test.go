package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestConformance compares the replies of these commands with a real server; the
// changes and effects are tested here.

func TestCollections(t *testing.T) {
	cmd := Command
	tests := []struct {
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { play(t, New(), tt.steps) })
	}
}

// The conditions of PEXPIRE, from its documentation: for GT and LT, a key without an expiry lives for ever.
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
		if got := in(step.on, step.give); got != step.want {
			t.Errorf("step %d, %v: %s, want %s", i, &step.give, got, step.want)
		}
	}
	reports(t, s, "EXEC", "granted x of 1 by 1 ttl -1", "SET x 1 @-1 of 1 by 1; VALUE x 2 @-1 of 1 by 1")
	if got := in(&b, Get("x")); got != `"2"` {
		t.Errorf("x is %s afterwards, want 2", got)
	}
	in(&a, Command("MULTI"))
	in(&a, Set("x", "9"))
	in(&a, Command("DISCARD"))
	if got := in(&a, Get("x")); got != `"2"` {
		t.Errorf("x is %s after DISCARD, want 2", got)
	}
}
