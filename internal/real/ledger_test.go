package real

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/witness"
	"lockstep/internal/store/redis"
)

// The nodes of the accounts below.
const (
	nodeA history.NodeID = iota + 1
	nodeB
	nodeOne // servers
	nodeTwo
)

var nodeNames = map[history.NodeID]string{0: "nobody", nodeA: "A", nodeB: "B", nodeOne: "one", nodeTwo: "two"}

// seen makes the events of clients' commands from lines such as
//
//	A 10 12 SET lock a NX -> OK
//	A 10 SET lock a NX              without a reply
//	A 10 12 DEL lock -> broken      its connection ended
//
// and other events from "20 crashed one", "20 restarted one empty", "20 demoted one", "20 promoted two"
// and "20 acquired A". Times are in milliseconds.
func seen(t *testing.T, text string) []entry {
	t.Helper()
	nodes := map[string]history.NodeID{}
	for id, name := range nodeNames {
		nodes[name] = id
	}
	kinds := map[string]history.Kind{
		"crashed": history.Crashed, "restarted": history.Restarted, "demoted": history.Demoted, "promoted": history.Promoted,
		"waits": history.Waits, "acquired": history.Acquired, "releasing": history.Releasing, "released": history.Released,
		"not-held": history.NotHeld,
	}
	ms := func(n int) history.Instant { return history.Instant(n) * history.Instant(time.Millisecond) }
	var out []entry
	for call, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		var who, what, whom string
		var sent, done int
		if n, _ := fmt.Sscanf(line, "%d %s %s", &sent, &what, &whom); n == 3 && kinds[what] != 0 {
			out = append(out, entry{Event: history.Event{At: ms(sent), Kind: kinds[what], Node: nodes[whom], Peer: nodeOne}, empty: strings.HasSuffix(line, " empty")})
			continue
		}
		server := nodeOne
		if rest, ok := strings.CutSuffix(line, " @two"); ok {
			line, server = rest, nodeTwo
		}
		command, reply, answered := strings.Cut(line, " -> ")
		words := 3
		if n, _ := fmt.Sscanf(command, "%s %d %d", &who, &sent, &done); n < 3 {
			words = 2
		}
		text := strings.Join(strings.Fields(command)[words:], " ")
		wire := entry{Event: history.Event{At: ms(sent), Kind: history.Sent, Node: nodes[who]}, call: int64(call + 1), server: server}
		wire.ask(t, text)
		out = append(out, wire)
		if reply == "broken" {
			wire.At, wire.Kind, wire.broken = ms(done), history.TimedOut, true
			out = append(out, wire)
		} else if answered {
			wire.At, wire.Kind = ms(done), history.Replied
			wire.hear(reply)
			out = append(out, wire)
		}
	}
	out = append(out, entry{Event: history.Event{At: ms(1000), Kind: history.Healed}})
	inOrder(out)
	return out
}

// heard makes what a witness heard from lines such as "> set", "> set@other" and "10 x SET lock a NX",
// where x is a connection.
func heard(text string) []witness.Item {
	var out []witness.Item
	last := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		at := last
		if words[0] == ">" {
			if len(words) > 2 { // what happened by itself has a time
				fmt.Sscan(words[2], &at)
			}
			event, key, other := strings.Cut(words[1], "@")
			if !other {
				key = locks.Key
			}
			out = append(out, witness.Item{Read: time.Duration(at) * time.Millisecond, Key: key, Event: event})
		} else {
			fmt.Sscan(words[0], &at)
			d := time.Duration(at) * time.Millisecond
			out = append(out, witness.Item{Read: d, At: d, Addr: words[1], Args: words[2:]})
		}
		last = at
	}
	return out
}

func told(out []entry) string {
	var b strings.Builder
	for _, e := range out {
		fmt.Fprintf(&b, "%d %s %s of %s by %s\n", time.Duration(e.At)/time.Millisecond, nodeNames[e.Node], e.Kind, nodeNames[e.Owner], nodeNames[e.Peer])
	}
	return b.String()
}

