package monitor

import (
	"slices"
	"testing"
	"time"

	"lockstep/internal/must"
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
		must.Equalf(t, recent(version), want, "version %q", version)
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

func TestACensusIsComparedWithTheReports(t *testing.T) {
	at := func(stats string) map[string]int64 {
		return parseCensus("txt:# Server\r\nrun_id:7e1\r\nexpired_keys:" + stats + ",usec=9\r\ncmdstat_client|kill:calls=7\r\ncmdstat_info:calls=3\r\n").calls
	}
	before := at("1\r\ncmdstat_set:calls=4")
	items := []Item{{Args: []string{"SET", "lock", "a"}}, {Event: "set"}, {Event: "expired"}, {Args: []string{"INFO"}}}
	for stats, want := range map[string]bool{
		"2\r\ncmdstat_set:calls=5":                        true,
		"2\r\ncmdstat_set:calls=6":                        false, // a SET was missed
		"2\r\ncmdstat_set:calls=4":                        false, // the count was reset
		"3\r\ncmdstat_set:calls=5":                        false, // an end by time was missed
		"2\r\ncmdstat_del:calls=1\r\ncmdstat_set:calls=5": false, // the first DEL was missed
	} {
		must.Equalf(t, accounts(before, at(stats), items), want, "%q", stats)
	}
}
