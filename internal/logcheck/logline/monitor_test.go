package logline

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// monitored makes a log of MONITOR from short lines, joined by semicolons: the second, the
// connection, the command. Connections without a dot are of host 10.0.0.<first letter>.
func monitored(short string) []string {
	lines := []string{"OK"}
	for line := range strings.SplitSeq(short, ";") {
		f := strings.Fields(line)
		from := "0 " + f[1]
		if f[1] == "lua" {
		} else if len(f[1]) == 2 {
			from = fmt.Sprintf("0 10.0.0.%d:5%s", f[1][0]-'a'+1, f[1][1:])
		} else {
			from = strings.Replace(f[1], "/", " ", 1)
		}
		whole, fraction, _ := strings.Cut(f[0], ".")
		at := fmt.Sprintf("17723592%02s.%-6s", whole, fraction)
		lines = append(lines, strings.ReplaceAll(at, " ", "0")+" ["+from+`] "`+strings.Join(f[2:], `" "`)+`"`)
	}
	return lines
}

// read decodes lines: "host/value lock event lease" for each event, and ? for a line that is
// unread.
func read(t testing.TB, lines []string) (all []string, unproven int64) {
	t.Helper()
	d := newMonitor()
	emit := func(f *Fields) error {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.Client, f.Lock, f.Event, f.Lease)))
		return nil
	}
	for i, line := range lines {
		switch err := d.Decode([]byte(line), int64(i+1), emit); {
		case errors.Is(err, ErrUnread):
			all = append(all, "?")
		case err != nil:
			t.Fatalf("%s: %v", line, err)
		}
	}
	if err := d.End(emit); err != nil {
		must.Equal(t, errors.Is(err, ErrUnread), true)
		all = append(all, "?")
	}
	unproven, _ = d.Unproven()
	return all, unproven
}