func TestAccounts(t *testing.T) {
	for _, c := range []struct{ name, seen, one, two, want string }{
		{
			"an entry comes and goes",
			"A 10 12 SET lock a NX PX 100 -> OK\n A 50 52 EVAL unlock lock a -> (integer) 1",
			"> set\n > expire\n 11 x SET lock a NX PX 100\n 51 x EVAL text 1 lock a\n 51 lua get lock\n > del\n 51 lua del lock", "",
			"11 one granted of A by A\n51 one removed of A by A\n",
		},
		{
			"a late DEL, of which the clients cannot tell whose entry it removed",
			"A 10 12 SET lock a NX PX 100 -> OK\n B 20 22 SET lock b NX PX 100 -> (nil)\n B 120 122 SET lock b NX PX 100 -> OK\n A 121 123 DEL lock -> (integer) 1",
			"> set\n > expire\n 11 x SET lock a NX PX 100\n 21 y SET lock b NX PX 100\n > expired 113\n > set\n > expire\n 121 y SET lock b NX PX 100\n > del\n 122 x DEL lock", "",
			"11 one granted of A by A\n113 one expired of A by nobody\n121 one granted of B by B\n122 one removed of B by A\n",
		},
		{
			"a command without a reply is executed late",
			"A 10 12 SET lock a NX PX 100 -> OK\n A 30 DEL lock\n B 300 302 SET lock b NX PX 100 -> OK",
			"> set\n 11 x SET lock a NX PX 100\n > expired 120\n > set\n 301 y SET lock b NX PX 100\n > del\n 310 x DEL lock", "",
			"11 one granted of A by A\n120 one expired of A by nobody\n301 one granted of B by B\n310 one removed of B by A\n",
		},
		{
			"two send the same words, and their replies tell them apart",
			"A 10 13 SETNX lock 1 -> (integer) 1\n B 10 13 SETNX lock 1 -> (integer) 0",
			"> set\n 11 x SETNX lock 1\n 12 y SETNX lock 1", "",
			"11 one granted of A by A\n",
		},
		{
			"two send the same words without a reply, and one of the connections is known",
			"A 1 3 SET lock a NX -> OK\n A 10 DEL lock\n B 10 DEL lock",
			"> set\n 2 x SET lock a NX\n > del\n 12 y DEL lock\n 13 x DEL lock", "",
			"2 one granted of A by A\n12 one removed of A by B\n",
		},
		{
			"two send the same words, and one of the connections ended before",
			"A 1 3 SET lock a NX -> OK\n A 10 12 DEL lock -> broken\n B 20 22 DEL lock -> (integer) 1",
			"> set\n 2 x SET lock a NX\n > del\n 21 y DEL lock", "",
			"2 one granted of A by A\n21 one removed of A by B\n",
		},
		{
			"a command that never came is sent again",
			"A 1 3 SET lock a NX -> OK\n A 10 DEL lock\n A 40 42 DEL lock -> (integer) 1",
			"> set\n 2 x SET lock a NX\n > del\n 43 z DEL lock", "",
			"2 one granted of A by A\n42 one removed of A by A\n",
		},
		{
			"an end by time is heard of late",
			"A 10 12 SET lock a NX PX 100 -> OK\n B 120 122 SET lock b NX PX 100 -> OK",
			"> set\n 11 x SET lock a NX PX 100\n > expired 125\n > set\n 121 y SET lock b NX PX 100", "",
			"11 one granted of A by A\n121 one expired of A by nobody\n121 one granted of B by B\n",
		},
		{
			"two send the same words, and other commands tell their connections apart",
			"A 5 7 GET a -> (nil)\n B 5 7 GET b -> (nil)\n A 10 13 DEL lock -> (integer) 0\n B 9 10 SETNX lock 1 -> (integer) 1\n B 10 13 DEL lock -> (integer) 1",
			"6 x GET a\n 6 y GET b\n > set\n 9 y SETNX lock 1\n > del\n 12 y DEL lock\n 12 x DEL lock", "",
			"9 one granted of B by B\n12 one removed of B by B\n",
		},
		{
			"a script that the server does not know is sent twice",
			"A 10 14 EVAL lock lock a -> (nil)",
			"11 x EVALSHA sum 1 lock a\n 12 x EVAL text 1 lock a\n > hincrby\n 12 lua hincrby lock a 1\n > expire\n 12 lua pexpire lock 100", "",
			"12 one granted of A by A\n",
		},
		{
			"a renewal, and a value in the place of another one",
			"A 10 12 SET lock a NX -> OK\n A 20 22 PEXPIRE lock 100 -> (integer) 1\n B 30 32 GETSET lock b -> a",
			"> set\n 11 x SET lock a NX\n > expire\n 21 x PEXPIRE lock 100\n > set\n 31 y GETSET lock b", "",
			"11 one granted of A by A\n21 one extended of A by A\n31 one removed of A by B\n31 one granted of B by B\n",
		},
		{
			"a replica knows, and is promoted",
			"A 10 12 SET lock a NX -> OK\n 20 crashed one\n 21 promoted two\n B 30 32 DEL lock -> (integer) 1 @two",
			"> set\n 11 x SET lock a NX", "> set\n 12 up SET lock a\n > del\n 31 y DEL lock",
			"11 one granted of A by A\n12 two replicated of A by one\n31 two removed of A by B\n",
		},
		{
			"a restart without a file forgets",
			"A 10 12 SET lock a NX -> OK\n 20 crashed one\n 25 restarted one empty\n B 30 32 SET lock b NX -> OK",
			"> set\n 11 x SET lock a NX\n > set\n 31 y SET lock b NX", "",
			"11 one granted of A by A\n25 one forgotten of A by nobody\n31 one granted of B by B\n",
		},
		{
			"what an operator removes",
			"A 10 12 SET lock a NX -> OK",
			"> set\n 11 x SET lock a NX\n > del\n 20 o DEL lock", "",
			"11 one granted of A by A\n20 one removed of A by nobody\n",
		},
	} {
		del := redis.Del(locks.Key)
		operator := &command{server: nodeOne, op: del.Op(), words: del.String(), sent: history.Instant(19 * time.Millisecond), done: history.Instant(21 * time.Millisecond), answered: true, answer: history.Number(1)}
		var evictions []*command
		if strings.Contains(c.one, " o DEL") {
			evictions = append(evictions, operator)
		}
		a := newReconciler(seen(t, c.seen), evictions, time.Second)
		a.hear(nodeOne, heard(c.one), 0, slackOfStamps)
		a.hear(nodeTwo, heard(c.two), 0, slackOfStamps)
		out, ok := a.balance(seen(t, c.seen), nodeOne, false)
		if got := told(out); !ok || got != c.want {
			t.Errorf("%s: complete %v, got:\n%swant:\n%s", c.name, ok, got, c.want)
		}
	}
}

