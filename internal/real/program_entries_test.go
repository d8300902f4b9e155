package real

import (
	"testing"
	"time"

	"lockstep/internal/history"
)

// watched is what is noted of a program.
type watched struct {
	entry       history.Watched
	keys, alone string
}

// The entry of a program's lock is the key that its acquisitions write. Where there is none, a release is in
// doubt; and what was taken or given back without the servers is noted.
func TestTheEntryOfAProgramIsWhatItWrites(t *testing.T) {
	const (
		takes = "0 waits A\n A 10 12 SET app:lock a NX PX 100 -> OK\n 13 acquired A\n"
		taken = "> set@app:lock\n > expire@app:lock\n 11 x SET app:lock a NX PX 100\n"
		gives = "49 releasing A\n A 50 52 DEL app:lock -> (integer) 1\n 53 released A\n"
		given = "> del@app:lock\n 51 x DEL app:lock\n"
	)
	for _, c := range []struct {
		name, seen, heard string
		watched
		told string
	}{
		{
			"a blind DEL behind a prefix",
			takes + "0 waits B\n B 120 122 SET app:lock b NX PX 100 -> OK\n 123 acquired B\n 129 releasing A\n A 130 132 DEL app:lock -> (integer) 1\n 133 released A",
			taken + "> expired@app:lock 111\n > set@app:lock\n > expire@app:lock\n 121 y SET app:lock b NX PX 100\n > del@app:lock\n 131 x DEL app:lock",
			watched{history.Followed, `"app:lock"`, ""},
			"11 one granted of A by A\n111 one expired of A by nobody\n121 one granted of B by B\n131 one removed of B by A\n",
		},
		{
			"a counter beside it",
			"0 waits A\n A 5 7 INCR fence -> (integer) 1\n" + takes[len("0 waits A\n"):] + gives, "> incrby@fence\n 6 x INCR fence\n" + taken + given,
			watched{history.Followed, `"app:lock"`, ""},
			"11 one granted of A by A\n51 one removed of A by A\n",
		},
		{
			"two keys",
			"0 waits A\n A 5 7 SET app:x a -> OK\n" + takes[len("0 waits A\n"):] + gives, "> set@app:x\n 6 x SET app:x a\n" + taken + given,
			watched{history.Unfollowed, `"app:lock", "app:x"`, ""},
			"52 one may-have-removed of nobody by A\n",
		},
		{
			"a queue is no client's",
			"0 waits A\n A 10 12 RPUSH app:q a -> (integer) 1\n 13 acquired A\n 49 releasing A\n A 50 52 LPOP app:q -> a\n 53 released A",
			"> rpush@app:q\n 11 x RPUSH app:q a\n > lpop@app:q\n > del@app:q\n 51 x LPOP app:q",
			watched{history.Unfollowed, `"app:q"`, ""},
			"52 one may-have-removed of nobody by A\n",
		},
		{"what it writes to make itself ready", takes + gives, "> set@app:x\n -5 x SET app:x a\n" + taken + given,
			watched{history.Followed, `"app:lock"`, ""}, "11 one granted of A by A\n51 one removed of A by A\n"},
		{"an acquisition without a request", "0 waits A\n 13 acquired A\n" + gives, given, watched{history.Unfollowed, "", "A"}, "52 one may-have-removed of nobody by A\n"},
		{"an acquisition that only asks", "0 waits A\n A 10 12 GET app:lock -> (nil)\n 13 acquired A", "11 x GET app:lock", watched{history.Unfollowed, "", "A"}, ""},
		{"an acquisition with another's entry", takes + "0 waits B\n B 20 22 SET app:lock b NX PX 100 -> (nil)\n 23 acquired B", taken + "21 y SET app:lock b NX PX 100",
			watched{history.Followed, `"app:lock"`, "B"}, "11 one granted of A by A\n"},
		{"a request before it waited is none", "A 10 12 SET app:lock a NX PX 100 -> OK\n 13 waits A\n 14 acquired A", taken, watched{history.Unfollowed, "", "A"}, ""},
		{"a release without a request", takes + "49 releasing A\n 53 released A", taken, watched{history.Followed, `"app:lock"`, "A"}, "11 one granted of A by A\n"},
		{"a release that only asks", takes + "49 releasing A\n A 50 52 GET app:lock -> a\n 53 released A", taken + "51 x GET app:lock",
			watched{history.Followed, `"app:lock"`, "A"}, "11 one granted of A by A\n"},
		{"a release after the entry's end", takes + "149 releasing A\n A 150 152 DEL app:lock -> (integer) 0\n 153 released A", taken + "> expired@app:lock 111\n 151 x DEL app:lock",
			watched{history.Followed, `"app:lock"`, ""}, "11 one granted of A by A\n111 one expired of A by nobody\n"},
		{"an answered command that nobody heard", takes + gives, taken, watched{history.Unfollowed, "", ""}, "52 one may-have-removed of nobody by A\n"},
	} {
		h := &harness{header: history.Header{Nodes: []history.Node{{Name: "A"}, {Name: "B"}, {Name: "one"}, {Name: "two"}}}}
		a := newReconciler(seen(t, c.seen), nil, time.Second)
		a.hear(nodeOne, heard(c.heard), 0, slackOfStamps)
		out := told(h.ofProgram(a, seen(t, c.seen), nodeOne, false))
		if got := (watched{h.header.Entry, h.header.Keys, h.header.Alone}); got != c.watched || out != c.told {
			t.Errorf("%s: %+v, want %+v, and\n%swant\n%s", c.name, got, c.watched, out, c.told)
		}
	}
}

