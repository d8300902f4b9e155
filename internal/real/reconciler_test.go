package real

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/monitor"
	"lockstep/internal/store/redis"
)

// heard makes the reports of a monitor from lines such as "> set", "> set@other" and
// "10 x SET lock a NX", where x is a connection.
func heard(text string) []monitor.Item {
	var out []monitor.Item
	last := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		at := last
		if words[0] == ">" {
			if len(words) > 2 { // an expiry has a time
				fmt.Sscan(words[2], &at)
			}
			event, key, other := strings.Cut(words[1], "@")
			if !other {
				key = locks.Key
			}
			out = append(out, monitor.Item{Read: time.Duration(at) * time.Millisecond, Key: key, Event: event})
		} else {
			fmt.Sscan(words[0], &at)
			d := time.Duration(at) * time.Millisecond
			out = append(out, monitor.Item{Read: d, At: d, Addr: words[1], Args: words[2:]})
		}
		last = at
	}
	return out
}

// seen is a script with its end.
func seen(t *testing.T, text string) []entry {
	t.Helper()
	return script(t, text+"\n1000 all healed")
}

func TestAccounts(t *testing.T) {
	for _, c := range []struct {
		name, seen, one, two string
		want                 []string
	}{
		{
			"an entry comes and goes",
			"10-12 A SET lock a NX PX 100 -> OK\n 50-52 A EVAL unlock lock a -> (integer) 1",
			"> set\n > expire\n 11 x SET lock a NX PX 100\n 51 x EVAL text 1 lock a\n 51 lua get lock\n > del\n 51 lua del lock", "",
			[]string{"11 granted A by A", "51 removed A by A"},
		},
		{
			"a late DEL, whose client does not know the owner of the removed entry",
			"10-12 A SET lock a NX PX 100 -> OK\n 20-22 B SET lock b NX PX 100 -> (nil)\n 120-122 B SET lock b NX PX 100 -> OK\n 121-123 A DEL lock -> (integer) 1",
			"> set\n > expire\n 11 x SET lock a NX PX 100\n 21 y SET lock b NX PX 100\n > expired 113\n > set\n > expire\n 121 y SET lock b NX PX 100\n > del\n 122 x DEL lock", "",
			[]string{"11 granted A by A", "113 expired A by -", "121 granted B by B", "122 removed B by A"},
		},
		{
			"a command without a reply is executed late",
			"10-12 A SET lock a NX PX 100 -> OK\n 30 A sent DEL lock\n 300-302 B SET lock b NX PX 100 -> OK",
			"> set\n 11 x SET lock a NX PX 100\n > expired 120\n > set\n 301 y SET lock b NX PX 100\n > del\n 310 x DEL lock", "",
			[]string{"11 granted A by A", "120 expired A by -", "301 granted B by B", "310 removed B by A"},
		},
		{
			"two send the same words, and their replies tell them apart",
			"10-13 A SETNX lock 1 -> (integer) 1\n 10-13 B SETNX lock 1 -> (integer) 0",
			"> set\n 11 x SETNX lock 1\n 12 y SETNX lock 1", "",
			[]string{"11 granted A by A"},
		},
		{
			"two send the same words without a reply, and one of the connections is known",
			"1-3 A SET lock a NX -> OK\n 10 A sent DEL lock\n 10 B sent DEL lock",
			"> set\n 2 x SET lock a NX\n > del\n 12 y DEL lock\n 13 x DEL lock", "",
			[]string{"2 granted A by A", "12 removed A by B"},
		},
		{
			"two send the same words, and one of the connections ended before",
			"1-3 A SET lock a NX -> OK\n 10-12 A DEL lock -> broken\n 20-22 B DEL lock -> (integer) 1",
			"> set\n 2 x SET lock a NX\n > del\n 21 y DEL lock", "",
			[]string{"2 granted A by A", "21 removed A by B"},
		},
		{
			"a lost command is sent again",
			"1-3 A SET lock a NX -> OK\n 10 A sent DEL lock\n 40-42 A DEL lock -> (integer) 1",
			"> set\n 2 x SET lock a NX\n > del\n 43 z DEL lock", "",
			[]string{"2 granted A by A", "42 removed A by A"},
		},
		{
			"an expiry is reported late",
			"10-12 A SET lock a NX PX 100 -> OK\n 120-122 B SET lock b NX PX 100 -> OK",
			"> set\n 11 x SET lock a NX PX 100\n > expired 125\n > set\n 121 y SET lock b NX PX 100", "",
			[]string{"11 granted A by A", "121 expired A by -", "121 granted B by B"},
		},
		{
			"two send the same words, and other commands tell their connections apart",
			"5-7 A GET a -> (nil)\n 5-7 B GET b -> (nil)\n 10-13 A DEL lock -> (integer) 0\n 9-10 B SETNX lock 1 -> (integer) 1\n 10-13 B DEL lock -> (integer) 1",
			"6 x GET a\n 6 y GET b\n > set\n 9 y SETNX lock 1\n > del\n 12 y DEL lock\n 12 x DEL lock", "",
			[]string{"9 granted B by B", "12 removed B by B"},
		},
		{
			"a script that is unknown to the server is sent twice",
			"10-14 A EVAL lock lock a -> (nil)",
			"11 x EVALSHA sum 1 lock a\n 12 x EVAL text 1 lock a\n > hincrby\n 12 lua hincrby lock a 1\n > expire\n 12 lua pexpire lock 100", "",
			[]string{"12 granted A by A"},
		},
		{
			"a renewal, and a value in the place of another one",
			"10-12 A SET lock a NX -> OK\n 20-22 A PEXPIRE lock 100 -> (integer) 1\n 30-32 B GETSET lock b -> a",
			"> set\n 11 x SET lock a NX\n > expire\n 21 x PEXPIRE lock 100\n > set\n 31 y GETSET lock b", "",
			[]string{"11 granted A by A", "21 extended A by A", "31 removed A by B", "31 granted B by B"},
		},
		{
			"a replica has the entry, and is promoted",
			"10-12 A SET lock a NX -> OK\n 20 one crashed\n 21 two promoted one\n 30-32 B DEL lock -> (integer) 1 @two",
			"> set\n 11 x SET lock a NX", "> set\n 12 up SET lock a\n > del\n 31 y DEL lock",
			[]string{"11 granted A by A", "12 replicated A by one on two", "31 removed A by B on two"},
		},
		{
			"a restart without a file loses the entry",
			"10-12 A SET lock a NX -> OK\n 20 one crashed\n 25 one restarted empty\n 30-32 B SET lock b NX -> OK",
			"> set\n 11 x SET lock a NX\n > set\n 31 y SET lock b NX", "",
			[]string{"11 granted A by A", "25 forgotten A by -", "31 granted B by B"},
		},
		{
			"an operator removes the entry",
			"10-12 A SET lock a NX -> OK",
			"> set\n 11 x SET lock a NX\n > del\n 20 o DEL lock", "",
			[]string{"11 granted A by A", "20 removed A by -"},
		},
	} {
		del := redis.Del(locks.Key)
		operator := &command{
			server: nodeOne, op: del.Op(), words: del.String(), answered: true, answer: history.Number(1),
			sent: history.Instant(19 * time.Millisecond), done: history.Instant(21 * time.Millisecond),
		}
		var evictions []*command
		if strings.Contains(c.one, " o DEL") {
			evictions = append(evictions, operator)
		}
		t.Run(c.name, func(t *testing.T) {
			a := newReconciler(seen(t, c.seen), evictions, time.Second)
			a.hear(nodeOne, heard(c.one), 0, slackOfStamps)
			a.hear(nodeTwo, heard(c.two), 0, slackOfStamps)
			out, ok := a.balance(seen(t, c.seen), nodeOne, false)
			if !ok {
				t.Error("the account is not complete")
			}
			concludes(t, out, c.want...)
		})
	}
}

