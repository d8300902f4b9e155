package redis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/store"
)

// ttl is the lease in the tests.
const ttl = 10 * time.Second

// step is one call with its expected results. Without a command it is ExpireDue.
type step struct {
	atMS    int64
	by      history.NodeID
	give    Cmd
	want    string // the reply as redis-cli prints it
	changes string
	effects string
}

func show(changes []Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s of %d by %d ttl %d", c.Kind, c.Key, c.Owner, c.By, c.TTLms))
	}
	return strings.Join(out, "; ")
}

func showEffects(effects []Effect) string {
	names := []string{"SET", "VALUE", "HSET", "HDEL", "PEXPIREAT", "DEL", "EXPIRED", "FLUSHALL",
		"LPUSH", "RPUSH", "LPOP", "RPOP", "LREM", "ZADD", "ZREM"}
	var out []string
	for _, e := range effects {
		text := names[e.Kind]
		for _, word := range []string{e.Key, e.Field, e.Value.String()} {
			if word != "" {
				text += " " + word
			}
		}
		out = append(out, fmt.Sprintf("%s @%d of %d by %d", text, e.AtMS, e.Owner, e.By))
	}
	return strings.Join(out, "; ")
}

// Entry is a copy of a key with its value, expiry and owner.
type Entry struct {
	Key       string
	Type      string // as TYPE answers: string, hash, list, zset
	Value     string // of a string
	Fields    []string
	ExpiresMS int64 // -1: never
	Owner     history.NodeID
}

