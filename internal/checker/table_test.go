package checker

import (
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// row is a hand-written history with the finding that it must have.
type row struct {
	name, give, want string
}

// tables are the rows of each property. They are also what the seeded bugs of
// mutation_test.go must stumble over, and what random histories are made of.
var tables = map[string][]row{
	MutualExclusionID: {
		{"nothing happened", "", "unknown"},
		{"only waiting", "0 A waits; 60 A gave-up", "unknown"},
		{"one client", "0 A acquired; 5 A releasing", "kept"},
		{"one after the other", "0 A acquired; 5 A releasing; 6 B acquired", "kept"},
		{"touching, released first", "0 A acquired; 5 A releasing; 5 B acquired; 6 B releasing", "kept"},
		{"touching, acquired first", "0 A acquired; 5 B acquired; 5 A releasing; 6 B releasing", "kept"},
		{"touching, the intruder leaves at once", "0 A acquired; 5 B acquired; 5 B releasing; 6 A releasing", "kept"},
		{"one of two is merely touched", "0 A acquired; 3 B acquired; 5 C acquired; 5 A releasing; 6 B releasing; 7 C releasing",
			"broken 2: 3-5 BA #0,1,3 5-6 CB #1,2,4"},
		{"one is touched, the next is met", "0 A acquired; 5 B acquired; 5 C acquired; 5 A releasing; 6 C releasing; 7 B releasing",
			"broken 1: 5-6 CB #1,2,4"},
		{"all at one instant", "5 A acquired; 5 B acquired; 5 B releasing; 5 C acquired; 5 A releasing; 6 C releasing", "kept"},
		{"all of it in one instant", "5 A acquired; 5 R read peer=A; 5 A releasing; 5 B acquired; 5 R read peer=B; 5 B releasing", "unknown"},
		{"handed over in one instant, in which both write", "0 A acquired; 5 R write-accepted peer=A; 5 A releasing; 5 B acquired; 5 R read peer=B; 9 B releasing", "unknown"},
		{"handed over in one instant, in which one reads", "0 A acquired; 4 R write-accepted peer=A; 5 A releasing; 5 B acquired; 5 R read peer=B; 9 B releasing", "kept"},
		{"a refused write is a touch, too", "0 A acquired; 5 R write-refused peer=A; 5 A lost-lease; 5 B acquired; 5 R read peer=B; 9 B releasing", "unknown"},
		{"who holds no more does not touch", "0 A acquired; 4 A releasing; 5 R write-accepted peer=A; 5 B acquired; 5 R read peer=B; 9 B releasing", "kept"},
		{"one instant, and an overlap elsewhere", "5 A acquired; 5 R read peer=A; 5 A releasing; 5 B acquired; 5 R read peer=B; 6 A acquired; 7 A releasing; 8 B releasing", "broken 1: 6-7 AB #3,5,6"},
		{"open at the last instant", "0 A acquired; 5 B acquired", "broken 1: 5 BA #0,1"},
		{"simple overlap", "0 A acquired; 5 B acquired; 6 A releasing; 9 B releasing", "broken 1: 5-6 BA #0,1,2"},
		{"the intruder leaves first", "0 A acquired; 5 B acquired; 6 B releasing; 9 A releasing", "broken 1: 5-6 BA #0,1,2"},
		{"open end", "0 A acquired; 5 B acquired; 7 C waits", "broken 1: 5-7 BA #0,1"},
		{"open end of one", "0 A acquired; 5 B acquired; 7 B releasing; 8 C waits", "broken 1: 5-7 BA #0,1,2"},
		{"the first never ends", "0 A acquired; 1 B acquired; 2 B releasing; 3 C acquired; 4 C releasing",
			"broken 2: 1-2 BA #0,1,2 3-4 CA #0,3,4"},
		{"two intruders in one stretch", "0 A acquired; 10 B acquired; 11 C acquired; 12 B releasing; 15 A releasing; 16 C releasing",
			"broken 2: 10-12 BA #0,1,3 11-15 CAB #0,1,2,4"},
		{"a chain", "0 A acquired; 1 B acquired; 2 A releasing; 3 C acquired; 4 B releasing; 5 C releasing",
			"broken 2: 1-2 BA #0,1,2 3-4 CB #1,3,4"},
		{"all three at once", "0 A acquired; 0 B acquired; 0 C acquired; 1 A releasing; 2 B releasing; 3 C releasing",
			"broken 2: 0-1 BA #0,1,3 0-2 CAB #0,1,2,4"},
		{"dead", "0 A acquired; 1 A crashed; 10 B acquired", "kept"},
		{"told of the loss", "0 A acquired; 9 A lost-lease; 10 B acquired; 11 A releasing; 12 B releasing", "kept"},
		{"frozen clients believe", "0 A acquired; 1 A froze; 10 B acquired; 15 A thawed; 15 A releasing", "broken 1: 10-15 BA #0,2,4"},
		{"belief ends with the call of release", "0 A acquired; 1 A releasing; 2 B acquired; 3 A released", "kept"},
		{"belief ends whatever release says", "0 A acquired; 1 A releasing; 2 B acquired; 3 A not-held; 4 A release-failed", "kept"},
		{"belief starts with the return of acquire", "0 A acquired; 1 B waits; 1 S granted owner=B; 2 A releasing; 3 B acquired", "kept"},
		{"again without a release", "0 A acquired; 1 A acquired; 2 A releasing; 3 B acquired", "kept"},
		{"again beside an intruder", "0 A acquired; 1 B acquired; 2 A acquired; 3 A releasing",
			"broken 2: 1-2 BA #0,1,2 2-3 AB #1,2,3"},
		{"a server's crash ends no belief", "0 A acquired; 1 S crashed; 2 B acquired; 3 A releasing", "broken 1: 2-3 BA #0,2,3"},
		{"the probe is a client", "0 A acquired; 9 - healed; 9 P acquired; 10 P releasing", "broken 1: 9-10 PA #0,2,3"},
	},
	OwnerOnlyReleaseID: {
		{"nothing happened", "", "unknown"},
		{"own entry", "0 S granted owner=A; 1 S removed owner=A peer=A", "kept"},
		{"another's entry", "0 S granted owner=A; 10 S expired owner=A; 11 S granted owner=B; 11 B acquired; 12 A sent peer=S; 12 S removed owner=B peer=A cause=4",
			"broken 1: 12 AB #2,4,5"},
		{"no grant on record", "0 B acquired; 12 S removed owner=B peer=A", "broken 1: 12 AB #1"},
		{"the grant is of another server", "0 T granted owner=B; 1 B acquired; 12 S removed owner=B peer=A", "broken 1: 12 AB #2"},
		{"a release clears away what its owner has given up", "0 B acquired; 1 B releasing; 12 S removed owner=B peer=A", "kept"},
		{"the server's own doing", "1 S removed owner=A", "unknown"},
		{"its own, and the server's doing", "0 S removed owner=A peer=A; 1 S removed", "kept"},
		{"its own, and one of unknown owner", "0 S removed owner=A peer=A; 1 S may-have-removed peer=A", "unknown"},
		{"its own, and one of an entry without an owner", "0 S removed owner=A peer=A; 1 S removed peer=B", "unknown"},
		{"a robbery, and one that may have been another", "0 B acquired; 1 S removed owner=B peer=A; 2 S may-have-removed peer=A", "broken 1: 1 AB #1"},
		{"an entry without an owner", "1 S removed peer=A", "unknown"},
		{"expired is not removed", "0 A acquired; 1 S expired owner=A peer=B; 2 S forgotten owner=A peer=B; 3 S removed owner=B peer=B", "kept"},
		{"a waiter clears away the entry of a dead client", "0 B acquired; 1 B crashed; 2 A waits; 3 S removed owner=B peer=A", "kept"},
		{"a waiter clears away an orphan", "0 B waits; 0 S granted owner=B; 2 A waits; 3 S removed owner=B peer=A; 4 S granted owner=B; 5 B acquired", "kept"},
		{"a waiter removes a holder's entry", "0 B acquired; 2 A waits; 3 S removed owner=B peer=A", "broken 1: 3 AB #2"},
		{"a waiter removes the entry of one about to hold", "0 B waits; 1 S granted owner=B; 2 A waits; 3 S removed owner=B peer=A; 4 B acquired",
			"broken 1: 3 AB #1,3"},
		{"a takeover in one step", "0 B acquired; 1 A waits; 2 A sent peer=S; 3 S removed owner=B peer=A cause=2; 3 S granted owner=A cause=2", "kept"},
		{"a takeover after its client has died", "0 A waits; 1 A sent peer=S; 2 A crashed; 3 B acquired; 4 S executed peer=A cause=1; 4 S removed owner=B peer=A cause=4; 4 S granted owner=A cause=4", "kept"},
		{"a takeover by one that held when it sent", "0 A acquired; 1 A sent peer=S; 2 A gave-up; 3 B acquired; 3 A waits; 4 S removed owner=B peer=A cause=1; 4 S granted owner=A cause=1", "broken 1: 4 AB #1,5"},
		{"twice", "0 A acquired; 0 B acquired; 1 S removed owner=B peer=A; 2 S removed owner=A peer=A; 3 S removed owner=A peer=B", "broken 2: 1 AB #2 3 BA #4"},
	},
	ProgressID: {
		{"nothing happened", "", "unknown"},
		{"no quiet period", "0 P waits; 1 P acquired", "unknown"},
		{"no probe", "0 A waits; 9 - healed; 300 A gave-up", "unknown"},
		{"at once", "9 - healed; 9 P waits; 9.1 P acquired", "kept"},
		{"just in time", "9 - healed; 9 P waits; 109 P acquired", "kept"},
		{"just too late", "9 - healed; 9 P waits; 109.000000001 P acquired", "broken 1: 9-109.000000001 P #0,1,2"},
		{"gave up", "9 - healed; 10 P waits; 110 P gave-up", "broken 1: 9-110 P #0,1,2"},
		{"gave up at the bound", "9 - healed; 9 P waits; 109 P gave-up", "broken 1: 9-109 P #0,1,2"},
		{"gave up too soon", "9 - healed; 10 P waits; 50 P gave-up", "unknown"},
		{"cut short", "9 - healed; 10 P waits; 50 A waits", "unknown"},
		{"never an answer", "9 - healed; 10 P waits; 109 A waits", "broken 1: 9-109 P #0,1,2"},
		{"a hung worker holds", "5 A acquired; 9 - healed; 10 P waits; 110 P gave-up", "broken 1: 9-110 PA #1,2,3"},
		{"a dead worker does not hold", "5 A acquired; 6 A crashed; 9 - healed; 10 P waits; 110 P gave-up", "broken 1: 9-110 P #2,3,4"},
		{"another client gets it", "9 - healed; 10 P waits; 60 A acquired; 61 A releasing; 150 P acquired", "kept"},
		{"another client gets it and hangs", "9 - healed; 10 P waits; 60 A acquired; 160 P gave-up", "broken 1: 60-160 PA #0,1,2,3"},
		{"another client got it of late", "9 - healed; 10 P waits; 60 A acquired; 110 P gave-up", "unknown"},
		{"others do not matter before", "1 P waits; 2 P gave-up; 9 - healed; 10 P waits; 11 P acquired", "kept"},
		{"the first answer counts", "9 - healed; 10 P waits; 11 P acquired; 200 P waits; 999 P gave-up", "kept"},
		{"another's acquisition is no answer", "9 - healed; 10 P waits; 11 A acquired; 12 A releasing; 120 P gave-up", "broken 1: 11-120 P #0,1,2,4"},
	},
	NoLostUpdateID: {
		{"nothing happened", "", "unknown"},
		{"only reads", "0 R read peer=A value=7", "unknown"},
		{"one update", "0 R read peer=A value=7; 1 R write-accepted peer=A value=8 cause=0", "kept"},
		{"in turn", "0 R read peer=A; 1 R write-accepted peer=A value=1 cause=0; 2 R read peer=B value=1; 3 R write-accepted peer=B value=2 cause=2", "kept"},
		{"lost", "0 R read peer=A value=7; 1 R read peer=B value=7; 2 R write-accepted peer=B value=8 cause=1; 3 R write-accepted peer=A value=9 cause=0",
			"broken 1: 3 AB #0,2,3"},
		{"refused in time", "0 R read peer=A value=7; 1 R read peer=B value=7; 2 R write-accepted peer=B value=8 cause=1; 3 R write-refused peer=A value=34 cause=0", "kept"},
		{"own update lost", "0 R read peer=A value=7; 1 R write-accepted peer=A value=8 cause=0; 2 R write-accepted peer=A value=9 cause=0", "broken 1: 2 A #0,1,2"},
		{"first read outdated", "0 R read peer=A value=7; 1 R read peer=B value=6; 2 R write-accepted peer=B value=8 cause=1", "broken 1: 2 B #1,2"},
		{"no read on record", "0 R write-accepted peer=A value=8", "unknown"},
		{"the cause is no read", "0 A sent peer=R; 1 R write-accepted peer=A value=8 cause=0", "unknown"},
		{"the read is of another resource", "0 Q read peer=A value=7; 1 R write-accepted peer=A value=8 cause=0", "unknown"},
		{"two resources", "0 Q read peer=A value=1; 1 R read peer=A value=7; 2 Q write-accepted peer=A value=2 cause=0; 3 R write-accepted peer=A value=8 cause=1", "kept"},
		{"lost twice", "0 R read peer=A; 0 R read peer=B; 0 R read peer=C; 1 R write-accepted peer=A value=1 cause=0; 2 R write-accepted peer=B value=2 cause=1; 3 R write-accepted peer=C value=3 cause=2",
			"broken 2: 2 BA #1,3,4 3 CB #2,4,5"},
		{"in turn, but others read", "0 R read peer=A; 1 R read peer=B; 2 R write-accepted peer=A value=1 cause=0", "kept"},
		{"tokens do not matter", "0 R read peer=A token=34; 1 R write-accepted peer=A token=33 value=1 cause=0", "kept"},
		{"versions need not be adjacent", "0 R read peer=A value=7; 1 R write-accepted peer=A value=70 cause=0; 2 R read peer=A value=70; 3 R write-accepted peer=A value=71 cause=2", "kept"},
	},
	NoStaleWriteID: {
		{"nothing happened", "", "unknown"},
		{"no write", "0 A acquired; 1 A releasing", "unknown"},
		{"the holder writes", "0 A acquired; 1 R write-accepted peer=A", "kept"},
		{"the newest holder writes", "0 A acquired; 1 B acquired; 2 R write-accepted peer=B", "kept"},
		{"the old one writes", "0 A acquired; 10 B acquired; 12 R write-accepted peer=A", "broken 1: 12 AB #0,1,2"},
		{"after the new one has gone", "0 A acquired; 10 B acquired; 11 B releasing; 12 R write-accepted peer=A", "broken 1: 12 AB #0,1,3"},
		{"after both have gone", "0 A acquired; 1 A releasing; 10 B acquired; 11 B releasing; 12 R write-accepted peer=A", "broken 1: 12 AB #0,2,4"},
		{"late, but without a newer holder", "0 A acquired; 1 A releasing; 12 R write-accepted peer=A", "kept"},
		{"refused", "0 A acquired; 10 B acquired; 12 R write-refused peer=A", "kept"},
		{"before the new one", "0 A acquired; 9 R write-accepted peer=A; 10 B acquired", "kept"},
		{"at the same instant, before", "0 A acquired; 10 R write-accepted peer=A; 10 B acquired", "kept"},
		{"at the same instant, after", "0 A acquired; 10 B acquired; 10 R write-accepted peer=A", "kept"},
		{"at the same instant, its own acquisition", "0 B acquired; 10 A acquired; 10 R write-accepted peer=A", "kept"},
		{"who hears late is no newer", "0 S granted owner=A token=2; 10 S granted owner=B token=4; 10 B acquired token=4; 12 A acquired token=2; 13 R write-refused peer=A; 14 R write-accepted peer=B", "kept"},
		{"who hears late writes", "0 S granted owner=A; 10 S granted owner=B; 10 B acquired; 12 A acquired; 13 R write-accepted peer=A", "broken 1: 13 AB #2,3,4"},
		{"the store forgets its counter", "0 S granted owner=A; 0 A acquired token=1; 10 S granted owner=B; 10 B acquired token=1; 11 R write-accepted peer=A", "broken 1: 11 AB #1,3,4"},
		{"the store counts back", "0 S granted owner=A; 0 A acquired token=5; 10 S granted owner=B; 10 B acquired token=1; 11 R write-accepted peer=B", "kept"},
		{"nothing but tokens", "10 B acquired token=4; 12 A acquired token=2; 13 R write-accepted peer=B; 14 R write-accepted peer=A", "broken 1: 14 AB #0,1,3"},
		{"a grant of an earlier round says nothing of this one", "0 S granted owner=A; 0 A acquired; 1 A releasing; 2 S granted owner=B; 2 B acquired; 3 A waits; 4 A acquired; 5 R write-accepted peer=A", "kept"},
		{"no grants, but executions", "0 S executed peer=A; 10 S executed peer=B; 10 B replied cause=1; 10 B acquired; 12 A replied cause=0; 12 A acquired; 13 R write-accepted peer=B; 14 R write-accepted peer=A",
			"broken 1: 14 AB #3,5,7"},
		{"no grants, and requests one after the other", "0 A sent; 1 A replied cause=0; 1 A acquired; 9 B sent; 10 B replied cause=3; 10 B acquired; 11 R write-accepted peer=A", "broken 1: 11 AB #2,5,6"},
		{"no grants, and requests that cross", "0 A sent; 9 B sent; 10 B replied cause=1; 10 B acquired; 12 A replied cause=0; 12 A acquired; 13 R write-accepted peer=B", "unknown"},
		{"one execution, and two who were answered", "0 S executed peer=A; 1 B replied cause=0; 1 B acquired; 2 A replied cause=0; 2 A acquired; 3 R write-accepted peer=A", "unknown"},
		{"a late reply is of an old grant", "0 S executed peer=A; 0 S executed peer=C; 1 S executed peer=B; 2 S executed peer=A; 3 A replied cause=3; 3 A acquired; 4 B replied cause=2; 4 B acquired; 4 C replied cause=1; 4 C acquired; 5 A replied cause=0; 5 A acquired; 6 R write-accepted peer=C",
			"broken 1: 6 CB #7,9,12"},
		{"requests that cross, and tokens", "0 A sent; 9 B sent; 10 B replied cause=1; 10 B acquired token=4; 12 A replied cause=0; 12 A acquired token=2; 13 R write-accepted peer=B", "kept"},
		{"who has no grant, and an older token", "0 S granted owner=A; 0 A acquired token=4; 1 S executed peer=B; 2 B replied cause=2; 2 B acquired token=3; 3 R write-accepted peer=A; 4 R write-accepted peer=B", "broken 1: 4 BA #1,4,6"},
		{"a doubt beside a stale write", "0 C acquired; 0 A sent; 9 B sent; 10 B replied cause=2; 10 B acquired; 12 A replied cause=1; 12 A acquired; 13 R write-accepted peer=B; 14 R write-accepted peer=C",
			"broken 1: 14 CA #0,6,8"},
		{"the old one comes back", "0 A acquired; 1 A releasing; 2 B acquired; 3 B releasing; 4 A acquired; 5 R write-accepted peer=A", "kept"},
		{"back, with an old read", "0 A acquired; 1 R read peer=A; 10 B acquired; 11 B releasing; 12 A acquired; 13 R write-accepted peer=A cause=1", "broken 1: 13 AB #0,1,2,5"},
		{"another's read is no cause", "0 A acquired; 1 R read peer=A; 10 B acquired; 13 R write-accepted peer=B cause=1", "kept"},
		{"own acquisitions make nothing stale", "0 A acquired; 1 R read peer=A; 2 A acquired; 3 R write-accepted peer=A cause=1", "kept"},
		{"the newest other holder is named", "0 A acquired; 1 B acquired; 2 C acquired; 3 B acquired; 4 R write-accepted peer=A; 5 R write-accepted peer=C",
			"broken 2: 4 AB #0,3,4 5 CB #2,3,5"},
		{"without any right", "0 B acquired; 1 R write-accepted peer=A", "broken 1: 1 AB #0,1"},
		{"no client locks", "1 R write-accepted peer=A", "kept"},
	},
}

// runTable runs a check over the rows of a property and returns what differs.
func runTable(rows []row, check func(h *history.History) Finding) (failed []string) {
	for _, tt := range rows {
		h := parse(tt.give)
		if got := show(h, check(h)); got != tt.want {
			failed = append(failed, tt.name+": "+tt.give+"\n\tgot  "+got+"\n\twant "+tt.want)
		}
	}
	return failed
}

// A property is tried by histories with known verdicts, by an oracle that reads as its definition
// does, and by mistakes that the histories tell from the right check. Those of a new one stand in a
// test file of its own, which adds them to the three maps.
func TestEveryPropertyIsTried(t *testing.T) {
	for _, p := range All() {
		for what, there := range map[string]bool{
			"table of histories (tables)": len(tables[p.ID]) > 0, "oracle (oracles)": oracles[p.ID] != nil,
			"mistake to tell from the right check (mutations)": len(mutations[p.ID]) > 0,
		} {
			if !there {
				t.Errorf("the property %s has no %s: add one in internal/checker/%s_test.go", p.ID, what, strings.ReplaceAll(p.ID, "-", "_"))
			}
		}
	}
}

func TestTables(t *testing.T) {
	for _, p := range All() {
		for _, failure := range runTable(tables[p.ID], p.Check) {
			t.Errorf("%s: %s", p.ID, failure)
		}
	}
}

func TestFindingsAreComplete(t *testing.T) {
	for _, p := range All() {
		for what, missing := range map[string]bool{
			"summary": p.Summary == "", "source": p.Source == "",
			"entry for its summary in internal/say/zh.po": p.Summary != "" && p.Summary.In(say.Chinese) == string(p.Summary),
		} {
			if missing {
				t.Errorf("the property %s has no %s", p.ID, what)
			}
		}
		for _, tt := range tables[p.ID] {
			f := p.Check(parse(tt.give))
			if f.Property != p.ID || (f.Verdict == Unknown) != !f.Reason.Empty() {
				t.Errorf("%s, %s: %+v", p.ID, tt.name, f)
			}
		}
	}
}
