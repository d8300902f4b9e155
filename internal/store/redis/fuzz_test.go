package redis

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// odd has values that are hard to convert.
var odd = []string{
	"0", "-0.0", "1", "1.9", "-1.9", "0/0", "1/0", "-1/0", "2^53", "-2^63", "2^63", "1e300", "5e-324", "true", "false", "nil", `""`, `"a\r\nb\0\255"`,
	`redis.error_reply("MINE text")`, `redis.status_reply("a\r\nb")`, `redis.call("HSET", KEYS[1], "f", 1e17)`, `redis.call("HGETALL", KEYS[1])`,
	`redis.pcall("SET", KEYS[1], 0/0)`, `tostring(1e15)`, `tonumber("0x1p4")`, `string.format("%.14g %5.1f %d", 1e300, -1/0, 0/0)`, "print", "{err=1}", "{ok={}}", "{nil, 1}", "{1, nil, 3}",
}

// scriptOf makes a script from bytes. The script fills eight tables with odd values, texts and
// tables, even themselves, and returns the last one.
func scriptOf(data []byte) string {
	var b strings.Builder
	b.WriteString("local t = {} for i = 1, 8 do t[i] = {} end\n")
	last := 1
	for len(data) >= 3 {
		table, key, what := 1+int(data[0])%8, int(data[0]>>3)%8, data[1]
		value := odd[int(data[2])%len(odd)]
		switch {
		case what < 100:
			value = fmt.Sprintf("t[%d]", 1+int(data[2])%8)
		case what < 120:
			value = fmt.Sprintf("%q..%d", "x", data[2])
		}
		slot := fmt.Sprintf("[%d]", key)
		switch key {
		case 6:
			slot = ".err"
		case 7:
			slot = ".ok"
		}
		fmt.Fprintf(&b, "t[%d]%s = %s\n", table, slot, value)
		last = table
		data = data[3:]
	}
	fmt.Fprintf(&b, "return t[%d]", last)
	return b.String()
}

// size counts the elements of a reply.
func size(r Reply) int {
	n := 1
	for _, e := range r.Elements() {
		n += size(e)
	}
	return n
}

// Any result of a script, even cycles and NaN, becomes a reply of limited size. The reply is
// reproducible and survives a conversion to a Lua value and back.
func FuzzScriptReply(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{8, 0, 0, 16, 0, 0})                               // contains itself twice
	f.Add([]byte{8, 0, 1, 9, 0, 2, 10, 0, 3, 11, 200, 5})          // deep
	f.Add([]byte{8, 200, 5, 16, 200, 6, 24, 200, 7, 32, 200, 10})  // numbers that do not fit
	f.Add([]byte{48, 200, 16, 56, 200, 17, 8, 200, 18, 8, 100, 7}) // errors and statuses
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 300 {
			return
		}
		source := scriptOf(data)
		cmd := Eval(&Script{Name: "test", Source: source}, "lock")
		s := New()
		reply := s.Exec(0, 1, &cmd)
		if n := size(reply); n > mostElements+1 {
			t.Fatalf("%d elements of\n%s", n, source)
		}
		if reply.Kind == ReplyError && (reply.Err == nil || strings.ContainsAny(reply.Err.Error(), "\r\n")) {
			t.Fatalf("the error %q of\n%s", reply.Err, source)
		}
		if again := New().Exec(0, 1, &cmd); again.String() != reply.String() {
			t.Fatalf("%s, then %s of\n%s", reply, again, source)
		}
		if got := toReply(s.vm.fromReply(reply)); reply.Kind != ReplyError && got.String() != reply.String() && !hasNil(reply) {
			t.Fatalf("%s was converted to %s of\n%s", reply, got, source)
		}
	})
}

// hasNil reports whether a reply has elements that do not convert back: nil, which is the
// same as false, and errors, which are tables.
func hasNil(r Reply) bool {
	for _, e := range r.Elements() {
		if e.Kind == ReplyError || hasNil(e) {
			return true
		}
	}
	return false
}

// Numbers survive being formatted and parsed again.
func FuzzLuaNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1e308", "0x7fffffffffffffff", "nan", "inf", " 5 ", "1_0", "0x1p4", "-0x10", "1e", "9223372036854775807", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseLuaNumber(text, 10)
		if !ok {
			return
		}
		shown := numberArg(n).String()
		back, ok := parseLuaNumber(shown, 10)
		if n == n && (!ok || back != n) {
			t.Fatalf("%q is %v, shown as %s, which is %v", text, n, shown, back)
		}
		if _, ok := parseLuaNumber(luaNumber(n), 10); !ok && n == n || !utf8.ValidString(luaNumber(n)) {
			t.Fatalf("%q is shown as %q", text, luaNumber(n))
		}
		if i := truncate(n); lua.LNumber(i) > lua.LNumber(n)+1 && n == n && n > -9e18 && n < 9e18 {
			t.Fatalf("%v is truncated to %d", n, i)
		}
	})
}