// An account that is incomplete or contradicts itself is not used.
func TestIncompleteAccounts(t *testing.T) {
	for _, c := range []struct{ name, seen, one string }{
		{"an answered command was not heard", "10-12 A SET lock a NX -> OK", ""},
		{"the client of a connection is unknown", "10 A sent DEL lock\n 10 B sent DEL lock\n 1-3 A SET lock a NX -> OK", "> set\n 2 x SET lock a NX\n > del\n 11 y DEL lock"},
		{"a stranger writes to the primary", "10-12 A GET lock -> x", "> set\n 5 z SET lock x\n 11 x GET lock"},
		{"a stranger removes from the primary", "10-12 A SET lock a NX -> OK", "> set\n 11 x SET lock a NX\n > del\n 20 z DEL lock"},
		{"two clients on one connection", "10-12 A SET lock a NX -> OK\n 20-22 B SET lock b XX -> OK", "> set\n 11 x SET lock a NX\n > set\n 21 x SET lock b XX"},
		{"an entry is removed that was never made", "10-12 A DEL lock -> (integer) 1", "> del\n 11 x DEL lock"},
		{"an entry is made while there is one", "10-12 A SET lock a NX -> OK\n 20-22 B SET lock b NX -> OK", "> set\n 11 x SET lock a NX\n > set\n 21 y SET lock b NX"},
		{"an expiry without an entry", "10-12 A GET lock -> (nil)", "11 x GET lock\n > expired 20"},
		{"a demoted server removes an unknown entry", "10-12 A SET lock a NX -> OK\n 20 one demoted two\n 30-32 A DEL lock -> (integer) 1", "> set\n 11 x SET lock a NX\n > del\n 31 x DEL lock"},
	} {
		a := newReconciler(seen(t, c.seen), nil, time.Second)
		a.hear(nodeOne, heard(c.one), 0, slackOfStamps)
		if out, ok := a.balance(seen(t, c.seen), nodeOne, false); ok {
			t.Errorf("%s: it counts as complete: %v", c.name, out)
		}
	}
}
