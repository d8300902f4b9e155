package real

import (
	"testing"
	"time"

	"lockstep/internal/history"
)

var redisTraits = traits{byKey: true}

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
		bAmidAFrees = `
			120 A releasing
			121 A sent 2 DEL
			122 B sent 1 SET
			123 A replied 2 (integer) 1
			123 A released
			124 B replied 1 OK
			124 B acquired`
		a, aRemovesB = "2 granted A by A", "123 removed B by A"
		doubtful     = "123 may-have-removed - by A"
		b            = "104 granted B by B"
	)
	for _, tt := range []struct {
		name string
		ttl  int
		give string
		want []string
	}{
		{"a client holds and releases", 200, aHolds + aFrees, []string{a, "123 removed A by A"}},
		{"its lease is over, but there was no other client", 100, aHolds + aFrees, []string{a, "123 removed A by A"}},
		{"its lease is over and a command of B's was lost", 100, aHolds + `
			101 B sent 1 SET
			111 B timed-out 1` + aFrees, []string{a, doubtful}},
		{"the same, but B's request never arrived", 100, aHolds + `
			101 B sent 1 SET
			101 B request-dropped 1
			111 B timed-out 1` + aFrees, []string{a, "123 removed A by A"}},
		{"no reply, no grant", 100, "0 A sent 1 SET\n9 A timed-out 1", nil},
		{"B ignores the answer and believes that it holds", 100, aHolds + `
			4-6 B 1 SET -> (nil)
			6 B acquired` + aFrees, []string{a, "123 removed A by A"}},
		{"a release that found nothing", 100, aHolds + `
			120 A releasing
			121-123 A 2 EVAL -> (integer) 0
			123 A not-held`, []string{a}},
		{"A removes B's entry", 100, aHolds + bHolds + aFrees, []string{a, b, aRemovesB}},
		{"B's entry may have run out", 20, aHolds + bHolds + aFrees, []string{a, b, doubtful}},
		{"B's watchdog has renewed it", 20, aHolds + bHolds + `
			110-111 B 2w EVAL -> (integer) 1` + aFrees, []string{a, b, aRemovesB}},
		{"B's watchdog was refused", 20, aHolds + bHolds + `
			110-111 B 2w EVAL -> (integer) 0` + aFrees, []string{a, b, doubtful}},
		{"B's grant may be later than A's command", 100, aHolds + bAmidAFrees, []string{a, doubtful, "124 granted B by B"}},
		{"A still had its lease, so B's entry is newer", 200, aHolds + bAmidAFrees, []string{a, "123 removed A by A", "124 granted B by B"}},
		{"B's release was redirected, and so removed nothing", 200, aHolds + `
			20 B releasing
			21-22 B 2 DEL -> (error) MOVED 8718 redis-5:6379
			22 B release-failed
			120 C releasing
			121-123 C 2 DEL -> (integer) 1
			123 C released`, []string{a, "123 removed A by C"}},
		{"B may have released its entry", 100, aHolds + bHolds + `
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
			110 C timed-out 1` + aFrees, []string{a, b, "110 may-have-removed - by C", doubtful}},
		{"C's command was executed before B's grant", 100, aHolds + `
			50 C sent 1 DEL
			52 C reply-dropped 1` + bHolds + `
			110 C timed-out 1` + aFrees, []string{a, "52 may-have-removed - by C", b, aRemovesB}},
		{"A's reply came late, after its entry had expired", 100, `
			0 A sent 1 SET` + bHolds + `
			110 A replied 1 OK
			110 A acquired` + aFrees, []string{b, "110 granted A by A", aRemovesB}},
		{"a third client loses its entry, too", 100, aHolds + bHolds + aFrees + `
			125-126 C 1 SET -> OK
			126 C acquired
			130 B releasing
			131-132 B 2 DEL -> (integer) 1
			132 B released`, []string{a, b, aRemovesB, "126 granted C by C", "132 removed C by B"}},
		{"the answer to a query is no entry", 200, `
			0-2 A 1 SET -> OK
			3-9 A 2 WAIT -> (integer) 1
			9 A acquired`, []string{a}},
		{"a repeated release may only get the old answer", 100, aHolds + `
			50 A releasing
			51-52 A 2 EVAL -> (integer) 1` + bHolds + `
			125-126 A 3 EVAL -> (integer) 1
			126 A released`, []string{a, b, "126 may-have-removed - by A"}},
		{"a late script that compares removes its own client's entry", 20, aHolds + bHolds + `
			120 A releasing
			121-123 A 2 EVAL unlock lock aaaa owner=aaaa -> (integer) 1
			123 A released`, []string{a, b, "123 removed A by A"}},
		{"or none when its reply is lost", 20, aHolds + bHolds + `
			120 A releasing
			121 A sent 2 EVAL unlock lock aaaa owner=aaaa
			130 A timed-out 2
			130 A release-failed`, []string{a, b}},
		{"one that compares with a shared token may remove any client's", 20, `
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
		{"a DEL without an answer, and no other client", 100, aHolds + `
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
			144 B acquired`, []string{a, "130 may-have-removed - by A", "144 granted B by B"}},
		{"a DEL whose reply was lost while A had its lease", 100, aHolds + `
			50 A releasing
			51 A sent 2 DEL lock
			53 A reply-dropped 2
			60 A timed-out 2
			60 A release-failed
			140-144 B 1 SET -> OK
			144 B acquired`, []string{a, "144 granted B by B"}},
		{"a DEL before the lock is held", 20, aHolds + `
			100-102 B 1 DEL lock -> (integer) 1`, []string{a, "102 may-have-removed - by B"}},
		{"a DEL of something else", 20, aHolds + `
			100-102 B 1 DEL latch -> (integer) 1`, []string{a}},
		{"a client that overwrites an entry has one", 200, aHolds + `
			100-102 B 1 GETSET lock 7 -> "5"
			102 B acquired` + aFrees, []string{a, "102 granted B by B", aRemovesB}},
		{"a lock without a lease", 0, aHolds + aFrees, []string{a, "123 removed A by A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ttl := time.Duration(tt.ttl) * time.Millisecond
			concludes(t, deriveGrants(script(t, tt.give), redisTraits, ttl, interference{}), tt.want...)
		})
	}
}

func TestAPromotionEndsWhatIsCertain(t *testing.T) {
	entries := script(t, `
		0-2 A 1 SET -> OK
		2 A acquired
		20 A releasing
		21-23 A 2 DEL -> (integer) 1 @two
		23 A released`)
	out := deriveGrants(entries, redisTraits, 100*time.Millisecond, interference{})
	concludes(t, out, "2 granted A by A", "23 may-have-removed - by A on two")
}

// With a wrong clock, B's entry may have expired early, so A's DEL may have found none or a third
// client's.
func TestAWrongClockIsNoForeignRelease(t *testing.T) {
	entries := script(t, `
		0-2 A 1 SET -> OK
		2 A acquired
		50-52 B 1 SET -> OK
		52 B acquired
		60 A releasing
		61-63 A 2 DEL -> (integer) 1
		63 A released`)
	for wrong, removal := range map[bool]string{false: "63 removed B by A", true: "63 may-have-removed - by A"} {
		clocks := map[history.NodeID]bool{nodeOne: wrong}
		out := deriveGrants(entries, redisTraits, 40*time.Millisecond, interference{wrongClocks: clocks})
		concludes(t, out, "2 granted A by A", "52 granted B by B", removal)
	}
}

var nodesTraits = traits{byKey: true, apart: true}

func TestGrantsOfNodes(t *testing.T) {
	const (
		aSet  = "0-2 A 1 SET lock aaaa PX 10 NX -> OK\n"
		aHas  = "2 granted A by A"
		died  = "4 one crashed\n 5 one restarted empty"
		frees = "EVAL unlock lock aaaa owner=aaaa"
	)
	for _, tt := range []struct {
		name string
		give string
		want []string
	}{
		{"each node that says OK, believed or not", aSet + `
			3-4 A 2 SET lock aaaa PX 10 NX -> (nil) @two
			5 A sent 3 SET lock aaaa PX 10 NX
			6 A timed-out 3`, []string{aHas}},
		{"the token says whose entry was removed", aSet + `
			3-4 A 2 SET lock aaaa PX 10 NX -> OK @two
			50-51 A 3 ` + frees + ` -> (integer) 1
			52-53 A 4 ` + frees + ` -> (integer) 0 @two`,
			[]string{aHas, "4 granted A by A on two", "51 removed A by A"}},
		{"a token that two clients use says nothing", aSet + `
			3-4 B 2 SET lock aaaa PX 10 NX -> OK @two`, nil},
		{"Redisson's script grants with nil", `
			0-2 A 1 EVAL lock lock 100 uuid-a:1 owner=uuid-a:1 -> (nil)
			3-4 B 2 EVAL lock lock 100 uuid-b:1 owner=uuid-b:1 -> (integer) 99`, []string{aHas}},
		{"a node that restarts empty has lost its entries", aSet + died, []string{aHas, "5 forgotten A by -"}},
		{"one that restarts with its data has not", aSet + "4 one crashed\n 5 one restarted", []string{aHas}},
		{"an expired entry was not lost", aSet + "11 one crashed\n 12 one restarted empty", []string{aHas}},
		{"a release under way may have removed it", aSet + died + `
			3 A sent 2 ` + frees + `
			9 A timed-out 2`, []string{aHas}},
		{"a release under way to another node has not", aSet + died + `
			3 A sent 2 ` + frees + ` @two
			9 A timed-out 2`, []string{aHas, "5 forgotten A by -"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			concludes(t, deriveGrants(script(t, tt.give), nodesTraits, 10*time.Millisecond, interference{}), tt.want...)
		})
	}
}

func TestAnEvictionHasNoClient(t *testing.T) {
	give := script(t, "0-2 A 1 SET lock aaaa PX 1000 NX -> OK")
	nothing := evicted(0)
	nothing.evictions[0].refused, nothing.evictions[0].answer = true, history.Number(0)
	concludes(t, deriveGrants(give, nodesTraits, time.Second, evicted(0)), "2 granted A by A", "31 removed A by -")
	concludes(t, deriveGrants(give, nodesTraits, time.Second, nothing), "2 granted A by A")
}
