package checker

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
	"lockstep/internal/must"
)

// Only a client that contends after a fault can notice it. All of these have a fault, and a history
// with messages.
func TestWhoCanNotice(t *testing.T) {
	const (
		a, b  = "0 S granted owner=A; 0 A acquired; ", "1 B waits; "
		nodes = "0 S granted owner=A; 0 T granted owner=A; 0 U granted owner=A; 0 A acquired; 1 F fault-began value=1; 1 B waits; "
	)
	for _, tt := range []struct {
		name, give string
		want       bool
	}{
		{"asks while A holds", a + "0 F fault-began value=1; " + b + "1 B sent; 1 S executed peer=B cause=4; 9 A releasing", true},
		{"asked before the fault only", a + b + "1 B sent; 1 S executed peer=B cause=3; 2 F fault-began value=1; 9 A releasing", false},
		{"asked before the fault, and again when A has gone", a + b + "1 S executed peer=B; 2 F fault-began value=1; 9 A releasing; 9 S removed owner=A; 10 S executed peer=B", true},
		{"asked before the fault, and again long after A has gone", a + b + "1 S executed peer=B; 2 F fault-began value=1; 9 A releasing; 9 S removed owner=A; 10.1 S executed peer=B", false},
		{"asks long after A has gone, and again at once, since its attempt has changed an entry", a + b + "1 S executed peer=B; 2 F fault-began value=1; 9 A releasing; 9 S removed owner=A; 30 S executed peer=B; 30 S granted owner=B; 30 S removed owner=B; 30.1 S executed peer=B", false},
		{"the same, and it watches", a + b + "1 B sent watch; 1 S executed peer=B cause=3; 2 F fault-began value=1; 9 A releasing; 9 S removed owner=A; 10.1 S executed peer=B", true},
		{"asks, and only a dead server has an entry", a + "0 T granted owner=A; 0 F fault-began value=1; 1 T crashed; 2 A releasing; 2 S removed owner=A; 20 B waits; 20 S executed peer=B", false},
		{"asks, and a server that was dead has an entry", a + "0 T granted owner=A; 0 F fault-began value=1; 1 T crashed; 2 A releasing; 2 S removed owner=A; 3 T restarted; 20 B waits; 20 S executed peer=B", true},
		{"waits from the fault on, and does not ask", a + "0 F fault-began value=1; " + b + "9 A releasing", false},
		{"asks when the lock is free", "0 F fault-began value=1; " + b + "1 S executed peer=B; 2 B acquired", false},
		{"sends, and nothing arrives", a + "0 F fault-began value=1; " + b + "1 B sent; 2 B request-dropped cause=4; 9 A releasing", false},
		{"was answered, by a server that does not say when", a + "0 F fault-began value=1; " + b + "1 B sent; 2 B replied cause=4; 9 A releasing", true},
		{"sent before the fault, and was answered after it", a + b + "1 B sent; 1 F fault-began value=1; 2 B replied cause=3; 9 A releasing", false},
		{"is frozen", a + b + "1 B froze; 2 F fault-began value=1; 3 S executed peer=B; 9 A releasing", false},
		{"is frozen, and goes on in time", a + b + "1 B froze; 2 F fault-began value=1; 3 B thawed; 4 S executed peer=B; 9 A releasing", true},
		{"asks in a later wait, when the lock is free", a + b + "2 F fault-began value=1; 3 B gave-up; 4 A releasing; 4 S removed owner=A; 5 B waits; 6 S executed peer=B", false},
		{"asked in an earlier wait, when the lock was free", "0 F fault-began value=1; 1 B waits; 2 S executed peer=B; 3 B gave-up; 4 S granted owner=A; 4 A acquired; 5 B waits; 9 A releasing", false},
		{"asks, and the entry of a dead client is there", a + "0 F fault-began value=1; 0 A crashed; " + b + "1 S executed peer=B", true},
		{"asks, and a replica without the orphan has taken over", a + "0 F fault-began value=1; 1 A crashed; 2 T promoted peer=S; 20 B waits; 20 T executed peer=B", false},
		{"asks, and a replica with a copy of the orphan has taken over", a + "0 T replicated owner=A; 0 F fault-began value=1; 1 A crashed; 2 T promoted peer=S; 20 B waits; 20 T executed peer=B", true},
		{"asks, and a replica has taken over whose copy was removed", a + "0 T replicated owner=A; 0 F fault-began value=1; 1 A releasing; 1 S removed owner=A; 2 T promoted peer=S; 20 B waits; 20 T executed peer=B", false},
		{"asks, and the answer is lost", a + "0 F fault-began value=1; " + b + "1 B sent; 1 S executed peer=B cause=4; 2 S reply-dropped peer=B cause=5; 9 A releasing", false},
		{"asks, and gives up on the answer", a + "0 F fault-began value=1; " + b + "1 B sent; 1 S executed peer=B cause=4; 2 B timed-out cause=4; 9 A releasing", false},
		{"asks, and dies before the answer comes", a + "0 F fault-began value=1; " + b + "1 B sent; 1 S executed peer=B cause=4; 1.1 B crashed; 9 A releasing", false},
		{"asks, and dies with the answer", a + "0 F fault-began value=1; " + b + "1 B sent; 1 S executed peer=B cause=4; 1.1 B replied cause=5; 1.2 B crashed; 9 A releasing", true},
		{"asks, its replacement waits, and the entry that it has asked for keeps both out", "0 F fault-began value=1; 1 B waits; 1 B sent; 1 S executed peer=B cause=2; 1 S granted owner=B cause=3; 1.1 B crashed; 2 C waits; 2 S executed peer=C; 9 S expired owner=B", true},
		{"asks, and the server keeps it waiting until it gives up", a + "0 F fault-began value=1; " + b + "1 B sent; 2 B timed-out cause=4 text=" + history.KeptWaiting + "; 9 A releasing", true},
		{"asked before the fault only, and the server keeps it waiting", a + b + "1 B sent; 1 F fault-began value=1; 2 B timed-out cause=3 text=" + history.KeptWaiting + "; 9 A releasing", false},
		{"asks, and its own entry keeps it out, by a server that does not say when", a + "0 F fault-began value=1; " + b + "1 B sent; 2 S granted owner=B cause=4; 2 B timed-out cause=4; 3 B sent; 4 B replied peer=S cause=7; 9 A releasing", false},
		{"asks, and another client's answer is lost, by a server that does not say when", a + "0 F fault-began value=1; 0 C sent; 0 S reply-dropped peer=C cause=3; " + b + "2 S granted owner=B; 3 B sent; 4 B replied peer=S cause=7; 9 A releasing", true},
		{"asks, and the server takes no writes", a + "0 F fault-began value=1; " + b + "1 S executed peer=B text=(error) NOREPLICAS no; 9 A releasing", false},
		{"asks, and the key is there", a + "0 F fault-began value=1; " + b + "1 S executed peer=B text=(error) NodeExists; 9 A releasing", true},
		{"asks one of three independent servers", nodes + "2 S executed peer=B; 9 A releasing", false},
		{"asks two of three independent servers", nodes + "2 S executed peer=B; 2 T executed peer=B; 9 A releasing", true},
		{"asked one of three independent servers too soon", strings.Replace(nodes, "value=1", "value=9", 1) + "2 S executed peer=B; 2 T executed peer=B; 3 F fault-began value=1; 4 T executed peer=B; 9 A releasing", false},
		{"asks, and one of three independent servers has an orphan", nodes + "2 A crashed; 3 S removed owner=A; 3 T removed owner=A; 9 S executed peer=B; 9 T executed peer=B", false},
		{"asks, and two of three independent servers have an orphan", nodes + "2 A crashed; 3 S removed owner=A; 9 S executed peer=B; 9 T executed peer=B", true},
		{"the holder's own messages", a + b + "1 F fault-began value=1; 2 S executed peer=A; 9 A releasing", false},
		{"asks in the quiet period", a + "0 F fault-began value=1; 5 - healed; 6 B waits; 6 S executed peer=B; 9 A releasing", false},
	} {
		h := parse(strings.ReplaceAll(tt.give, "sent watch", "sent"))
		if before, _, watches := strings.Cut(tt.give, "sent watch"); watches {
			h.Events[strings.Count(before, ";")].Text = historytest.Request(h, "WATCH lock FROM 3")
		}
		h.Header.Faults = []history.Fault{{Number: 1}}
		h.Header.Backend = history.Sim
		if strings.Contains(tt.name, "independent") {
			h.Header.Topology = "independent"
		}
		must.Equalf(t, Judge(h).Faults[0].Contended, tt.want, "%s", tt.name)
	}
}

