package witness

import (
	"slices"
	"testing"
	"time"
)

func TestParseLine(t *testing.T) {
	got, err := parseLine(`1795307989.439469 [0 127.0.0.1:60560] "SET" "a b" "\"\\\n\x00\xff" ""`)
	want := []string{"SET", "a b", "\"\\\n\x00\xff", ""}
	if err != nil || got.Addr != "127.0.0.1:60560" || got.At != time.Duration(1795307989439469) || !slices.Equal(got.Args, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := parseLine(`1.000001 [0 lua] "get" "k"`); err != nil || got.Addr != Script || got.At != 1000001 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{
		"", "OK", `1.5 "GET"`, `1 [0 a] "GET"`, `x.y [0 a] "GET"`, `1.5 [0] "GET"`, `1.5 [0 a]`, `1.5 [0 a] `, `1.5 [0 a] GET`,
		`1.5 [0 a] "GET`, `1.5 [0 a] "\x0`, `1.5 [0 a] "\xzz"`, `1.5 [0 a] "\`,
	} {
		if got, err := parseLine(bad); err == nil {
			t.Errorf("%q is taken for %+v", bad, got)
		}
	}
}

func TestOnlyRecentServersAreBelieved(t *testing.T) {
	for version, want := range map[string]bool{"7.0.15": true, "8.2.1": true, "10.0": true, "6.2.14": false, "": false, "x": false} {
		if recent(version) != want {
			t.Errorf("version %q: %v", version, !want)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(`1795307989.439469 [0 127.0.0.1:60560] "SET" "a b" "\"\\\n\x00"`)
	f.Fuzz(func(t *testing.T, line string) {
		if item, err := parseLine(line); err == nil && len(item.Args) == 0 {
			t.Errorf("%q is a line without a command", line)
		}
	})
}