// Snapshot returns all entries in the order of their keys, including those past their
// time. Fields are the alternating names and values of a hash, the elements of a list,
// or the alternating members and scores of a sorted set.
func (s *Store) Snapshot() []Entry {
	out := make([]Entry, 0, len(s.live))
	for _, e := range s.live {
		shot := Entry{Key: e.key, Type: typeNames[e.kind], ExpiresMS: e.expireMS, Owner: e.owner}
		if e.kind == kindString {
			shot.Value = e.str.String()
		}
		for i := range e.fields {
			if e.kind != kindList {
				shot.Fields = append(shot.Fields, e.fields[i].name)
			}
			shot.Fields = append(shot.Fields, e.fields[i].value.String())
		}
		out = append(out, shot)
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

func TestStore(t *testing.T) {
	take := Set("lock", "t").NX().PX(ttl)
	cmd := Command
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"a key lives in the millisecond of its expiry and not after it", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{10_000, 2, take, "(nil)", "", ""},
			{10_001, 2, take, "OK", "expired lock of 1 by 0 ttl 0; granted lock of 2 by 2 ttl 10000",
				"EXPIRED lock @10000 of 1 by 0; SET lock t @20001 of 2 by 2"},
		}},
		{"active expiry keeps the same edge", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{10_000, 0, Cmd{}, "", "", ""},
			{10_001, 0, Cmd{}, "", "expired lock of 1 by 0 ttl 0", "EXPIRED lock @10000 of 1 by 0"},
		}},
		{"active expiry goes by the order of expiries, then of creation", []step{
			{0, 1, cmd("SET", "a", "1", "PX", "20"), "OK", "granted a of 1 by 1 ttl 20", "SET a 1 @20 of 1 by 1"},
			{0, 1, cmd("SET", "b", "1", "PX", "30"), "OK", "granted b of 1 by 1 ttl 30", "SET b 1 @30 of 1 by 1"},
			{0, 1, cmd("SET", "c", "1", "PX", "10"), "OK", "granted c of 1 by 1 ttl 10", "SET c 1 @10 of 1 by 1"},
			{0, 1, cmd("SET", "d", "1", "PX", "20"), "OK", "granted d of 1 by 1 ttl 20", "SET d 1 @20 of 1 by 1"},
			{25, 0, Cmd{}, "", "expired c of 1 by 0 ttl 0; expired a of 1 by 0 ttl 0; expired d of 1 by 0 ttl 0",
				"EXPIRED c @10 of 1 by 0; EXPIRED a @20 of 1 by 0; EXPIRED d @20 of 1 by 0"},
		}},
		{"TTL rounds to the nearest second", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{500, 2, cmd("TTL", "lock"), "(integer) 10", "", ""},
			{501, 2, cmd("TTL", "lock"), "(integer) 9", "", ""},
			{9_501, 2, cmd("TTL", "lock"), "(integer) 0", "", ""},
			{10_000, 2, cmd("PTTL", "lock"), "(integer) 0", "", ""},
		}},
		{"a clock that steps back lets a key live longer", []step{
			{50_000, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @60000 of 1 by 1"},
			{20_000, 2, cmd("PTTL", "lock"), "(integer) 40000", "", ""},
		}},
		{"the owner may overwrite, a stranger takes the entry over", []step{
			{0, 1, cmd("SET", "lock", "a"), "OK", "granted lock of 1 by 1 ttl -1", "SET lock a @-1 of 1 by 1"},
			{5, 1, cmd("SETEX", "lock", "10", "b"), "OK", "extended lock of 1 by 1 ttl 10000", "SET lock b @10005 of 1 by 1"},
			{6, 2, cmd("GETSET", "lock", "c"), `"b"`, "removed lock of 1 by 2 ttl 9999; granted lock of 2 by 2 ttl -1",
				"SET lock c @-1 of 2 by 2"},
		}},
		{"any client may extend or remove an entry, and its owner stays the same", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{1, 2, Expire("lock", ttl), "(integer) 1", "extended lock of 1 by 2 ttl 10000", "PEXPIREAT lock @10001 of 1 by 2"},
			{2, 2, cmd("PERSIST", "lock"), "(integer) 1", "extended lock of 1 by 2 ttl -1", "PEXPIREAT lock @-1 of 1 by 2"},
			{3, 3, Del("lock"), "(integer) 1", "removed lock of 1 by 3 ttl -1", "DEL lock @-1 of 1 by 3"},
			{4, 3, Del("lock"), "(integer) 0", "", ""},
		}},
		{"an expiry in the past deletes, and the present is past", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{7, 2, cmd("PEXPIREAT", "lock", "7"), "(integer) 1", "removed lock of 1 by 2 ttl 9993", "DEL lock @10000 of 1 by 2"},
			{8, 2, cmd("SET", "lock", "v", "PXAT", "3"), "OK", "granted lock of 2 by 2 ttl 0", "SET lock v @3 of 2 by 2"},
			{8, 3, Get("lock"), "(nil)", "expired lock of 2 by 0 ttl 0", "EXPIRED lock @3 of 2 by 0"},
		}},
		{"counters keep the time to live and create what is missing", []step{
			{0, 1, cmd("INCR", "n"), "(integer) 1", "granted n of 1 by 1 ttl -1", "SET n 1 @-1 of 1 by 1"},
			{0, 1, cmd("PEXPIRE", "n", "50"), "(integer) 1", "extended n of 1 by 1 ttl 50", "PEXPIREAT n @50 of 1 by 1"},
			{9, 2, cmd("INCRBY", "n", "4"), "(integer) 5", "", "VALUE n 5 @50 of 1 by 2"},
		}},
		{"deleting the last field of a hash deletes the key", []step{
			{0, 1, cmd("HINCRBY", "h", "A", "2"), "(integer) 2", "granted h of 1 by 1 ttl -1", "HSET h A 2 @-1 of 1 by 1"},
			{1, 2, cmd("HSET", "h", "B", "x", "A", "2"), "(integer) 1", "", "HSET h B x @-1 of 1 by 2; HSET h A 2 @-1 of 1 by 2"},
			{2, 2, cmd("HGETALL", "h"), `["A" "2" "B" "x"]`, "", ""},
			{3, 2, cmd("HDEL", "h", "A"), "(integer) 1", "", "HDEL h A @-1 of 1 by 2"},
			{4, 2, cmd("HDEL", "h", "B"), "(integer) 1", "removed h of 1 by 2 ttl -1", "DEL h @-1 of 1 by 2"},
			{5, 2, cmd("TYPE", "h"), "none", "", ""},
		}},
		{"who changes what the owner of a hash wrote takes it over", []step{
			{0, 1, cmd("HSET", "h", "owner", "A", "until", "9"), "(integer) 2", "granted h of 1 by 1 ttl -1", "HSET h owner A @-1 of 1 by 1; HSET h until 9 @-1 of 1 by 1"},
			{1, 2, cmd("HINCRBY", "h", "token", "1"), "(integer) 1", "", "HSET h token 1 @-1 of 1 by 2"},
			{2, 3, cmd("HSET", "h", "token", "1"), "(integer) 0", "", "HSET h token 1 @-1 of 1 by 3"},
			{3, 2, cmd("HINCRBY", "h", "until", "1"), "(integer) 10", "", "HSET h until 10 @-1 of 1 by 2"},
			{4, 2, cmd("HSET", "h", "owner", "B", "until", "19"), "(integer) 0", "removed h of 1 by 2 ttl -1; granted h of 2 by 2 ttl -1",
				"HSET h owner B @-1 of 2 by 2; HSET h until 19 @-1 of 2 by 2"},
			{5, 1, cmd("HSET", "h", "until", "29"), "(integer) 0", "removed h of 2 by 1 ttl -1; granted h of 1 by 1 ttl -1", "HSET h until 29 @-1 of 1 by 1"},
		}},
		{"a hash whose owner's value is emptied or deleted is free", []step{
			{0, 1, cmd("HSET", "h", "owner", "A", "token", "1"), "(integer) 2", "granted h of 1 by 1 ttl -1", "HSET h owner A @-1 of 1 by 1; HSET h token 1 @-1 of 1 by 1"},
			{1, 1, cmd("HSET", "h", "owner", ""), "(integer) 0", "removed h of 1 by 1 ttl -1", "HSET h owner @-1 of 0 by 1"},
			{2, 2, cmd("HSET", "h", "token", "2"), "(integer) 0", "", "HSET h token 2 @-1 of 0 by 2"},
			{3, 2, cmd("HSET", "h", "owner", "B"), "(integer) 0", "granted h of 2 by 2 ttl -1", "HSET h owner B @-1 of 2 by 2"},
			{4, 1, cmd("HDEL", "h", "owner"), "(integer) 1", "removed h of 2 by 1 ttl -1", "HDEL h owner @-1 of 0 by 1"},
			{5, 1, cmd("HSETNX", "h", "owner", "A"), "(integer) 1", "granted h of 1 by 1 ttl -1", "HSET h owner A @-1 of 1 by 1"},
			{6, 1, cmd("HDEL", "h", "owner"), "(integer) 1", "removed h of 1 by 1 ttl -1", "HDEL h owner @-1 of 0 by 1"},
			{7, 2, cmd("DEL", "h"), "(integer) 1", "", "DEL h @-1 of 0 by 2"},
		}},
		{"a refused command changes nothing", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{1, 2, cmd("HSET", "lock", "f", "v"), "(error) " + errWrongType.Error(), "", ""},
			{1, 2, cmd("SET", "lock", "v", "EX"), "(error) ERR syntax error", "", ""},
			{1, 2, cmd("NONSENSE", "lock"), "(error) ERR unknown command 'NONSENSE', with args beginning with: 'lock' ", "", ""},
		}},
		{"FLUSHALL removes the entries of all clients", []step{
			{0, 1, take, "OK", "granted lock of 1 by 1 ttl 10000", "SET lock t @10000 of 1 by 1"},
			{1, 2, cmd("SET", "b", "v"), "OK", "granted b of 2 by 2 ttl -1", "SET b v @-1 of 2 by 2"},
			{1, 3, cmd("FLUSHALL"), "OK", "removed lock of 1 by 3 ttl 9999; removed b of 2 by 3 ttl -1", "FLUSHALL @-1 of 0 by 3"},
		}},
		{"TIME reads the server's clock", []step{
			{1_234_567, 1, cmd("TIME"), `["1234" "567000"]`, "", ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { play(t, New(), tt.steps) })
	}
}