// Heartbeats, and what only removes or opens a session or a subscription, ask for no lock.
func TestHeartbeatsAskNothing(t *testing.T) {
	for text, want := range map[string]bool{ // order: each on its own
		"KEEPALIVE 1": false, "PING": false, "RENEW 1": false, "CONNECT 10000": false, "WATCH lock FROM 3": false, "SUBSCRIBE x": false, "DEL lock": false,
		"SET lock 1 NX": true, "EXISTS /lock WATCH": true, "EVAL lock lock 10000": true, "GET lock INDEX 3 WAIT 15s": true,
		"EVAL cancel lock": false,
	} {
		h := parse("0 A acquired; 0 F fault-began value=1; 1 B waits; 1 B sent; 1 S executed peer=B cause=3; 9 A releasing")
		h.Header.Faults = []history.Fault{{Number: 1}}
		h.Events[3].Text = historytest.Request(h, text)
		must.Equalf(t, Judge(h).Faults[0].Contended, want, "%s asks", text)
	}
	h := parse("")
	for _, word := range strings.Fields("CONNECT SESSION GRANT BEGIN SUBSCRIBE WATCH SETWATCHES PING KEEPALIVE RENEW SET GET TXN EVAL") {
		if about := h.Op(historytest.Request(h, word)).Does.AboutEntry(); about != (faults.Acquire.Of(word, true) != faults.NoPart) {
			t.Errorf("%s: about an entry %v, and package faults says something else", word, about)
		}
	}
}