// An account that lacks something, or does not fit together, is not used.
func TestIncompleteAccounts(t *testing.T) {
	for _, c := range []struct{ name, seen, one string }{
		{"an answered command was not heard", "A 10 12 SET lock a NX -> OK", ""},
		{"it is unknown whose connection it was", "A 10 DEL lock\n B 10 DEL lock\n A 1 3 SET lock a NX -> OK", "> set\n 2 x SET lock a NX\n > del\n 11 y DEL lock"},
		{"a stranger writes to the primary", "A 10 12 GET lock -> x", "> set\n 5 z SET lock x\n 11 x GET lock"},
		{"a stranger removes from the primary", "A 10 12 SET lock a NX -> OK", "> set\n 11 x SET lock a NX\n > del\n 20 z DEL lock"},
		{"a connection is of two clients", "A 10 12 SET lock a NX -> OK\n B 20 22 SET lock b XX -> OK", "> set\n 11 x SET lock a NX\n > set\n 21 x SET lock b XX"},
		{"something is removed that was never made", "A 10 12 DEL lock -> (integer) 1", "> del\n 11 x DEL lock"},
		{"an entry is made where one is", "A 10 12 SET lock a NX -> OK\n B 20 22 SET lock b NX -> OK", "> set\n 11 x SET lock a NX\n > set\n 21 y SET lock b NX"},
		{"an end by time of nothing", "A 10 12 GET lock -> (nil)", "11 x GET lock\n > expired 20"},
		{"a demoted server removes an unknown entry", "A 10 12 SET lock a NX -> OK\n 20 demoted one\n A 30 32 DEL lock -> (integer) 1", "> set\n 11 x SET lock a NX\n > del\n 31 x DEL lock"},
	} {
		a := newReconciler(seen(t, c.seen), nil, time.Second)
		a.hear(nodeOne, heard(c.one), 0, slackOfStamps)
		if out, ok := a.balance(seen(t, c.seen), nodeOne, false); ok {
			t.Errorf("%s: taken for complete:\n%s", c.name, told(out))
		}
	}
}
