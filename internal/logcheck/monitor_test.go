package logcheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/say"
)

// monitored returns a log of MONITOR from short lines: the second, the connection of host
// 10.0.0.<letter>, the command.
func monitored(short string) string {
	var b strings.Builder
	b.WriteString("OK\n")
	for line := range strings.SplitSeq(short, ";") {
		f := strings.Fields(line)
		from := f[1]
		if from != "lua" {
			from = fmt.Sprintf("10.0.0.%d:5%s", from[0]-'a'+1, from[1:])
		}
		whole, fraction, _ := strings.Cut(f[0], ".")
		fmt.Fprintf(&b, "17723592%02s.%s [0 %s] \"%s\"\n", whole, (fraction + "000000")[:6], from, strings.Join(f[2:], `" "`))
	}
	return b.String()
}

// release is the script that deletes a key with its client's value.
func release(at int, connection, value string) string {
	return fmt.Sprintf(";%d %s EVALSHA 5f 1 k %s;%d.1 lua get k;%d.2 lua del k", at, connection, value, at, at)
}

// A command that changes a lock without its holder is a certain violation or a doubt: the verdict
// is never none.
func TestMonitorIsNeverNoneWithoutReason(t *testing.T) {
	set := func(at any, connection, value string, ms int) string {
		return fmt.Sprintf(";%v %s SET k %s NX PX %d", at, connection, value, ms)
	}
	// The first hold shows that the key was free; after it, a holds, and b waits.
	begin := strings.TrimPrefix(set(1, "a1", "x", 30000)+release(2, "a1", "x")+set(3, "a1", "v", 30000)+set("4.5", "b1", "w", 30000), ";")
	short := strings.Replace(begin, "30000;4.5", "1000;4.5", 1) // b has it from 4.5 s on
	const again = ";OK;"                                        // MONITOR is asked again
	taken := set(6, "b1", "w", 30000) + release(7, "b1", "w")
	for _, tt := range []struct {
		name, log string
		want      Verdict
		said      say.Template
	}{
		{"one after the other", begin + release(5, "a1", "v") + taken, None, nil},
		{"a lease runs out, and its client releases late", "1 a1 SET k v NX PX 1000" + set(3, "b1", "w", 30000) + ";4 a1 EVALSHA 5f 1 k v;4.1 lua get k" + release(5, "b1", "w"), Possible, say.LogUnproven},
		{"the same, at the end of the log", "1 a1 SET k v NX PX 1000" + set(3, "b1", "w", 30000) + ";4 a1 EVALSHA 5f 1 k v;4.1 lua get k", Possible, say.LogUnproven},
		{"the same, with a blind DEL", "1 a1 SET k v NX PX 1000" + set(3, "b1", "w", 30000) + ";4 a1 DEL k", Possible, say.LogUnproven},
		{"the same, and it is proven that the key was free", short + ";6 a1 EVALSHA 5f 1 k v;6.1 lua get k", Certain, nil},
		{"the same, with a blind DEL", short + ";6 a1 DEL k", Certain, nil},
		{"the same, re-entrant", "1 a1 EVAL s 1 k v;1.1 lua exists k;1.2 lua hincrby k v 1;1.3 lua pexpire k 1000;3 b1 EVAL s 1 k w;3.1 lua exists k;3.2 lua hincrby k w 1;3.3 lua pexpire k 30000;" +
			"4 a1 EVAL u 1 k v;4.1 lua hexists k v;5 b1 EVAL u 1 k w;5.1 lua hexists k w;5.2 lua hincrby k w -1;5.3 lua del k", Certain, nil},
		{"the same, by scripts that set, beside another lock", begin + release(5, "a1", "v") + taken + ";11 a1 EVALSHA 5e 1 l v 1000;11.1 lua get l;11.2 lua set l v PX 1000;13 b1 EVALSHA 5e 1 l w 1000;13.1 lua get l;13.2 lua set l w PX 1000;" +
			"13.5 a1 EVALSHA 5f 1 l v;13.6 lua get l;13.7 b1 EVALSHA 5f 1 l w;13.8 lua get l;13.9 lua unlink l", Certain, nil},
		{"a cache, which a script fills and its client empties", "1 a1 EVALSHA 5e 1 c v 60;1.1 lua get c;1.2 lua set c v EX 60;2 b1 EVALSHA 5e 1 c w 60;2.1 lua get c;2.2 lua set c w EX 60;3 a1 DEL c", Possible, say.LogLeftOpen},
		{"a lease runs out, and nothing more is heard", short + release(6, "b1", "w"), None, nil},
		{"the key is lost, and so is its client's release", begin + ";5 b1 SET k w NX PX 30000;7 a1 EVALSHA 5f 1 k v;7.1 lua get k", Unknown, say.LogLeftOpen},
		{"a client that never had it deletes blindly", begin + ";5 c1 DEL k" + taken, Possible, say.LogLeftOpen},
		{"it does so within a script", begin + ";5 c1 EVAL s 1 k;5.1 lua del k" + taken, Possible, say.LogLeftOpen},
		{"it is on the host of the holder", begin + ";5 a2 DEL k" + taken, Unknown, say.LogLeftOpen},
		{"it has its value", begin + release(5, "c1", "v") + taken, Unknown, say.LogLeftOpen},
		{"the waiter deletes it", begin + ";5 b1 DEL k" + taken, Possible, say.LogLeftOpen},
		{"another client of the host waits, too", begin + set("4.6", "a2", "u", 30000) + ";5 a1 DEL k" + taken, Possible, say.LogLeftOpen},
		{"FLUSHALL", begin + ";5 c1 FLUSHALL" + taken, Possible, say.LogLeftOpen},
		{"FLUSHDB after the release", begin + release(5, "a1", "v") + ";5.5 c1 FLUSHDB" + taken, Unknown, say.LogLeftOpen},
		{"RENAME", begin + ";5 c1 RENAME k l" + taken, Possible, say.LogLeftOpen},
		{"another key, and the command is cut", begin + release(5, "a1", "v") + taken + ";8 a1 SET j v <cut>", Unknown, say.LogCut},
		{"evicted", begin + taken, Unknown, say.LogLeftOpen},
		{"MONITOR was interrupted", begin + release(5, "a1", "v") + again + taken, Unknown, say.LogLeftOpen},
		{"what the key held before is not known", "1 a1 SET k v NX PX 30000;2 b1 SET k w NX PX 30000;3 a1 DEL k;4 b1 SET k w NX PX 30000;5 b1 DEL k", Unknown, say.LogUnproven},
		{"it had another holder, who is not shown", "1 a1 SET k v NX PX 30000;2 b1 SET k w NX PX 30000;2.5 a1 SET k v NX PX 30000" + release(3, "c1", "z") + set(4, "b1", "w", 30000) + release(5, "b1", "w"), Unknown, say.LogUnproven},
		{"two clients of one host with one value", begin + release(5, "a1", "v") + set(6, "b1", "1", 1000) + set("6.5", "b2", "1", 1000) + set(8, "b2", "1", 1000) + release(9, "b2", "1"), Unknown, say.LogLeftOpen},
		{"the same, and they do not meet", begin + release(5, "a1", "v") + set(6, "b1", "1", 1000) + set(8, "b2", "1", 1000) + release(9, "b2", "1"), Unknown, say.LogLeftOpen},
		{"one value on two hosts", begin + release(5, "a1", "v") + set(6, "b1", "1", 1000) + set(8, "c1", "1", 30000) + release(9, "b1", "1") + set(10, "a1", "v", 1000) + ";11 c1 EVALSHA 5f 1 k 1;11.1 lua get k", Certain, nil},
	} {
		text := ""
		for part := range strings.SplitSeq(tt.log, again) {
			text += monitored(strings.Trim(part, ";"))
		}
		text = strings.TrimSuffix(text, " \"<cut>\"\n")
		r := checked(t, text, Options{Rules: plausible})
		if r.Verdict() != tt.want || tt.said != nil && !said(slices.Concat(r.Doubts, r.Remarks), tt.said) || r.Format != "monitor" {
			t.Errorf("%s: %s, want %s; %s, %q", tt.name, r.Verdict(), tt.want, r.Format, english(r.Doubts))
		}
	}
}