// Where clients held without an entry and no other client asked, nothing shows that all was well.
func TestHoldsThatOutliveTheirEntries(t *testing.T) {
	const a = "0 S granted owner=A; 0 A acquired; 1 B waits; "
	tests := []struct{ name, give, want string }{
		{"never", a + "5 A releasing; 5 S removed owner=A peer=A", ""},
		{"expired", a + "10 S expired owner=A; 15 A releasing", "A 10-15"},
		{"expired, and B asked", a + "10 S expired owner=A; 11 S executed peer=B; 15 A releasing", ""},
		{"expired, and B asked before", a + "9 S executed peer=B; 10 S expired owner=A; 15 A releasing", "A 10-15"},
		{"expired, and B asked afterwards", a + "10 S expired owner=A; 15 A releasing; 15 S executed peer=B", "A 10-15"},
		{"expired, and the holder asked", a + "10 S expired owner=A; 11 S executed peer=A; 15 A releasing", "A 10-15"},
		{"expired as it ends", a + "10 S expired owner=A; 10 A releasing", ""},
		{"removed by another, who died", a + "3 S removed owner=A peer=B; 4 B crashed; 5 A releasing", "A 3-5"},
		{"forgotten, and the holder dies", a + "3 S forgotten owner=A; 5 A crashed", "A 3-5"},
		{"forgotten, until the end", a + "3 S forgotten owner=A; 9 C waits", "A 3-9"},
		{"one of two servers", "0 S granted owner=A; 0 T granted owner=A; 0 A acquired; 3 T forgotten owner=A; 5 A releasing", "A 3-5"},
		{"one of three servers", "0 S granted owner=A; 0 T granted owner=A; 0 U granted owner=A; 0 A acquired; 3 T forgotten owner=A; 5 A releasing", ""},
		{"two of three servers", "0 S granted owner=A; 0 T granted owner=A; 0 U granted owner=A; 0 A acquired; 3 T forgotten owner=A; 4 S forgotten owner=A; 5 A releasing", "A 4-5"},
		{"one of two servers, and the other one's is extended", "0 S granted owner=A; 0 T granted owner=A; 0 A acquired; 3 T forgotten owner=A; 4 S extended owner=A; 5 A releasing", "A 3-5"},
		{"another's entry", a + "3 S expired owner=B; 5 A releasing", ""},
		{"the reply came too late", "0 S granted owner=A; 10 S expired owner=A; 12 A acquired; 14 A releasing", "A 12-14"},
		{"the lock is in no store", "0 S granted owner=B; 0 A acquired; 2 A releasing", "A 0-2"},
		{"the grant is on record a little later", "0 A acquired; 0.1 S granted owner=A; 2 A releasing", ""},
		{"a server without a copy takes over", a + "3 T promoted peer=S; 5 A releasing", "A 3-5"},
		{"a server with a copy takes over", a + "2 T replicated owner=A; 3 T promoted peer=S; 5 A releasing", ""},
		{"the same server leads again", a + "3 S promoted peer=S; 5 A releasing", ""},
		{"a cluster has another leader, and the entry is renewed", a + "3 T promoted peer=S; 4 T extended owner=A; 5 A releasing", ""},
		{"a cluster has another leader, and the entry is removed at last", a + "3 T promoted peer=S; 5 A releasing; 5 T removed owner=A peer=A", ""},
		{"a cluster has another leader, and the entry expires there", a + "3 T promoted peer=S; 4 T extended owner=A; 6 T expired owner=A; 8 A releasing", "A 6-8"},
		{"what a former primary keeps", a + "1 T replicated owner=A; 2 T promoted peer=S; 4 S expired owner=A; 5 A releasing", ""},
		{"of two primaries the former one", "0 T promoted peer=S; 1 S granted owner=A; 2 T granted owner=A; 2 A acquired; 4 S expired owner=A; 5 A releasing", ""},
		{"of two primaries the new one", "0 T promoted peer=S; 1 S granted owner=A; 2 T granted owner=A; 2 A acquired; 4 T expired owner=A; 5 A releasing", "A 4-5"},
		{"a watcher was told in time", a + "1 B sent watch; 1 S executed peer=B cause=3; 3 S expired owner=A; 3.1 A lost-lease; 3.1 B sent; 3.2 S executed peer=B cause=7", ""},
		{"a watcher was told late", a + "1 B sent watch; 1 S executed peer=B cause=3; 3 S expired owner=A; 3.1 A lost-lease; 9 B sent; 9 S executed peer=B cause=7", "A 3-3.1"},
		{"a watcher had asked before it could be told", a + "1 B sent watch; 1 S executed peer=B cause=3; 2.9 B sent; 3 S expired owner=A; 3.1 A lost-lease; 3.2 S executed peer=B cause=5", "A 3-3.1"},
		{"a watcher on a real server was told in time", a + "1 B sent watch; 3 S expired owner=A; 3.1 A lost-lease; 3.1 B replied cause=3; 3.2 B sent; 3.3 B replied cause=7", ""},
		{"a watcher on a real server was told late", a + "1 B sent watch; 3 S expired owner=A; 3.1 A lost-lease; 3.1 B replied cause=3; 9 B sent; 9.1 B replied cause=7", "A 3-3.1"},
		{"what a real server has not answered yet", a + "1 B sent watch; 3 S expired owner=A; 3.1 B replied cause=3; 3.2 B sent; 3.3 A lost-lease; 3.4 B replied cause=6", ""},
		{"what a real server never answers", a + "1 B sent watch; 3 S expired owner=A; 3.1 B replied cause=3; 3.2 B sent; 3.3 A lost-lease", "A 3-3.3"},
		{"the end is in a row of a database", "0 S granted owner=A lasts=10s; 0 A acquired; 1 B waits; 9 S executed peer=B; 15 A releasing; 15 S removed owner=A peer=A", "A 10-15"},
		{"the end is in a row of a database, and B asked", "0 S granted owner=A lasts=10s; 0 A acquired; 1 B waits; 11 S executed peer=B; 15 A releasing", ""},
		{"the end is in a row of a database, and was moved", "0 S granted owner=A lasts=10s; 0 A acquired; 7 S extended owner=A lasts=10s; 15 A releasing", ""},
		{"the end is in a row of a database, and a watcher asks after the release", "0 S granted owner=A lasts=10s; 0 A acquired; 1 B waits; 1 B sent watch; 1 S executed peer=B cause=3; 10.4 A releasing; 10.4 S removed owner=A peer=A; 10.5 B sent; 10.6 S executed peer=B cause=7", "A 10-10.4"},
		{"the end is in its value", "0 A sent; 0 S executed peer=A cause=0; 0 S granted owner=A cause=1; 0 A acquired; 15 A releasing; 15 S removed owner=A peer=A", "A 10-15"},
		{"the probe is the last one", "0 S granted owner=A; 0 P acquired; 2 P releasing", ""},
	}
	for _, tt := range tests {
		h := parse(strings.ReplaceAll(tt.give, "sent watch", "sent"))
		if strings.Contains(tt.give, "sent watch") {
			h.Events[3].Text = historytest.Request(h, "WATCH lock FROM 3")
		}
		h.Header.Backend = history.Sim
		if strings.Contains(tt.name, "real server") {
			h.Header.Backend = history.Process
			h.Events[3].Text = historytest.Request(h, "GET lock INDEX 19 WAIT 30s")
		}
		if strings.Contains(tt.name, "database") {
			h.Header.Topology = "replicated"
		}
		if strings.Contains(tt.name, "value") {
			h.Events[0].Text = h.Intern("SETNX lock 10000")
			h.SetOp(h.Events[0].Text, history.Op{Name: "SETNX", Does: history.MakesNew, Lease: 10 * time.Second})
		}
		got := ""
		for _, l := range survey(h).unasked {
			got += h.Name(l.client) + " " + seconds(l.from) + "-" + seconds(l.to)
		}
		must.Equalf(t, got, tt.want, "%s", tt.name)
	}
}

