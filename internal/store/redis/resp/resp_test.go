package resp_test

import (
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

func TestFrameFindsTheEndOfAMessage(t *testing.T) {
	for _, tt := range []struct {
		give string
		want int
	}{
		{"", 0}, {"+", 0}, {"+OK\r", 0}, {"+OK\r\n", 5}, {"+OK\r\n+OK\r\n", 5},
		{":12\r\n", 5}, {"-ERR no\r\n", 9}, {"$-1\r\n", 5}, {"*-1\r\n", 5},
		{"$3\r\nab", 0}, {"$3\r\nabc\r", 0}, {"$3\r\nabc\r\n", 9}, {"$4\r\na\r\nb\r\n", 10},
		{"*0\r\n", 4}, {"*2\r\n:1\r\n", 0}, {"*2\r\n:1\r\n*1\r\n$-1\r\n", 17},
	} {
		must.Equalf(t, must.Get(resp.Frame([]byte(tt.give)))(t), tt.want, "Frame(%q)", tt.give)
	}
	for _, give := range []string{"x", "$x\r\n", "$-2\r\n", "*99999999999\r\n", strings.Repeat("*1\r\n", 99)} {
		if n, err := resp.Frame([]byte(give)); err == nil {
			t.Errorf("Frame(%q) = %d, want an error", give, n)
		}
	}
}

func TestParseTellsAStatusFromAString(t *testing.T) {
	tests := []struct{ give, want string }{
		{"+OK\r\n", "OK"}, {"$2\r\nOK\r\n", `"OK"`}, {"$-1\r\n", "(nil)"}, {"*-1\r\n", "(nil)"},
		{":-7\r\n", "(integer) -7"}, {"-WRONGTYPE x\r\n", "(error) WRONGTYPE x"},
		{"*2\r\n:1\r\n*1\r\n+a\r\n", "[(integer) 1 [a]]"},
	}
	for _, tt := range tests {
		if got, err := resp.Parse([]byte(tt.give)); err != nil || got.String() != tt.want {
			t.Errorf("Parse(%q) = %v, %v; want %s", tt.give, got, err, tt.want)
		}
	}
	if _, err := resp.Parse([]byte("+OK\r\n:1\r\n")); err == nil {
		t.Error("two messages were read as one")
	}
}

func TestACommandIsAnArrayOfStrings(t *testing.T) {
	got := string(resp.AppendCommand(nil, "SET", "lock", ""))
	must.Equal(t, got, "*3\r\n$3\r\nSET\r\n$4\r\nlock\r\n$0\r\n\r\n")
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"+OK\r\n", "*2\r\n:1\r\n$-1\r\n", "$3\r\nabc\r\n", "*1\r\n*-1\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, err := resp.Frame(raw)
		if n < 0 || n > len(raw) {
			t.Fatalf("a frame of %d bytes in %d", n, len(raw))
		}
		if err == nil && n > 0 {
			_, _ = resp.Parse(raw[:n]) // must not panic
		}
	})
}

// What is written is read as the same, in both versions.
func TestRepliesAreWrittenAsTheyAreRead(t *testing.T) {
	reply := redis.List([]redis.Reply{
		redis.OK(), redis.Int(-7), redis.Bulk("a\r\nb"), {}, redis.List(nil), redis.Failed(redis.ServerError("ERR two\r\nlines")),
	})
	want := `[OK (integer) -7 "a\r\nb" (nil) [] (error) ERR two  lines]`
	for _, version := range []int{2, 3} {
		got, err := resp.Parse(resp.AppendReply(nil, reply, version))
		if err != nil || got.String() != want {
			t.Errorf("version %d: %s, %v, want %s", version, got.String(), err, want)
		}
		mapped, err := resp.Parse(resp.AppendMap(nil, version, redis.Bulk("proto"), redis.Int(3)))
		if err != nil || mapped.String() != `["proto" (integer) 3]` {
			t.Errorf("version %d: %s, %v", version, mapped.String(), err)
		}
	}
	push := resp.AppendPush(nil, redis.Bulk("invalidate"), redis.List([]redis.Reply{redis.Bulk("k")}))
	if got, err := resp.Parse(push); err != nil || !resp.IsPush(push) || got.String() != `["invalidate" ["k"]]` {
		t.Errorf("%q: %s, %v", push, got.String(), err)
	}
}