// play executes steps on an empty store and checks their results, also those on a replica.
func play(t *testing.T, s *Store, steps []step) {
	t.Helper()
	replica := New()
	replica.SetReplica(true)
	for i := range steps {
		step := &steps[i]
		reply := ""
		if step.give.name == "" {
			s.ExpireDue(step.atMS)
		} else {
			reply = s.Exec(step.atMS, step.by, &step.give).String()
		}
		must.Equalf(t, reply, step.want, "step %d, %v: reply", i, &step.give)
		reports(t, s, fmt.Sprintf("step %d, %v", i, &step.give), step.changes, step.effects)
		for _, e := range s.Effects() {
			replica.Apply(step.atMS, &e)
		}
		compareSnapshots(t, i, fmt.Sprint(&step.give), s, replica)
	}
}

// reports checks what the last call has reported.
func reports(t *testing.T, s *Store, call, changes, effects string) {
	t.Helper()
	must.Equalf(t, show(s.Changes()), changes, "%s: changes", call)
	must.Equalf(t, showEffects(s.Effects()), effects, "%s: effects", call)
}

// do executes a command and returns the reply as redis-cli prints it.
func do(s *Store, atMS int64, by history.NodeID, cmd Cmd) string {
	return s.Exec(atMS, by, &cmd).String()
}