// Without entries on record a hold is in doubt from each fault on, and when its lease is over.
func TestHoldsWithoutEntriesOnRecord(t *testing.T) {
	for _, tt := range []struct {
		name, give string
		wired      bool
		want       int
	}{
		{"within its lease", "0 A acquired; 9 A releasing", true, 0},
		{"past its lease", "0 A acquired; 15 A releasing", true, 1},
		{"past its lease, and B asked in time", "0 A acquired; 1 B waits; 11 S executed peer=B; 15 A releasing", true, 0},
		{"past its lease, and B asked too soon", "0 A acquired; 1 B waits; 9 S executed peer=B; 15 A releasing", true, 1},
		{"past its lease, as the one before, and no other client is left", "0 A acquired; 1 B waits; 11 S executed peer=B; 15 A releasing; 16 B acquired; 40 B releasing", true, 0},
		{"past its lease, as the one before, and C has given up", "0 A acquired; 1 B waits; 1 C waits; 11 S executed peer=B; 15 A releasing; 16 B acquired; 17 C gave-up; 40 B releasing", true, 1},
		{"past its lease, unlike the one before", "0 A acquired; 1 B waits; 8 S executed peer=B; 9 A releasing; 16 B acquired; 40 B releasing", true, 1},
		{"a fault", "0 A acquired; 1 F fault-began value=1; 9 A releasing", true, 1},
		{"a fault, a hold past its lease before it, and no other client is left", "0 A acquired; 1 B waits; 11 S executed peer=B; 15 A releasing; 16 B acquired; 18 F fault-began value=1; 24 B releasing", true, 1},
		{"a fault, and B asks", "0 A acquired; 1 F fault-began value=1; 1 B waits; 2 S executed peer=B; 9 A releasing", true, 0},
		{"a log of clients, in which one waits", "0 A acquired; 1 B waits; 15 A releasing", false, 0},
		{"a log of clients, in which one has waited", "0 A acquired; 1 B waits; 12 B gave-up; 15 A releasing", false, 0},
		{"a log of clients, in which the holder waits for itself", "0 A acquired; 1 A waits; 15 A releasing", false, 1},
		{"a log of clients, in which one gave up too soon", "0 A acquired; 1 B waits; 9 B gave-up; 15 A releasing", false, 1},
	} {
		h := parse(tt.give)
		if tt.wired {
			h.Header.Backend = history.Sim
		}
		must.Equalf(t, len(survey(h).unasked), tt.want, "%s", tt.name)
	}
}