func TestMonitor(t *testing.T) {
	const (
		acquired = "10.0.0.1/v k acquired"
		released = "10.0.0.1/v k released"
		found    = ";2 a1 EVALSHA 5f 1 k v;2.1 lua get k;2.2 lua del k"
	)
	for _, tt := range []struct {
		name, log, want string
		unproven        int64
	}{
		// Whether a SET succeeded.
		{"acquired and released", "1 a1 SET k v NX PX 30000" + found, acquired + " 30s, " + released, 0},
		{"with EX, and options in front of NX", "1 a1 SET k v EX 30 NX" + found, acquired + " 30s, " + released, 0},
		{"until a time", "1 a1 SET k v NX PXAT 1772359205500" + found, acquired + " 4.5s, " + released, 0},
		{"a lease that the server refuses", "1 a1 SET k v NX PX 0;1 b1 SET k w NX PX -5;1 b1 SET k w NX EX x", "", 0},
		{"in lower case", "1 a1 set k v nx px 30000;2 a1 evalsha 5f 1 k v;2.1 lua GET k;2.2 lua DEL k", acquired + " 30s, " + released, 0},
		{"the key may have existed before", "1 a1 SET k v NX PX 30000;2 b1 SET k w NX PX 30000", acquired + " 30s, 10.0.0.2/w k waiting", 1},
		{"it existed before: a second try", "1 a1 SET k v NX PX 30000;2 a1 SET k v NX PX 30000;3 a1 SET k v NX PX 30000", acquired + " 30s, 10.0.0.1/v k lost, 10.0.0.1/v k waiting, 10.0.0.1/v k waiting", 1},
		{"it existed before: the script finds another value", "1 a1 SET k v NX PX 30000;2 a1 EVALSHA 5f 1 k v;2.1 lua get k;3 b1 SET k w NX PX 30000", acquired + " 30s, 10.0.0.1/v k lost, 10.0.0.2/w k waiting", 1},
		{"it existed before, and was deleted", "1 a1 SET k v NX PX 30000;2 a1 SET k v NX PX 30000;3 c1 DEL k;4 a1 SET k v NX PX 30000" + strings.ReplaceAll(found, ";2", ";5"), acquired + " 30s, 10.0.0.1/v k lost, 10.0.0.1/v k waiting, ?, " + acquired + " 30s, " + released, 1},
		{"proven by a renewal", "1 a1 SET k v NX PX 30000;2 a1 EVAL s 1 k v 30000;2.1 lua get k;2.2 lua pexpire k 30000", acquired + " 30s, 10.0.0.1/v k extended 30s", 0},
		{"proven by its PTTL", "1 a1 SET k v NX PX 30000;2 a1 EVAL s 1 k v;2.1 lua get k;2.2 lua pttl k", acquired + " 30s", 0},
		{"proven for those who follow", "1 a1 SET k v NX PX 30000" + found + ";3 b1 SET k w NX", acquired + " 30s, " + released + ", 10.0.0.2/w k acquired", 0},
		{"each one until it is proven", "1 a1 SET k v NX PX 1000;3 b1 SET k w NX PX 1000", acquired + " 1s, 10.0.0.2/w k acquired 1s", 2},
		{"as it expires", "1 a1 SET k v NX PX 1000;2.0005 b1 SET k w NX PX 1000", acquired + " 1s, 10.0.0.2/w k waiting", 2},
		{"its owner sets it without an expiry", "1 a1 SET k v NX PX 30000;2 a1 SET k v", acquired + " 30s, 10.0.0.1/v k extended 87600h", 1},
		{"SETNX and EXPIRE", "1 a1 SETNX k v;2 a2 EXPIRE k 30;3 a1 DEL k", acquired + ", 10.0.0.1/v k extended 30s, " + released, 1},
		{"keys that are no locks", "1 a1 SET k v;2 a1 GET k;3 a1 DEL k;4 a1 HINCRBY k f 1;5 a1 PING", "", 0},
		{"a number as its value", "1 a1 SET k 30000 NX PX 30000;2 a1 EVALSHA 5f 1 k 30000;2.1 lua get k;2.2 lua del k", "10.0.0.1/30000 k acquired 30s, 10.0.0.1/30000 k released", 0},

		// The client of a deletion.
		{"of its connection", "1 a1 SET k v NX;2 a1 DEL k", acquired + ", " + released, 1},
		{"of its host: perhaps another client", "1 a1 SET k v NX;2 a2 UNLINK k", acquired + ", " + released + ", ?", 1},
		{"of another host", "1 a1 SET k v NX;2 b1 DEL k", acquired + ", ?", 1},
		{"of two of its host", "1 a1 SET k v NX;2 a2 SET k w NX;3 a1 DEL k", acquired + ", 10.0.0.1/w k waiting, ?", 1},
		{"of several keys", "1 a1 SET k v NX;1 a1 SET l w NX;2 a1 DEL k x l", acquired + ", 10.0.0.1/w l acquired, " + released + ", 10.0.0.1/w l released", 2},
		{"in a script that compares nothing", "1 a1 SET k v NX;2 b1 EVAL s 1 k v;2.1 lua del k", acquired + ", ?", 1},
		{"of its connection, and it has not known", "1 a1 SET k v NX;2 a1 DEL k;3 a1 EVALSHA 5f 1 k v;3.1 lua get k", acquired + ", " + released + ", ?", 1},
		{"after the lease", "1 a1 SET k v NX PX 1000;3 a1 DEL k", acquired + " 1s, 10.0.0.1/v k lost", 1},
		{"after the lease, that of another one", "1 a1 SET k v NX PX 1000;3 b1 SET k w NX;4 a1 DEL k;5 b1 DEL k", acquired + " 1s, 10.0.0.2/w k acquired, " + released + ", 10.0.0.2/w k lost", 2},
		{"an EXPIRE that deletes", "1 a1 SET k v NX;2 a1 EXPIRE k 0", acquired + ", " + released, 1},
		{"an EXPIRE of another one", "1 a1 SET k v NX;2 b1 EXPIRE k 30", acquired + ", ?", 1},
		{"a SET of its own value", "1 a1 SET k v NX PX 1000;1.5 a2 SET k v XX PX 30000", acquired + " 1s, 10.0.0.1/v k extended 30s", 1},
		{"a SET of another one", "1 a1 SET k v NX;2 b1 SET k w;3 c1 SET k x NX", acquired + ", ?, 10.0.0.3/x k waiting", 1},

		// Scripts.
		{"lost", "1 a1 SET k v NX PX 1000;3 b1 SET k w NX;4 a1 EVALSHA 5f 1 k v;4.1 lua get k;5 b1 EVALSHA 5f 1 k w;5.1 lua get k;5.2 lua del k", acquired + " 1s, 10.0.0.2/w k acquired, 10.0.0.1/v k lost, 10.0.0.2/w k released", 1},
		{"a script that the server does not know tells nothing", "1 a1 SET k v NX;2 a1 EVALSHA 5f 1 k v" + found, acquired + ", " + released, 0},
		{"EVAL_RO looks", "1 a1 SET k v NX;2 b1 EVAL_RO s 1 k v;2.1 lua pttl k;3 b1 EVALSHA_RO s 1 k;3.1 lua exists k", acquired, 1},
		{"a function", "1 a1 FCALL lock 1 k v 30000;1.1 lua set k v NX PX 30000;2 b1 FCALL lock 1 k w 30000;2.1 lua set k w NX PX 30000;3 a1 FCALL unlock 1 k v;3.1 lua get k;3.2 lua del k", acquired + " 30s, 10.0.0.2/w k waiting, " + released, 0},
		{"a script with its key in it", "1 a1 EVAL s 0;1.1 lua set k v NX;2 a1 EVAL t 0;2.1 lua del k", acquired + ", " + released, 1},
		{"a script that began before", "1 lua get k;2 lua del k;3 a1 SET k v NX", acquired, 1},
		{"re-entrant", "1 a1 EVAL s 1 k 30000 v;1.1 lua exists k;1.2 lua hincrby k v 1;1.3 lua pexpire k 30000;2 b1 EVAL s 1 k 30000 w;2.1 lua exists k;2.2 lua hexists k w;2.3 lua pttl k;" +
			"3 a1 EVAL u 1 k c 30000 v;3.1 lua hexists k v;3.2 lua hincrby k v -1;3.3 lua del k", acquired + ", 10.0.0.1/v k extended 30s, 10.0.0.2/w k waiting, " + released, 0},
		{"re-entrant and fair", "1 a1 EVAL s 2 k q 30000 v;1.1 lua exists k;1.2 lua exists q;1.3 lua hset k v 1;1.4 lua pexpire k 30000", acquired + ", 10.0.0.1/v k extended 30s", 0},
		{"re-entrant, and the server has lost it", "1 a1 EVAL s 1 k v;1.1 lua exists k;1.2 lua hincrby k v 1;2 b1 EVAL s 1 k w;2.1 lua exists k;2.2 lua hincrby k w 1", acquired + ", 10.0.0.2/w k acquired, ?", 0},
		{"a counter", "1 a1 EVAL s 1 k v;1.1 lua hincrby k v 1;2 b1 EVAL s 1 k w;2.1 lua hincrby k w 1;3 b1 HINCRBY k w 1", "", 0},
		{"readers and writers", "1 a1 EVAL s 1 k v;1.1 lua hget k mode;1.2 lua hset k mode read;1.3 lua hset k v 1;2 b1 EVAL s 1 k w;2.1 lua hget k mode;2.2 lua hincrby k w 1", "?, ?, ?", 0},

		{"a script that sets, and does not find it free", "1 a1 EVALSHA 5e 1 k v 30000;1.1 lua get k;1.2 lua set k v PX 30000;2 b1 EVALSHA 5e 1 k w 30000;2.1 lua get k" + strings.ReplaceAll(found, ";2", ";3"), acquired + " 30s, 10.0.0.2/w k waiting, " + released, 0},
		{"a script that sets, and the server has lost the key", "1 a1 EVALSHA 5e 1 k v 30000;1.1 lua get k;1.2 lua set k v PX 30000;2 b1 EVALSHA 5e 1 k w 30000;2.1 lua get k;2.2 lua set k w PX 30000", acquired + " 30s, 10.0.0.2/w k acquired 30s, ?", 0},
		{"a script that sets, tried again after the lease", "1 a1 EVALSHA 5e 1 k v 1000;1.1 lua exists k;1.2 lua set k v PX 1000;3 b1 SET k w NX;4 a1 EVALSHA 5e 1 k v 1000;4.1 lua get k", acquired + " 1s, 10.0.0.2/w k acquired, 10.0.0.1/v k waiting", 0},
		{"a script that sets several keys", "1 a1 EVALSHA 5e 2 k l v 2000;1.1 lua exists k;1.2 lua exists l;1.3 lua set k v PX 2000;1.4 lua set l v PX 2000;2 b1 EVALSHA 5e 1 l w 2000;2.1 lua exists l", acquired + " 2s, 10.0.0.1/v l acquired 2s, 10.0.0.2/w l waiting", 0},
		{"a script that sets a latch beside the lock", "1 a1 EVALSHA 5e 2 k latch 1 1000;1.1 lua get latch;1.2 lua get k;1.3 lua del k;1.4 lua set latch 1 PX 1000", "", 0},
		{"a script that sets what is none of its arguments", "1 a1 EVAL s 1 k 60;1.1 lua get k;1.2 lua set k x EX 60", "", 0},
		{"a script of another host finds another value", "1 a1 SET k v NX PX 1000;3 c1 SET k w NX;4 b1 EVALSHA 5f 1 k v;4.1 lua get k", acquired + " 1s, 10.0.0.3/w k acquired, ?", 2},

		// Addresses.
		{"another database", "1 3/10.0.0.1:51 SET k v NX;2 b1 SET k w NX;3 3/10.0.0.1:51 DEL k", "10.0.0.1/v 3 k acquired, 10.0.0.2/w k acquired, 10.0.0.1/v 3 k released", 2},
		{"IPv6", "1 0/[::1]:51 SET k v NX;2 0/[::1]:51 DEL k", "[::1]/v k acquired, [::1]/v k released", 1},
		{"a socket is that of all", "1 0/unix:/tmp/redis.sock SET k v NX;2 0/unix:/tmp/redis.sock DEL k", "unix/v k acquired, unix/v k released, ?", 1},

		// Clients with one value.
		{"one value on two hosts", "1 a1 SET k v NX PX 1000;3 b1 SET k v NX;4 a1 EVALSHA 5f 1 k v;4.1 lua get k;4.2 lua del k", acquired + " 1s, 10.0.0.2/v k acquired, " + released, 2},
		{"one value on one host, waiting", "1 a1 SET k v NX" + found + ";3 a1 SET k v NX;4 a2 SET k v NX", acquired + ", " + released + ", " + acquired + ", 10.0.0.1/v k waiting, ?", 0},
		{"one value on one host, after the lease", "1 a1 SET k v NX PX 1000;3 a2 SET k v NX", acquired + " 1s, " + acquired + ", ?", 2},
		{"one value, and the host of its script has not acquired", "1 a1 SET k v NX;2 b1 EVALSHA 5f 1 k v;2.1 lua get k;2.2 lua del k", acquired + ", " + released + ", ?", 1},

		// Other changes of keys.
		{"FLUSHALL", "1 a1 SET k v NX;2 c1 FLUSHALL;3 b1 SET k w NX", acquired + ", ?, 10.0.0.2/w k acquired", 2},
		{"RENAME", "1 a1 SET k v NX;2 c1 RENAME k l;3 b1 SET k w NX", acquired + ", ?, 10.0.0.2/w k acquired", 1},
		{"RENAME, and it is proven that the key is free", "1 a1 SET k v NX;2 c1 RENAME k l;3 a1 EVALSHA 5f 1 k v;3.1 lua get k;4 b1 SET k w NX", acquired + ", ?, 10.0.0.1/v k lost, 10.0.0.2/w k acquired", 1},
		{"GETDEL", "1 a1 SET k v NX;2 c1 GETDEL k;3 b1 SET k w NX", acquired + ", ?, 10.0.0.2/w k acquired", 1},
		{"PERSIST", "1 a1 SET k v NX PX 1000;2 c1 PERSIST k;3 b1 SET k w NX;4 a1 EVALSHA 5f 1 k v;4.1 lua get k;4.2 lua del k;5 b1 SET k w NX", acquired + " 1s, ?, 10.0.0.2/w k waiting, " + released + ", 10.0.0.2/w k acquired", 1},
		{"a renewal from another host", "1 a1 SET k v NX PX 1000;1.5 b1 EVAL s 1 k v 30000;1.6 lua get k;1.7 lua pexpire k 30000", acquired + " 1s, 10.0.0.1/v k extended 30s, ?", 1},
		{"RENAME to it", "1 a1 SET k v NX;2 c1 RENAME l k", acquired + ", ?", 1},
		{"MIGRATE", "1 a1 SET k v NX;2 c1 MIGRATE h 6379 k 0 100;3 b1 SET k w NX", acquired + ", ?, 10.0.0.2/w k acquired", 1},
		{"BITOP", "1 a1 SET k v NX;2 c1 BITOP AND k x y", acquired + ", ?", 1},
		{"KEEPTTL", "1 a1 SET k v NX PX 1000;1.5 a1 SET k v XX KEEPTTL;3 b1 SET k w NX", acquired + " 1s, 10.0.0.2/w k acquired", 2},
		{"until a time that is over", "1 a1 SET k v NX;2 a1 SET k v XX PXAT 1;3 b1 SET k w NX", acquired + ", ?, 10.0.0.2/w k acquired", 1},
		{"IFEQ", "1 a1 SET k v NX;2 a1 SET k v IFEQ w PX 10", acquired + ", ?", 1},
		{"IFEQ of a key that is no lock", "1 a1 SET k v IFEQ w PX 10", "", 0},
		{"GETSET", "1 a1 SETNX k v;2 b1 GETSET k w", acquired + ", ?", 1},
		{"a command that is not known", "1 a1 SETNX k v;2 b1 NOEXPIRE k 1", acquired + ", ?", 1},
		{"looks", "1 a1 SETNX k v;2 b1 GET k;2 b1 TTL k;2 b1 PUBLISH k x;2 b1 WATCH k", acquired, 1},
		{"a field that is set if it is free, and removed", "1 a1 HSETNX k f v;2 b1 HSETNX k f w;3 a1 HDEL k g f;4 b1 HDEL k g", "?", 0},
		{"a script that sets without an expiry, and one that compares", "1 a1 EVALSHA 5e 1 k v;1.1 lua get k;1.2 lua set k v;2 a1 DEL k;3 a1 EVALSHA 5f 1 k v;3.1 lua get k;3.2 lua del k", "?", 0},
		{"a script that removes what it has not set", "1 a1 SET k v;3 a1 EVALSHA 5f 1 k v;3.1 lua get k;3.2 lua del k", "", 0},
		{"MULTI", "1 a1 MULTI;1 a1 SET k v NX;1 a1 EXPIRE k 30;1 a1 EXEC;2 a1 WATCH k;2.1 a1 GET k;2.2 a1 MULTI;2.3 a1 DEL k;2.4 a1 EXEC", acquired + ", 10.0.0.1/v k extended 30s, " + released, 1},
	} {
		got, unproven := read(t, monitored(tt.log))
		if s := strings.Join(got, ", "); s != tt.want || unproven != tt.unproven {
			t.Errorf("%s:\n got %s (%d)\nwant %s (%d)", tt.name, s, unproven, tt.want, tt.unproven)
		}
	}
}

