package real

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/real/livestore"
)

// watched is the part of a header about a program.
type watched struct {
	entry       history.Watched
	keys, alone string
}

func (w watched) check(t *testing.T, h *harness) {
	t.Helper()
	must.Equalf(t, (watched{h.header.Entry, h.header.Keys, h.header.Alone}), w, "the header has")
}

// The entry of a program's lock is the key that its acquisitions write. Without one, a release is
// in doubt. The header says which client acquired or released without the servers.
func TestTheEntryOfAProgramIsWhatItWrites(t *testing.T) {
	const (
		takes = "0 A waits\n 10-12 A SET app:lock a NX PX 100 -> OK\n 13 A acquired\n"
		taken = "> set@app:lock\n > expire@app:lock\n 11 x SET app:lock a NX PX 100\n"
		gives = "49 A releasing\n 50-52 A DEL app:lock -> (integer) 1\n 53 A released\n"
		given = "> del@app:lock\n 51 x DEL app:lock\n"
	)
	for _, c := range []struct {
		name, seen, heard string
		watched
		want []string
	}{
		{
			"a blind DEL behind a prefix",
			takes + "0 B waits\n 120-122 B SET app:lock b NX PX 100 -> OK\n 123 B acquired\n 129 A releasing\n 130-132 A DEL app:lock -> (integer) 1\n 133 A released",
			taken + "> expired@app:lock 111\n > set@app:lock\n > expire@app:lock\n 121 y SET app:lock b NX PX 100\n > del@app:lock\n 131 x DEL app:lock",
			watched{history.Followed, `"app:lock"`, ""},
			[]string{"11 granted A by A", "111 expired A by -", "121 granted B by B", "131 removed B by A"},
		},
		{
			"a release that shortens another's lease",
			takes + "0 B waits\n 120-122 B SET app:lock b NX PX 100 -> OK\n 123 B acquired\n 129 A releasing\n 130-132 A PEXPIRE app:lock 1 -> (integer) 1\n 133 A released",
			taken + "> expired@app:lock 111\n > set@app:lock\n > expire@app:lock\n 121 y SET app:lock b NX PX 100\n > expire@app:lock\n 131 x PEXPIRE app:lock 1",
			watched{history.Followed, `"app:lock"`, ""},
			[]string{"11 granted A by A", "111 expired A by -", "121 granted B by B", "131 may-have-removed - by A"},
		},
		{
			"a release that shortens its own lease",
			takes + "49 A releasing\n 50-52 A EXPIRE app:lock 1 -> (integer) 1\n 53 A released",
			taken + "> expire@app:lock\n 51 x EXPIRE app:lock 1",
			watched{history.Followed, `"app:lock"`, ""},
			[]string{"11 granted A by A", "51 extended A by A"},
		},
		{
			"a counter beside it",
			"0 A waits\n 5-7 A INCR fence -> (integer) 1\n" + takes[len("0 A waits\n"):] + gives, "> incrby@fence\n 6 x INCR fence\n" + taken + given,
			watched{history.Followed, `"app:lock"`, ""},
			[]string{"11 granted A by A", "51 removed A by A"},
		},
		{
			"two keys",
			"0 A waits\n 5-7 A SET app:x a -> OK\n" + takes[len("0 A waits\n"):] + gives, "> set@app:x\n 6 x SET app:x a\n" + taken + given,
			watched{history.Unfollowed, `"app:lock", "app:x"`, ""},
			[]string{"52 may-have-removed - by A"},
		},
		{
			"two keys, one with the lock's name",
			"0 A waits\n 5-7 A SET lock a -> OK\n" + takes[len("0 A waits\n"):] + gives + " 60-62 A DEL lock -> (integer) 1\n",
			"> set@lock\n 6 x SET lock a\n" + taken + given + " > del@lock\n 61 x DEL lock",
			watched{history.Unfollowed, `"app:lock", "lock"`, ""},
			[]string{"52 may-have-removed - by A"},
		},
		{
			"a key that stays beside the lock's name",
			"0 A waits\n 5-7 A SET app:x a -> OK\n 10-12 A SET lock a -> OK\n 13 A acquired\n 49 A releasing\n 50-52 A DEL lock -> (integer) 1\n 53 A released",
			"> set@app:x\n 6 x SET app:x a\n > set@lock\n 11 x SET lock a\n > del@lock\n 51 x DEL lock",
			watched{history.Followed, `"lock"`, ""},
			[]string{"11 granted A by A", "51 removed A by A"},
		},
		{
			"a counter with the lock's name",
			"0 A waits\n 10-12 A INCR lock -> (integer) 1\n 13 A acquired\n 49 A releasing\n 50-52 A DEL lock -> (integer) 1\n 53 A released",
			"> incrby@lock\n 11 x INCR lock\n > del@lock\n 51 x DEL lock",
			watched{history.Unfollowed, `"lock"`, ""},
			[]string{"52 may-have-removed - by A"},
		},
		{
			"a sorted set with the lock's name",
			"0 A waits\n 10-12 A ZADD lock 9 a -> (integer) 1\n 13 A acquired\n 49 A releasing\n 50-52 A ZREM lock a -> (integer) 1\n 53 A released",
			"> zadd@lock\n 11 x ZADD lock 9 a\n > zrem@lock\n > del@lock\n 51 x ZREM lock a",
			watched{history.Followed, `"lock"`, ""},
			[]string{"11 granted A by A", "51 removed A by A"},
		},
		{
			"a queue belongs to no client",
			"0 A waits\n 10-12 A RPUSH app:q a -> (integer) 1\n 13 A acquired\n 49 A releasing\n 50-52 A LPOP app:q -> a\n 53 A released",
			"> rpush@app:q\n 11 x RPUSH app:q a\n > lpop@app:q\n > del@app:q\n 51 x LPOP app:q",
			watched{history.Unfollowed, `"app:q"`, ""},
			[]string{"52 may-have-removed - by A"},
		},
		{"writes before it is ready", takes + gives, "> set@app:x\n -5 x SET app:x a\n" + taken + given,
			watched{history.Followed, `"app:lock"`, ""}, []string{"11 granted A by A", "51 removed A by A"}},
		{"an acquisition without a request", "0 A waits\n 13 A acquired\n" + gives, given, watched{history.Unfollowed, "", "A"}, []string{"52 may-have-removed - by A"}},
		{"an acquisition that only asks", "0 A waits\n 10-12 A GET app:lock -> (nil)\n 13 A acquired", "11 x GET app:lock", watched{history.Unfollowed, "", "A"}, nil},
		{"an acquisition with another's entry", takes + "0 B waits\n 20-22 B SET app:lock b NX PX 100 -> (nil)\n 23 B acquired", taken + "21 y SET app:lock b NX PX 100",
			watched{history.Followed, `"app:lock"`, "B"}, []string{"11 granted A by A"}},
		{"a request before it waits does not count", "10-12 A SET app:lock a NX PX 100 -> OK\n 13 A waits\n 14 A acquired", taken, watched{history.Unfollowed, "", "A"}, nil},
		{"a release without a request", takes + "49 A releasing\n 53 A released", taken, watched{history.Followed, `"app:lock"`, "A"}, []string{"11 granted A by A"}},
		{"a release that only asks", takes + "49 A releasing\n 50-52 A GET app:lock -> a\n 53 A released", taken + "51 x GET app:lock",
			watched{history.Followed, `"app:lock"`, "A"}, []string{"11 granted A by A"}},
		{"a release after the entry's end", takes + "149 A releasing\n 150-152 A DEL app:lock -> (integer) 0\n 153 A released", taken + "> expired@app:lock 111\n 151 x DEL app:lock",
			watched{history.Followed, `"app:lock"`, ""}, []string{"11 granted A by A", "111 expired A by -"}},
		{"an answered command without a report", takes + gives, taken, watched{history.Unfollowed, "", ""}, []string{"52 may-have-removed - by A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &harness{header: history.Header{Nodes: []history.Node{{Name: "A"}, {Name: "B"}}}}
			a := newReconciler(seen(t, c.seen), nil, time.Second)
			a.hear(nodeOne, heard(c.heard), 0, slackOfStamps)
			concludes(t, h.ofProgram(a, seen(t, c.seen), nodeOne, false), c.want...)
			c.watched.check(t, h)
		})
	}
}