// A property is not kept by a lock that serves one client only, or that leaves a client waiting
// while it is free.
func TestALockThatServesOneClientOnly(t *testing.T) {
	const alone = `0 S granted owner=A; 0 A acquired; 0.1 B waits; 0.2 S executed peer=B
		3 A releasing; 3 S removed owner=A peer=A; 30 B gave-up; `
	for _, tt := range []struct {
		name, give                string
		exclusion, progress       Verdict
		whyNotKept, whyNoProgress string
	}{
		{"both are served", contended + quietEnd, Kept, Kept, "", ""},
		{"only A", alone + quietEnd, Unknown, Unknown, "only A ever got the lock", "B waited from 3.000 s until 30.000 s and never got the lock, although it was free"},
		{"only A, and the lock is stuck", alone + "90 - healed; 90 P waits; 190 P gave-up", Kept, Broken, "", ""},
		{"only the probe, behind the orphan of A", `0 A waits; 0 S granted owner=A; 0.1 B waits; 0.2 S executed peer=B
			20 A gave-up; 20.1 B gave-up; 21 S expired owner=A` + quietEnd, Unknown, Kept, "no client but the probe acquired the lock", ""},
		{"B gave up while A held", `0 S granted owner=A; 0 A acquired; 0.1 B waits; 0.2 S executed peer=B; 2 B gave-up; 3 A releasing; 3 S removed owner=A peer=A` + quietEnd,
			Unknown, Kept, "only A ever got the lock", ""},
		{"B is served once, and then no more", contended + "6 B waits; 7 S executed peer=B; 20 B gave-up" + quietEnd, Kept, Unknown, "", "B waited from 6.000 s until 20.000 s and never got the lock, although it was free"},
		{"B is served in the end", contended + "6 B waits; 7 S executed peer=B; 20 B gave-up; 21 B waits; 21 S granted owner=B; 21 B acquired; 22 B releasing; 22 S removed owner=B peer=B" + quietEnd, Kept, Kept, "", ""},
		{"B is cut off", contended + "6 B waits; 7 B sent; 10 B timed-out; 20 B gave-up" + quietEnd, Kept, Kept, "", ""},
		{"B sleeps", contended + "6 B waits; 20 B gave-up" + quietEnd, Kept, Unknown, "", "B waited from 6.000 s until 20.000 s and never got the lock, although it was free"},
		{"B is frozen", contended + "6 B waits; 6 B froze; 19 B thawed; 20 B gave-up" + quietEnd, Kept, Kept, "", ""},
		{"an orphan keeps B out", contended + "6 S granted owner=A; 6 B waits; 7 S executed peer=B; 20 B gave-up; 21 S expired owner=A" + quietEnd, Kept, Kept, "", ""},
	} {
		j := Judge(parse(tt.give))
		x, p := j.Finding(MutualExclusionID), j.Finding(ProgressID)
		if x.Verdict != tt.exclusion || x.Reason.English() != tt.whyNotKept || p.Verdict != tt.progress || p.Reason.English() != tt.whyNoProgress {
			t.Errorf("%s: exclusion %s %q, progress %s %q", tt.name, x.Verdict, x.Reason.English(), p.Verdict, p.Reason.English())
		}
	}
}