func TestReplica(t *testing.T) {
	primary, replica := New(), New()
	replica.SetReplica(true)
	follow := func(atMS int64) string {
		var out []string
		for _, e := range primary.Effects() {
			replica.Apply(atMS, &e)
			out = append(out, show(replica.Changes()))
		}
		return strings.Join(out, " | ")
	}
	do(primary, 0, 1, Set("lock", "t").PX(ttl))
	must.Equalf(t, follow(4000), "replicated lock of 1 by 1 ttl 6000", "SET on the replica")
	replica.ExpireDue(99_000)
	must.Equalf(t, do(replica, 99_000, 2, Get("lock")), "(nil)",
		"a replica with a fast clock reads")
	if len(replica.Changes()) != 0 || replica.Len() != 1 || len(replica.Effects()) != 0 {
		t.Error("the replica has dropped a key by itself")
	}
	if got, want := do(replica, 0, 2, Del("lock")), "(error) READONLY You can't write against a read only replica."; got != want {
		t.Errorf("DEL on the replica: %s, want %s", got, want)
	}
	do(primary, 20_000, 3, Set("lock", "u").NX().PX(ttl))
	if got, want := follow(20_000), "expired lock of 1 by 0 ttl 0 | replicated lock of 3 by 3 ttl 10000"; got != want {
		t.Errorf("takeover on the replica: %s, want %s", got, want)
	}
	do(primary, 20_001, 4, Set("lock", "w"))
	if got, want := follow(20_001), "removed lock of 3 by 4 ttl 9999; replicated lock of 4 by 4 ttl -1"; got != want {
		t.Errorf("overwrite on the replica: %s, want %s", got, want)
	}
	replica.SetReplica(false)
	must.Equalf(t, do(replica, 20_002, 2, Set("lock", "x").NX()), "(nil)",
		"the promoted replica gave the lock away")
}

func TestCopyToAndLose(t *testing.T) {
	source, dst := New(), New()
	do(source, 0, 1, Set("same", "1"))
	do(source, 0, 2, Command("HSET", "new", "f", "v"))
	do(source, 0, 3, Set("taken", "3").PX(ttl))
	do(dst, 0, 1, Set("same", "old"))
	do(dst, 0, 4, Set("taken", "4"))
	do(dst, 0, 5, Set("gone", "5"))
	source.CopyTo(dst, 1000)
	want := "forgotten taken of 4 by 0 ttl -1; forgotten gone of 5 by 0 ttl -1; " +
		"replicated new of 2 by 0 ttl -1; replicated taken of 3 by 0 ttl 9000"
	must.Equalf(t, show(dst.Changes()), want, "CopyTo reports")
	must.Equalf(t, fmt.Sprint(dst.Snapshot()), fmt.Sprint(source.Snapshot()), "the copy")
	do(dst, 1000, 9, Command("HSET", "new", "f", "other"))
	must.Equalf(t, do(source, 1000, 9, Command("HGET", "new", "f")), `"v"`,
		"a write to the copy reached the source")
	dst.Lose(2000)
	if got := len(dst.Changes()); got != 3 || dst.Len() != 0 {
		t.Errorf("Lose reports %d entries and leaves %d, want 3 and 0", got, dst.Len())
	}
}