// A second MONITOR means that commands were missed in between.
func TestMonitorBeginsAgain(t *testing.T) {
	lines := append(monitored("1 a1 SET k v NX"), monitored("2 b1 SET k w NX")...)
	got, unproven := read(t, lines)
	if s := strings.Join(got, ", "); s != "10.0.0.1/v k acquired, ?, 10.0.0.2/w k acquired" || unproven != 2 {
		t.Errorf("%s, %d", s, unproven)
	}
}

func TestMonitorLinesThatAreNone(t *testing.T) {
	for _, line := range []string{
		"", "OKAY", "1772359200.012345", `1772359200 [0 a:1] "GET" "k"`, `1772359200.01234 [0 a:1] "GET" "k"`, `-1772359200.012345 [0 a:1] "GET" "k"`,
		`9223372036854775.807000 [0 a:1] "GET" "k"`, `1772359200.012345 [0 a:1] `, `1772359200.012345 [0 a:1] GET k`, `1772359200.012345 [0 a:1] "GET" "k`,
		"1772359200.012345 [0 a:1] `GET` \"k\"", `1772359200.012345 [0 a:1] "GET" 'k'`, `1772359200.012345 [0 a:1] "GET" "\x0"`,
	} {
		d := newMonitor()
		if err := d.Decode([]byte(line), 1, func(*Fields) error { return nil }); err == nil || errors.Is(err, ErrUnread) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Escapes are kept, and the output of Redis 6 and 7 is recognized, over TCP and a socket.
func TestMonitorIsRecognized(t *testing.T) {
	for _, from := range []string{"10.0.0.1:5", "[::1]:5", "unix:/tmp/my redis.sock", "lua"} {
		line := `1772359200.012345 [0 ` + from + `] "SET" "\x00\"k" "\xff\n\\" "NX"`
		d, f, err := Open(&Format{}, "", []byte(line), []byte(line))
		if err != nil || f.Kind != Monitor {
			t.Errorf("%s: %s, %v", from, f.Kind, err)
			continue
		}
		err = d.Decode([]byte(line), 1, func(f *Fields) error {
			if string(f.Lock) != `\x00\"k` || !strings.HasSuffix(string(f.Client), `/\xff\n\\`) || string(f.Time) != "1772359200.012345" {
				t.Errorf("%s: %s, %s, %s", from, f.Lock, f.Client, f.Time)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Memory has a bound: for keys, for believers, and for long names.
func TestMonitorForgets(t *testing.T) {
	d := newMonitor()
	long := strings.Repeat("x", 10_000)
	set := func(line string) {
		err := d.Decode([]byte(line), 1, func(f *Fields) error {
			if len(f.Client) > 256 || len(f.Lock) > 256 {
				t.Fatalf("names of %d and %d bytes", len(f.Client), len(f.Lock))
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrUnread) {
			t.Fatal(err)
		}
	}
	for i := range 4 * maxKeys {
		key := fmt.Sprint("k", i%(3*maxKeys/2))
		if i%1000 == 0 {
			key += long
		}
		set(fmt.Sprintf(`1772359200.%06d [0 10.0.0.1:5] "SET" "%s" "v%d" "NX" "PX" "1"`, i%1_000_000, key, i))
		if len(d.keys) > maxKeys || d.believed > maxBelieved {
			t.Fatalf("%d keys, %d holders", len(d.keys), d.believed)
		}
	}
	for i := range 2 * maxBelievers {
		set(fmt.Sprintf(`17723593%02d.000000 [0 10.0.0.1:5] "SET" "k" "v%d" "NX" "PX" "1"`, i, i))
	}
	if e := d.keys["k"]; len(e.believers) != maxBelievers || !e.dropped {
		t.Errorf("%d holders of a key, dropped: %t", len(e.believers), e.dropped)
	}
}

// Free keys are forgotten first.
func TestMonitorForgetsFreeKeys(t *testing.T) {
	lines := monitored("1 a1 SET held v NX")
	for i := range maxKeys {
		lines = append(lines, fmt.Sprintf(`1772359202.000000 [0 10.0.0.1:5] "SET" "k%d" "v" "NX"`, i), fmt.Sprintf(`1772359202.000001 [0 10.0.0.1:5] "DEL" "k%d"`, i))
	}
	got, _ := read(t, append(lines, monitored("3 b1 SET held w NX")[1:]...))
	if last := got[len(got)-1]; last != "10.0.0.2/w held waiting" {
		t.Error(last)
	}
}

func FuzzMonitor(f *testing.F) {
	for _, log := range []string{
		"1 a1 SET k v NX PX 30000;2 a1 EVALSHA 5f 1 k v;2.1 lua get k;2.2 lua del k", "1 a1 EVAL s 1 k v;1.1 lua exists k;1.2 lua hincrby k v 1;1.3 lua pexpire k 9223372036854775807;2 b1 EVAL s 1 k w;2.1 lua hexists k w;2.3 lua pttl k",
		"1 a1 SET k v NX PXAT;2 b1 DEL;3 c1 RENAME k;4 c1 FCALL f x;5 lua hget k;6 lua hexists", "1 lua set k v nx ex;2 lua hget k mode;3 lua hset k mode x;4 lua expire k -1",
		"99 a1 SETNX k v;1 b1 SETNX k v;1 a1 FLUSHALL;1 a1 EXPIRE k 9223372036854775807;2 a1 SET k v PXAT -9223372036854775808",
	} {
		f.Add([]byte(strings.Join(monitored(log), "\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newMonitor()
		emit := func(f *Fields) error {
			if len(f.Client) == 0 || len(f.Client) > 256 || len(f.Lock) > 256 || len(f.Time) == 0 {
				t.Errorf("%q, %q, %q", f.Client, f.Lock, f.Time)
			}
			return nil
		}
		n := 0
		for line := range strings.SplitSeq(string(data), "\n") {
			n++
			_ = d.Decode([]byte(line), 1, emit) // an error is as good
		}
		_ = d.End(emit)
		believed := 0
		for _, e := range d.keys {
			believed += len(e.believers)
		}
		if believed != d.believed || believed > n {
			t.Errorf("%d holders are counted, and there are %d", d.believed, believed)
		}
		if unproven, _ := d.Unproven(); unproven > int64(n) {
			t.Errorf("%d of %d lines", unproven, n)
		}
	})
}