// Without reports of the servers, every release is in doubt.
func TestTheReleaseOfAProgramIsInDoubtWithoutReports(t *testing.T) {
	entries := seen(t, `
		0 A waits
		10-12 A SET app:lock a NX PX 100 -> OK
		13 A acquired
		49 A releasing
		50-52 A DEL app:lock -> (integer) 1
		53 A released`)
	h := &harness{header: history.Header{Nodes: []history.Node{{Name: "A"}}}}
	concludes(t, h.ofProgram(nil, entries, nodeOne, false), "52 may-have-removed - by A")
	watched{history.Unfollowed, "", ""}.check(t, h)
}

// If a program's requests are not read along, it has to send one that may change an entry before it
// acquires or releases, and each release is in doubt unless the servers' records show whose entries
// were removed.
func TestAnUnreadProgramIsInDoubt(t *testing.T) {
	at := func(ms int, kind history.Kind, changes int64) entry {
		return entry{Event: history.Event{At: history.Instant(ms) * history.Instant(time.Millisecond), Kind: kind, Node: nodeA}, changes: changes}
	}
	fine := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 90), at(9, history.Releasing, 90), at(12, history.Released, 120)}
	silent := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 50)}
	keeps := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 90), at(9, history.Releasing, 90), at(12, history.Released, 90)}
	late := []entry{at(0, history.Waits, 50), at(5, history.Acquired, 90), at(6, history.Entered, 90), at(9, history.Releasing, 120), at(12, history.Released, 120)}
	epoch := time.Now()
	removes := func(by, owner string, from, at time.Duration) []livestore.Removal {
		return []livestore.Removal{{
			By: nodeOf(by), Owner: nodeOf(owner), From: epoch.Add(from * time.Millisecond), At: epoch.Add(at * time.Millisecond),
		}}
	}
	unread, known := watched{history.Unread, "", ""}, watched{history.Owned, "", ""}
	for _, c := range []struct {
		name     string
		entries  []entry
		removals []livestore.Removal
		watched
		want []string
	}{
		{"it sends", fine, nil, unread, []string{"12 may-have-removed - by A"}},
		{"the records show no foreign removal", fine, nil, known, nil},
		{"another client removes its entry", fine, removes("B", "A", 4, 8), known, []string{"8 removed A by B"}},
		{"perhaps after it has begun its release", fine, removes("B", "A", 4, 11), known, []string{"11 may-have-removed - by B"}},
		{"certainly after that", fine, removes("B", "A", 10, 11), known, []string{"11 removed A by B"}},
		{"perhaps another one's", fine, removes("A", "-", 10, 10), known, []string{"10 may-have-removed - by A"}},
		{"while it got ready", fine, removes("A", "-", -9, -9), known, []string{"0 may-have-removed - by A"}},
		{"after the end", fine, removes("B", "A", 12, 13), known, nil},
		{"its release is recorded after it was sent", late, nil, unread, []string{"12 may-have-removed - by A"}},
		{"it acquires without a change", silent, nil, watched{history.Unread, "", "A"}, nil},
		{"it releases without a change", keeps, nil, watched{history.Unread, "", "A"}, []string{"12 may-have-removed - by A"}},
	} {
		one := &member{node: nodeOne}
		h := &harness{header: history.Header{Nodes: []history.Node{{Name: "A"}}}, epoch: epoch, group: &group{members: []*member{one}, leader: one}}
		h.group.h = h
		h.store = &quorum{group: h.group, known: c.watched == known, removals: c.removals}
		t.Log(c.name)
		concludes(t, h.unreadProgram(c.entries), c.want...)
		c.watched.check(t, h)
	}
}