func TestKept(t *testing.T) {
	s := New()
	do(s, 0, 1, Set("b", "1").PX(ttl))
	do(s, 0, 1, Command("RPUSH", "a", "1"))
	do(s, 0, 2, Set("c", "1"))
	const now = 1_000_000_000_000
	do(s, now, 1, Command("HSET", "d", "owner", "A", "until").Num(now+7))
	do(s, now, 1, Set("e", "1000000009"))
	do(s, now, 1, Set("f", "1000086400"))
	do(s, now, 1, Set("g", "1").PX(ttl))
	want := []store.Entry{{Key: "a"}, {Key: "b"}, {Key: "d", Lease: 7 * time.Millisecond}, {Key: "e", Lease: 9 * time.Second}, {Key: "f"}, {Key: "g", Lease: ttl}}
	for i, text := range []string{"A:1000000009000000", "1000000009000000000 A", `{"until":"2001-09-09T03:46:49.5+02:00"}`, "20010909014649", "token 10000000091"} {
		key := fmt.Sprint("h", i)
		do(s, now, 1, Set(key, text))
		want = append(want, store.Entry{Key: key, Lease: []time.Duration{9 * time.Second, 9 * time.Second, 9500 * time.Millisecond, 0, 0}[i]})
	}
	if got, want := fmt.Sprint(s.Kept(1)), fmt.Sprint(want); got != want {
		t.Errorf("kept are %s, want %s", got, want)
	}
}

func TestManyKeys(t *testing.T) {
	s := New()
	for round := range 2 {
		for i := range 100 {
			do(s, 0, 1, Set(fmt.Sprint("key", i), fmt.Sprint(i)))
		}
		for i := 0; i < 100; i += 2 {
			do(s, 0, 1, Del(fmt.Sprint("key", i)))
		}
		for i := range 100 {
			want := "(nil)"
			if i%2 == 1 {
				want = fmt.Sprintf("%q", fmt.Sprint(i))
			}
			if got := do(s, 0, 1, Get(fmt.Sprint("key", i))); got != want {
				t.Fatalf("round %d: key %d is %s, want %s", round, i, got, want)
			}
		}
		if s.Reset(); s.Len() != 0 || do(s, 0, 1, Get("key1")) != "(nil)" {
			t.Fatal("Reset left something behind")
		}
	}
}

func TestPublish(t *testing.T) {
	s := New()
	heard := ""
	s.OnPublish = func(channel, message string) int64 { heard += channel + "=" + message; return 2 }
	script := &Script{Name: "p", Source: `return redis.call("publish", "c", 7)`}
	must.Equalf(t, do(s, 0, 1, Command("PUBLISH", "a", "b")), "(integer) 2", "PUBLISH")
	if got := do(s, 0, 1, Eval(script, "k")); got != "(integer) 2" || heard != "a=bc=7" {
		t.Errorf("PUBLISH in a script: %s, heard %s", got, heard)
	}
}

// TestNoAllocation bounds the allocations of the hot path; those of a script are Lua's.
func TestNoAllocation(t *testing.T) {
	s := New()
	take, held := Set("lock", "t").NX().PX(ttl), Set("lock", "u").NX().PX(ttl)
	unlock := Eval(&lockScripts[0].Script, "lock").Text("t")
	renew, get, del := Command("PEXPIRE", "lock").Num(5000), Get("lock"), Del("lock")
	nowMS := int64(0)
	for _, tt := range []struct {
		most  float64
		round []*Cmd
	}{
		{0, []*Cmd{&take, &held, &get, &renew, &del}},
		{2, []*Cmd{&take, &held, &get, &renew, &unlock}},
	} {
		run := func() {
			for _, cmd := range tt.round {
				s.Exec(nowMS, 1, cmd)
				s.NextExpiry()
				nowMS++
			}
		}
		if got := testing.AllocsPerRun(100, run); got > tt.most {
			t.Errorf("a round of lock commands that ends with %s allocates %v times, want %v at most", tt.round[4].name, got, tt.most)
		}
	}
}