// Servers that have not told all leave every release in doubt.
func TestServersThatTellNothingLeaveADoubt(t *testing.T) {
	entries := seen(t, "0 waits A\n A 10 12 SET app:lock a NX PX 100 -> OK\n 13 acquired A\n 49 releasing A\n A 50 52 DEL app:lock -> (integer) 1\n 53 released A")
	h := &harness{header: history.Header{Nodes: []history.Node{{Name: "A"}}}}
	out := told(h.ofProgram(nil, entries, nodeOne, false))
	if want := "52 one may-have-removed of nobody by A\n"; out != want || h.header.Entry != history.Unfollowed || h.header.Alone != "" {
		t.Errorf("%+v and %q, want %q", h.header, out, want)
	}
}

// Where a program's requests are not parsed, bytes have to go to the servers before the lock is taken or given back,
// and each release is in doubt, unless the servers' own logs say that no client was robbed.
func TestAnUnreadProgramIsInDoubt(t *testing.T) {
	at := func(ms int, kind history.Kind, carried int64) entry {
		return entry{Event: history.Event{At: history.Instant(ms) * history.Instant(time.Millisecond), Kind: kind, Node: nodeA}, carried: carried}
	}
	fine := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 90), at(9, history.Releasing, 90), at(12, history.Released, 120)}
	silent := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 50)}
	keeps := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 90), at(9, history.Releasing, 90), at(12, history.Released, 90)}
	late := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 90), at(6, history.Entered, 90), at(9, history.Releasing, 120), at(12, history.Released, 120)}
	for _, c := range []struct {
		name    string
		entries []entry
		onlyOwn bool
		watched
		doubts int
	}{
		{"it sends", fine, false, watched{history.Unread, "", ""}, 1},
		{"the logs say that no client was robbed", fine, true, watched{history.Followed, "", ""}, 0},
		{"its release is noted when it has been sent", late, false, watched{history.Unread, "", ""}, 1},
		{"it takes without a byte", silent, false, watched{history.Unread, "", "A"}, 0},
		{"it gives back without a byte", keeps, false, watched{history.Unread, "", "A"}, 1},
	} {
		h := &harness{header: history.Header{Nodes: []history.Node{{Name: "A"}}}, group: &group{members: []*member{{node: nodeOne}}}}
		out := h.unreadProgram(c.entries, c.onlyOwn)
		if got := (watched{h.header.Entry, h.header.Keys, h.header.Alone}); got != c.watched || len(out) != c.doubts {
			t.Errorf("%s: %+v with %d doubts, want %+v with %d", c.name, got, len(out), c.watched, c.doubts)
		}
	}
}
