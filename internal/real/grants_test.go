package real

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
)

// script builds the entries of a run from one line per event, or per request with its reply:
//
//	12 A sent 3 SET        at 12 A sends its command number 3
//	13 A replied 3 OK      its reply comes
//	12-13 A 3 SET -> OK    both
//	13 A acquired
//
// Commands whose number ends with w are the watchdog's; a last word owner=T says that
// the command compares the entry's owner with T.
func script(t *testing.T, text string) []entry {
	t.Helper()
	clients := map[string]history.NodeID{"A": 1, "B": 2, "C": 3}
	var out []entry
	event := func(at, who, what, number, said string) {
		kind, ok := history.ParseKind(what)
		if !ok {
			t.Fatalf("unknown event: %s %s %s", at, who, what)
		}
		e := entry{Event: history.Event{Kind: kind, Node: clients[who]}}
		fmt.Sscan(at, &e.At)
		fmt.Sscan(strings.TrimSuffix(number, "w"), &e.call)
		if strings.HasSuffix(number, "w") {
			e.task = "watchdog"
		}
		switch kind {
		case history.Sent:
			e.ask(t, said)
		case history.Replied:
			e.hear(said)
		case history.ReplyDropped:
			e.Node, e.Peer = 0, e.Node
		}
		out = append(out, e)
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		f := append(strings.Fields(line), "", "", "", "")
		from, until, both := strings.Cut(f[0], "-")
		if !both {
			event(from, f[1], f[2], f[3], strings.TrimSpace(strings.Join(f[4:], " ")))
			continue
		}
		said, reply, _ := strings.Cut(strings.TrimSpace(strings.Join(f[3:], " ")), " -> ")
		event(from, f[1], "sent", f[2], said)
		event(until, f[1], "replied", f[2], reply)
	}
	return out
}

func TestDeriveGrants(t *testing.T) {
	const (
		aHolds = `
			0-2 A 1 SET -> OK
			2 A acquired`
		bHolds = `
			102-104 B 1 SET -> OK
			104 B acquired`
		aFrees = `
			120 A releasing
			121-123 A 2 DEL -> (integer) 1
			123 A released`
		a, aRobsB = "2 granted A by A", "123 removed B by A"
		doubtful  = "123 may-have-removed nobody by A"
		b         = "104 granted B by B"
	)
	tests := []struct {
		name string
		ttl  int
		give string
		want []string
	}{
		{"a client holds and releases", 200, aHolds + aFrees, []string{a, "123 removed A by A"}},
		{"its lease is over, but no other client was there", 100, aHolds + aFrees, []string{a, "123 removed A by A"}},
		{"its lease is over and a command of B's was lost", 100, aHolds + `
			101 B sent 1 SET
			111 B timed-out 1` + aFrees, []string{a, doubtful}},
		{"the same, but B's request never arrived", 100, aHolds + `
			101 B sent 1 SET
			101 B request-dropped 1
			111 B timed-out 1` + aFrees, []string{a, "123 removed A by A"}},
		{"no reply, no grant", 100, "0 A sent 1 SET\n9 A timed-out 1", nil},
		{"B does not look at the answer and believes that it holds", 100, aHolds + `
			4-6 B 1 SET -> (nil)
			6 B acquired` + aFrees, []string{a, "123 removed A by A"}},
		{"a release that found nothing", 100, aHolds + `
			120 A releasing
			121-123 A 2 EVAL -> (integer) 0
			123 A not-held`, []string{a}},
		{"A removes B's entry", 100, aHolds + bHolds + aFrees, []string{a, b, aRobsB}},
		{"B's entry may have run out", 20, aHolds + bHolds + aFrees, []string{a, b, doubtful}},
		{"B's watchdog has renewed it", 20, aHolds + bHolds + `
			110-111 B 2w EVAL -> (integer) 1` + aFrees, []string{a, b, aRobsB}},
		{"B's watchdog was refused", 20, aHolds + bHolds + `
			110-111 B 2w EVAL -> (integer) 0` + aFrees, []string{a, b, doubtful}},
		{"B may have been granted after A's command", 100, aHolds + `
			120 A releasing
			121 A sent 2 DEL
			122 B sent 1 SET
			123 A replied 2 (integer) 1
			123 A released
			124 B replied 1 OK
			124 B acquired`, []string{a, doubtful, "124 granted B by B"}},
		{"A still had its lease, so B came after", 200, aHolds + `
			120 A releasing
			121 A sent 2 DEL
			122 B sent 1 SET
			123 A replied 2 (integer) 1
			123 A released
			124 B replied 1 OK
			124 B acquired`, []string{a, "123 removed A by A", "124 granted B by B"}},
		{"B's release was redirected, and so removed nothing", 200, aHolds + `
			20 B releasing
			21-22 B 2 DEL -> (error) MOVED 8718 redis-5:6379
			22 B release-failed
			120 C releasing
			121-123 C 2 DEL -> (integer) 1
			123 C released`, []string{a, "123 removed A by C"}},
		{"B may have released it itself", 100, aHolds + bHolds + `
			120 A releasing
			121 A sent 2 DEL
			122 B releasing
			122 B sent 2 DEL
			123 A replied 2 (integer) 1
			123 A released
			130 B timed-out 2
			130 B release-failed`, []string{a, b, doubtful}},
		{"C may have removed it before, and let another client in", 100, aHolds + bHolds + `
			105 C sent 1 DEL
			110 C timed-out 1` + aFrees, []string{a, b, "110 may-have-removed nobody by C", doubtful}},
		{"C's command was executed before B was there", 100, aHolds + `
			50 C sent 1 DEL
			52 C reply-dropped 1` + bHolds + `
			110 C timed-out 1` + aFrees, []string{a, "52 may-have-removed nobody by C", b, aRobsB}},
		{"A's reply was late, its entry long gone", 100, `
			0-110 A 1 SET` + bHolds + ` -> OK
			110 A acquired` + aFrees, []string{b, "110 granted A by A", aRobsB}},
		{"a third client gets in and is robbed, too", 100, aHolds + bHolds + aFrees + `
			125-126 C 1 SET -> OK
			126 C acquired
			130 B releasing
			131-132 B 2 DEL -> (integer) 1
			132 B released`, []string{a, b, aRobsB, "126 granted C by C", "132 removed C by B"}},
		{"the answer to a question is no entry", 200, `
			0-2 A 1 SET -> OK
			3-9 A 2 WAIT -> (integer) 1
			9 A acquired`, []string{a}},
		{"a release that asks again may only hear the old answer", 100, aHolds + `
			50 A releasing
			51-52 A 2 EVAL -> (integer) 1` + bHolds + `
			125-126 A 3 EVAL -> (integer) 1
			126 A released`, []string{a, b, "126 may-have-removed nobody by A"}},
		{"a script that compares removes its client's entry, however late", 20, aHolds + bHolds + `
			120 A releasing
			121-123 A 2 EVAL unlock lock aaaa owner=aaaa -> (integer) 1
			123 A released`, []string{a, b, "123 removed A by A"}},
		{"or none when its reply is lost", 20, aHolds + bHolds + `
			120 A releasing
			121 A sent 2 EVAL unlock lock aaaa owner=aaaa
			130 A timed-out 2
			130 A release-failed`, []string{a, b}},
		{"one that compares with a shared word may have any client's", 20, `
			0-2 A 1 SET lock OK PX 20 NX -> OK
			2 A acquired
			102-104 B 1 SET lock OK PX 20 NX -> OK
			104 B acquired
			120 A releasing
			121-123 A 2 EVAL unlock lock OK owner=OK -> (integer) 1
			123 A released`, []string{a, b, doubtful}},
		{"a release that leaves an outer hold", 200, aHolds + `
			120 A releasing
			121-123 A 2 EVAL unlock lock aaaa owner=aaaa -> (integer) 0
			123 A released`, []string{a}},
		{"a DEL without an answer, and no other client was there", 100, aHolds + `
			120 A releasing
			121 A sent 2 DEL lock
			130 A timed-out 2
			130 A release-failed`, []string{a}},
		{"the same, and B came later", 100, aHolds + `
			120 A releasing
			121 A sent 2 DEL lock
			130 A timed-out 2
			130 A release-failed
			140-144 B 1 SET -> OK
			144 B acquired`, []string{a, "130 may-have-removed nobody by A", "144 granted B by B"}},
		{"a DEL whose reply was lost while A had its lease", 100, aHolds + `
			50 A releasing
			51 A sent 2 DEL lock
			53 A reply-dropped 2
			60 A timed-out 2
			60 A release-failed
			140-144 B 1 SET -> OK
			144 B acquired`, []string{a, "144 granted B by B"}},
		{"a DEL before the lock is held", 20, aHolds + `
			100-102 B 1 DEL lock -> (integer) 1`, []string{a, "102 may-have-removed nobody by B"}},
		{"a DEL of something else", 20, aHolds + `
			100-102 B 1 DEL latch -> (integer) 1`, []string{a}},
		{"a client that overwrites another's entry is there", 200, aHolds + `
			100-102 B 1 GETSET lock 7 -> "5"
			102 B acquired` + aFrees, []string{a, "102 granted B by B", aRobsB}},
		{"a lock without a lease", 0, aHolds + aFrees, []string{a, "123 removed A by A"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries := script(t, tt.give)
			concludes(t, deriveGrants(entries, redisTraits, time.Duration(tt.ttl), outside{}), tt.want)
		})
	}
}