// A line of the list that faults are drawn from is judged by its own faults.
func TestEveryLineOfAListIsAskedFor(t *testing.T) {
	h := parse(contended + underFault + "; 7 F fault-began value=2; 9 F fault-began value=5" + quietEnd + "; 99 - without-effect value=2")
	h.Header.Lease = 10 * time.Second
	h.Header.Faults = []history.Fault{{Number: 1, Drawn: true, Line: 1}, {Number: 2, Drawn: true, Line: 2}, {Number: 3, Drawn: true, Line: 3}, {Number: 5, Drawn: true, Line: 5}}
	h.Header.Lines = []history.Line{{Number: 1, Text: "one"}, {Number: 2, Text: "two"}, {Number: 3, Text: "three"}, {Number: 4, Text: "four"}, {Number: 5, Text: "five"}}
	j := Judge(h)
	const want = "fault 2 of the list had no visible effect: two; fault 3 of the list had no visible effect: three; " +
		"fault 4 of the list had no visible effect: four; fault 5 of the list had no visible effect: five"
	if got := j.Idle().English(); got != want || verdicts(&j) != "kkkkk" {
		t.Errorf("%s %s", verdicts(&j), got)
	}
}

// A client that could have acquired without the entry might have written, too: nothing is known
// about writes either.
func TestAHoldWithoutItsEntrySaysNothingOfWrites(t *testing.T) {
	j := Judge(parse(contended + "6 S granted owner=A peer=A; 6 A acquired; 16 S expired owner=A; 20 A releasing; 20 A not-held" + quietEnd))
	for id, want := range map[string]Verdict{
		MutualExclusionID: Unknown, NoStaleWriteID: Unknown, NoLostUpdateID: Unknown, OwnerOnlyReleaseID: Kept, ProgressID: Kept,
	} {
		if f := j.Finding(id); f.Verdict != want {
			t.Errorf("%s is %s, want %s: %s", id, f.Verdict, want, f.Reason.English())
		}
	}
}