// Several masters of a Redlock are not one store, and their lines do not stand in order of time.
func TestMonitorOfSeveralServers(t *testing.T) {
	of := func(client, value string) string {
		return monitored(fmt.Sprintf("1 %s SET k %s NX PX 9000;3 %s EVALSHA 5f 1 k %s;3.1 lua get k;3.2 lua del k", client, value, client, value))
	}
	a, b := of("a1", "v"), of("b1", "w")
	_, err := Check(t.Context(), Options{}, source("1.log", a), source("2.log", b))
	if err == nil || !strings.Contains(err.Error(), "1.log and 2.log are MONITOR of the same time") {
		t.Error(err)
	}
	if _, err = Check(t.Context(), Options{Window: time.Minute}, source("log", a+b)); err == nil || !strings.HasPrefix(err.Error(), "line 7: it is 2.2s older than a line before it, and MONITOR of one server is in order") {
		t.Error(err)
	}
	if _, err := Check(t.Context(), Options{}, source("1.log", a), source("2.log", strings.ReplaceAll(b, `"k"`, `"l"`))); err != nil {
		t.Error(err)
	}
}

// Of three masters in one file, a has the key on two from 5 to 9 s. The others try in vain, and each
// gets it on the third one meanwhile.
func TestMonitorOfMastersInOneFile(t *testing.T) {
	log := "1 a1 SET k u NX PX 9000;1.001 a2 SET k u NX PX 9000;1.002 a3 SET k u NX PX 9000" + release(2, "a1", "u") + release(3, "a2", "u") + release(4, "a3", "u") +
		";5 a1 SET k v NX PX 9000;5.001 a2 SET k v NX PX 9000;5.001 b1 SET k w NX PX 9000;5.002 a3 SET k v NX PX 9000;5.002 b2 SET k w NX PX 9000" + release(6, "b3", "w") +
		";7 c1 SET k x NX PX 9000;7.001 c2 SET k x NX PX 9000;7.002 c3 SET k x NX PX 9000" + release(8, "c3", "x") + release(9, "a1", "v") + release(10, "a2", "v")
	if r := checked(t, monitored(log), Options{Rules: plausible}); r.Verdict() == Certain || r.Verdict() == None {
		t.Errorf("%s: %q", r.Verdict(), english(r.Doubts))
	}
}

// Lines have their numbers in the file, including blank and skipped ones, and an incomplete line is
// ignored.
func TestMonitorCountsLines(t *testing.T) {
	text := monitored("1 a1 SET k v NX PX 1000;3 b1 SET k w NX PX 30000;4 a1 EVALSHA 5f 1 k v;4.1 lua get k;5 b1 PING")
	text = strings.Replace(text, "OK\n", "OK\n\n\x00\n\n", 1)
	r := checked(t, text+`1772359206.000000 [0 10.0.0.3:5] "SET" "k" "z" "NX"`, Options{Rules: plausible, Skip: true})
	if len(r.Violations) != 1 {
		t.Fatalf("%d violations", len(r.Violations))
	}
	h := r.Violations[0].Holds
	if _, line, _ := r.Violations[0].Shown(); line != 6 || lineOf(h[1].Line) != 5 || lineOf(h[1].ToLine) != 8 {
		t.Errorf("lines %d, %d, %d", line, lineOf(h[1].Line), lineOf(h[1].ToLine))
	}
	if got := strings.Join(english(r.Doubts), "; "); !said(r.Doubts, say.LogCut) || !strings.Contains(got, "2 SETs found the key free is not known, first line 5") {
		t.Error(got)
	}
}