// concludes compares what was derived.
func concludes(t *testing.T, out []entry, want []string) {
	t.Helper()
	names := []string{"nobody", "A", "B", "C"}
	inOrder(out)
	var got []string
	for _, e := range out {
		got = append(got, fmt.Sprintf("%d %v %s by %s", e.At, e.Kind, names[e.Owner], names[e.Peer]))
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestAPromotionEndsWhatIsCertain(t *testing.T) {
	entries := script(t, `
		0-2 A 1 SET -> OK
		2 A acquired
		20 A releasing
		21-23 A 2 DEL -> (integer) 1
		23 A released`)
	for i := range entries {
		entries[i].server = 8
		if entries[i].At > 10 {
			entries[i].server = 9
		}
	}
	out := deriveGrants(entries, redisTraits, 100, outside{})
	wantGrants(t, out, []string{"2 granted 1 by 1 on 8", "23 may-have-removed 0 by 1 on 9"})
}

// B's entry may have run out early, and A's DEL have found none or a third client's.
func TestAWrongClockIsNoForeignRelease(t *testing.T) {
	give := `
		0-2 A 1 SET -> OK
		2 A acquired
		50-52 B 1 SET -> OK
		52 B acquired
		60 A releasing
		61-63 A 2 DEL -> (integer) 1
		63 A released`
	for wrong, want := range map[bool]int{false: 1, true: 0} {
		entries := script(t, give)
		for i := range entries {
			entries[i].server = 8
		}
		removed := 0
		for _, e := range deriveGrants(entries, redisTraits, 40, outside{wrongClocks: map[history.NodeID]bool{8: wrong}}) {
			if e.Kind == history.Removed && e.Owner != e.Peer {
				removed++
			}
		}
		if removed != want {
			t.Errorf("the server's clock is wrong: %t; %d foreign removals, want %d", wrong, removed, want)
		}
	}
}
