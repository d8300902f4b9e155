package locktest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// historyOf makes a history of events of the form "seconds node kind owner=X peer=Y token=N keeps=10s".
// A to C are clients, S and T are servers.
func historyOf(t *testing.T, story string) *history.History {
	t.Helper()
	h := history.New(history.Header{Lease: 10 * time.Second, Nodes: []history.Node{
		{Name: "A", Role: history.RoleClient}, {Name: "B", Role: history.RoleClient}, {Name: "C", Role: history.RoleClient},
		{Name: "S", Role: history.RoleStore}, {Name: "T", Role: history.RoleStore},
	}})
	for line := range strings.SplitSeq(story, ";") {
		fields := strings.Fields(line)
		at, err := time.ParseDuration(fields[0] + "s")
		kind, ok := history.ParseKind(fields[2])
		if err != nil || !ok {
			t.Fatalf("%s: %v", line, err)
		}
		e := history.Event{At: history.Instant(at), Node: h.Node(fields[1]), Kind: kind, Value: 1, Cause: history.NoCause}
		for _, f := range fields[3:] {
			switch key, name, _ := strings.Cut(f, "="); key {
			case "owner":
				e.Owner = h.Node(name)
			case "peer":
				e.Peer = h.Node(name)
			case "token":
				e.Token, err = strconv.ParseInt(name, 10, 64)
			case "keeps":
				var keeps time.Duration
				keeps, err = time.ParseDuration(name)
				e.Value = int64(keeps)
			}
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		h.Add(e)
	}
	return h
}

// Signs in a history that a lock is not one, each beside a similar history without a sign.
func TestSigns(t *testing.T) {
	const (
		takes  = "0 A waits; 1 A sent; 1 S granted owner=A peer=A; 2 A acquired"
		has    = "0 A waits; 0 A sent; 0 S granted owner=A peer=A; "
		failed = "0 B waits; 1 B sent; 2 B gave-up"
		next   = "; 3 A releasing; 3 S removed owner=A peer=A; 4 A released; 5 B waits; 5 B sent; 5 S granted owner=B peer=B; 6 B acquired"
	)
	for _, test := range []struct {
		story                          string
		unasked, foreign, dead, renews bool
		alarm, stays, hushed           bool
		lease, token, long             bool
	}{
		{story: takes + "; 3 A releasing; 4 A released"},
		{story: "0 A waits; 2 A acquired", unasked: true},
		{story: "0 A waits; 1 A sent; 2 A acquired", unasked: true},     // and nothing is there
		{story: "0 A waits; 0 S clock-changed; 1 A sent; 2 A acquired"}, // its time may be over by that clock
		{story: "0 A waits; 1 A sent; 1 S granted owner=B peer=B; 2 A acquired", unasked: true},
		{story: "0 A waits; 1 A sent; 1 S granted owner=A peer=A; 2 S expired owner=A; 3 A acquired"}, // the reply is late
		{story: "0 S granted owner=A peer=A; 1 A waits; 2 A acquired"},                                // it has asked before
		{story: "0 S granted owner=A peer=A; 1 A waits; 1 A sent; 1 S extended owner=A peer=A; 2 S removed owner=A peer=B; 3 A acquired"},
		{story: takes + "; 3 A releasing; 4 A released; 5 S removed owner=A peer=A; 6 A waits; 7 A sent; 8 A acquired", unasked: true},
		{story: takes + "; 3 S extended owner=A peer=A"},
		{story: takes + "; 3 S extended owner=A peer=B", foreign: true},
		{story: takes + "; 3 S extended owner=A"},                                                    // by the server itself
		{story: has + "1 S extended owner=A peer=A keeps=0s; 3 S extended owner=A peer=B keeps=10s"}, // a repair
		{story: has + "1 S extended owner=A peer=A keeps=0s; 3 S extended owner=A peer=B keeps=10s; 4 S extended owner=A peer=B keeps=10s", foreign: true},
		{story: has + "1 S extended owner=A peer=A keeps=0s; 3 S extended owner=A peer=B keeps=1s", foreign: true},
		{story: takes + "; 3 S removed owner=A peer=B"},
		{story: takes + "; 3 A releasing; 4 A released; 5 S extended owner=A peer=A; 6 S extended owner=A peer=A", renews: true},
		{story: takes + "; 3 A releasing; 4 S extended owner=A peer=A; 5 S extended owner=A peer=A; 6 A released"},
		{story: takes + "; 6 A lost-lease; 6 A not-held", alarm: true},
		{story: takes + "; 7 A lost-lease"}, // half a lease later
		{story: takes + "; 3 A releasing; 4 A not-held", alarm: true},
		{story: takes + "; 3 A releasing; 4 A release-failed", alarm: true},
		{story: takes + "; 30 A releasing; 31 A not-held", alarm: true},       // it is there
		{story: takes + "; 30 A releasing; 31 A release-failed", alarm: true}, // it was never asked for
		{story: takes + "; 11 S expired owner=A; 30 A releasing; 31 A release-failed"},
		{story: "0 S fault-began; " + takes + "; 1.5 A replied; 30 A releasing; 30 A sent; 31 A replied; 31 A release-failed", alarm: true},
		{story: "0 S fault-began; " + takes + "; 1.5 A replied; 30 A releasing; 30 A sent; 31 A release-failed"}, // a dead connection
		{story: "0 S fault-began; " + takes + "; 1.5 A replied; 30 A releasing; 31 A release-failed"},            // which it has not used
		{story: "0 S fault-began; " + takes + "; 1.5 A replied; 30 A releasing; 30 A sent; 31 S removed owner=A peer=A; 31 A replied; 31 A release-failed"},
		{story: takes + "; 1.5 A replied; 3 S fault-began; 30 A releasing; 30 A sent; 31 A replied; 31 A release-failed"},
		{story: takes + "; 11 S expired owner=A; 30 A releasing; 31 A not-held"},
		{story: takes + "; 2 S fault-began; 30 A releasing; 31 A not-held"},
		{story: takes + "; 2 S fault-began; 3 A releasing; 4 A release-failed"},
		{story: failed + "; 3 B waits; 5 B gave-up", dead: true},
		{story: failed + "; 3 B waits; 4 B gave-up"}, // for too short a time
		{story: failed + "; 3 B waits; 4.5 B acquire-failed; 5 B gave-up", dead: true},
		{story: takes + "; 3 A releasing; 4 A released; 12 S expired owner=A", stays: true},
		{story: takes + "; 3 A releasing; 4 A released; 5 A waits; 12 S expired owner=A"},
		{story: takes + next + "; 7 B releasing; 7 B released; 16 S expired owner=B", stays: true, alarm: true}, // A's release did
		{story: takes + next + "; 12 B releasing; 12 B released; 16 S expired owner=B", stays: true},
		{story: takes + next + "; 7 B releasing; 7 B released; 8 B waits; 16 S expired owner=B", alarm: true},
		{story: takes + next + "; 6 S extended owner=B peer=B; 7 B releasing; 7 B released; 8 B waits; 16 S expired owner=B", alarm: true},
		{story: takes + next + "; 7 B releasing; 7.5 S extended owner=B peer=B; 8 B released; 9 B waits; 16 S expired owner=B"}, // on purpose
		{story: takes + "; 3 A releasing; 4 A not-held; 12 S expired owner=A", alarm: true},
		{story: takes + "; 2 S fault-began; 3 A releasing; 4 A released; 12 S expired owner=A"},
		{story: takes + "; 2 A replied; 3 A releasing; 4 A sent; 6 A released", hushed: true},
		{story: takes + "; 2 A replied; 3 A releasing; 4 A sent; 6 A release-failed", alarm: true},
		{story: takes + "; 2 A replied; 3 A releasing; 4 A sent; 4 A released"}, // the answer may be under way
		{story: takes + "; 2 A replied; 3 A releasing; 4 A sent; 5 A replied; 6 A released"},
		{story: takes + "; 2 A replied; 3 A releasing; 4 A sent; 5 S removed owner=A peer=A; 6 A released"}, // a notice is lost
		{story: takes + "; 3 A releasing; 6 A released"},                                                    // it ends with its lease
		{story: takes + "; 3 S extended owner=A peer=A keeps=15s"},
		{story: takes + "; 3 S extended owner=A peer=A keeps=16s", lease: true},
		{story: "0 A waits; 1 A sent; 1 S granted owner=A peer=A keeps=16s; 2 A acquired", lease: true},
		{story: takes + "; 3 B waits; 3 A crashed; 28 B acquired", unasked: true},
		{story: takes + "; 3 B waits; 3 B sent; 3 A crashed; 28 S granted owner=B peer=B; 28 B acquired"},
		{story: takes + "; 3 B waits; 3 B sent; 3 A crashed; 29 S granted owner=B peer=B; 29 B acquired", long: true},
		{story: takes + "; 3 A crashed; 9 B waits; 9 B sent; 29 S granted owner=B peer=B; 29 B acquired"}, // it comes late
		{story: takes + "; 3 B waits; 3 B sent; 3 A crashed; 4 S fault-began; 29 S granted owner=B peer=B; 29 B acquired"},
		{story: takes + " token=7" + next + " token=8"},
		{story: takes + " token=7" + next + " token=7", token: true},
		{story: takes + " token=7; 2 S fault-began" + next + " token=6", token: true},
		{story: takes + " token=7; 2 S fault-began; 2 S crashed" + next + " token=6"}, // which may have lost the last one
		{story: takes + " token=7; 2 S fault-began; 2 T promoted" + next + " token=6"},
		{story: takes + " token=7; 2 S fault-began; 2 S clock-changed" + next + " token=6"},
		{story: takes + " token=7; 2 S fault-began; 2 S removed owner=A; 3 A releasing; 4 A finished; 5 B waits; 5 S granted owner=B peer=B; 6 B acquired token=6"},
		{story: takes + " token=7; 2 S fault-began; 3 A releasing; 4 A finished; 5 B waits; 5 T granted owner=B peer=B; 6 B acquired token=6"},
		{story: "0 S fault-began; 0 B waits; 0 S granted owner=B peer=B; " + takes + " token=7; 3 A releasing; 4 A finished; 5 B acquired token=6"}, // told late
		{story: takes + " token=7; 3 B waits; 3 B sent; 3 S granted owner=B peer=B; 4 B acquired token=6"},                                          // two holders at once
		{story: failed}, // the first try of all
		{story: failed + "; 3 B waits; 4 B sent; 5 S granted owner=B peer=B; 6 B acquired"},
		{story: failed + "; 3 A waits; 3 A sent; 3 S granted owner=A peer=A; 3 A acquired; 4 B waits; 5 B gave-up"},
		{story: failed + "; 3 S granted owner=A peer=A; 4 B waits; 6 S expired owner=A; 20 B gave-up"},
		{story: failed + "; 3 S granted owner=A peer=A; 4 B waits; 6 S expired owner=A; 22 B gave-up", dead: true},
		{story: failed + "; 3 S fault-began; 4 B waits; 5 S fault-ended; 19 B gave-up"},
		{story: failed + "; 3 S fault-began; 4 B waits; 5 S fault-ended; 21 B gave-up", dead: true},
		{story: failed + "; 3 B waits; 4 S fault-began; 40 B gave-up"}, // its request may be the one that is lost
		{story: "0 B waits; 1 B acquire-failed; 30 B gave-up", dead: true},
		{story: "0 B waits; 1 B crashed; 2 B waits; 30 B gave-up"},
		{story: failed + "; 3 A waits; 3 A sent; 3 S granted owner=A peer=A; 4 A acquired; 5 A lost-lease; 6 S expired owner=A; 7 B waits; 30 B gave-up", dead: true, alarm: true},
		{story: has + "1 A replied; 15 A gave-up", dead: true}, // the lock was its own
		{story: has + "1 A replied; 14 A gave-up"},
		{story: has + "1 A replied; 15 S removed owner=A peer=A; 16 A acquire-failed", dead: true},
		{story: has + "1 A replied; 15 S expired owner=A; 16 A acquire-failed"},
		{story: has + "2 A replied; 16 A gave-up"}, // it heard of that late
		{story: has + "2 A replied; 17 A gave-up", dead: true},
		{story: has + "20 A gave-up"}, // or never
		{story: has + "1 A replied; 19 A sent; 20 A gave-up", dead: true},
		{story: has + "1 A replied; 1 T granted owner=B peer=B; 6 T removed owner=B peer=B; 20 A gave-up"},
		{story: has + "1 A replied; 1 S fault-began; 6 S fault-ended; 20 A gave-up"},
		{story: has + "1 A replied; 1 A acquired; 20 A releasing; 20 S removed owner=A peer=A; 20 A released"},
	} {
		s := read(historyOf(t, test.story), true, 15*time.Second)
		if got := s.unasked != ""; got != test.unasked {
			t.Errorf("%s\nunasked: %q", test.story, s.unasked)
		}
		if got := s.foreign != ""; got != test.foreign {
			t.Errorf("%s\nforeign: %q", test.story, s.foreign)
		}
		if got := s.dead != ""; got != test.dead {
			t.Errorf("%s\ndead: %q", test.story, s.dead)
		}
		if got := s.alarm != ""; got != test.alarm {
			t.Errorf("%s\nalarm: %q", test.story, s.alarm)
		}
		if got := s.stayed != ""; got != test.stays {
			t.Errorf("%s\nstays: %q", test.story, s.stayed)
		}
		if got := s.hushed != ""; got != test.hushed {
			t.Errorf("%s\nhushed: %q", test.story, s.hushed)
		}
		if got := s.lease != ""; got != test.lease {
			t.Errorf("%s\nlease: %q", test.story, s.lease)
		}
		if got := s.long != ""; got != test.long {
			t.Errorf("%s\nlong: %q", test.story, s.long)
		}
		if got := s.token != ""; got != test.token {
			t.Errorf("%s\ntoken: %q", test.story, s.token)
		}
		if got := s.renewed != ""; got != test.renews {
			t.Errorf("%s\nrenews: %q", test.story, s.renewed)
		}
	}
	if s := read(historyOf(t, failed+"; 3 B waits; 3 B sent; 5 B gave-up"), true, 0); !strings.HasSuffix(s.dead, ". Its request of 3.000 s has no answer: a request needs a time limit of its own") {
		t.Errorf("dead: %q", s.dead)
	}
	// If the entries are not known, only the requests count.
	if s := read(historyOf(t, "0 A waits; 1 A sent; 2 A acquired; 3 B waits; 4 B gave-up; 5 B waits; 9 B gave-up"), false, 0); s != (signs{}) {
		t.Errorf("%+v", s)
	}
	if s := read(historyOf(t, "0 A waits; 1 A sent; 2 A acquired; 3 A releasing; 3 A sent; 4 A released; 5 A waits; 6 A acquired"), false, 0); s.unasked == "" {
		t.Error("A acquires again without asking, and nothing is said")
	}
}

// A property that a test expects to break excuses the signs of that kind, and no others.
func TestWhatExcusesASign(t *testing.T) {
	for _, tt := range []struct {
		breaks string
		signs  signs
		want   string
	}{
		{"", signs{dead: "dead"}, "dead"},
		{MutualExclusion, signs{dead: "dead"}, "dead"},
		{Progress, signs{dead: "dead"}, ""},
		{"", signs{foreign: "foreign"}, "foreign"},
		{MutualExclusion, signs{foreign: "foreign"}, "foreign"},
		{OwnerOnlyRelease, signs{foreign: "foreign"}, ""},
		{OwnerOnlyRelease, signs{foreign: "foreign", dead: "dead"}, "dead"},
		{Progress, signs{unasked: "unasked"}, "untested: unasked"},
		{"", signs{renewed: "renewed"}, ""},
	} {
		s := &suite{breaks: map[string][]string{"x": {tt.breaks}}}
		must.Equalf(t, s.wrongly(&plan.Plan{Slug: "x"}, &result{signs: tt.signs}), tt.want,
			"breaks %q, %+v", tt.breaks, tt.signs)
	}
	s, r := &suite{}, &result{signs: signs{alarm: "alarm"}}
	for clocks, want := range [...]string{"alarm", ""} { // where a clock is wrong, there is a reason
		if got := s.wrongly(&plan.Plan{Slug: "x", Clocks: make([]plan.Clock, clocks)}, r); got != want {
			t.Errorf("%d wrong clocks: %q, want %q", clocks, got, want)
		}
	}
}

// A kind of the walk may break what the story of that kind breaks, unless the test names the kind.
// A story is left out only if another one tests as much.
func TestWhatATestKnows(t *testing.T) {
	s := &suite{breaks: map[string][]string{"pause": {MutualExclusion}, "crash": {Progress}, "walk/crash": {NoStaleWrite}}}
	for name, want := range map[string]string{"pause": MutualExclusion, "walk/pause": MutualExclusion, "crash": Progress, "walk/crash": NoStaleWrite, "walk/cut": ""} {
		must.Equalf(t, strings.Join(s.broken(name), " "), want, "%s breaks", name)
	}
	for _, tt := range []struct {
		store  locks.Store
		nodes  int
		breaks []string
		left   string
	}{
		{locks.StoreRedis, 0, nil, "minority"},
		{locks.StoreRedis, 0, []string{"pause"}, "minority"},
		{locks.StoreRedis, 0, []string{"long-work"}, "longer-work slow-reply cut-long-work late-cut-long-work skewed-long-work minority"},
		{locks.StoreRedis, 0, []string{"long-work", "slow-reply"}, "longer-work cut-long-work late-cut-long-work skewed-long-work minority"},
		{locks.StoreRedisNodes, 2, nil, "failover"},
		{locks.StoreRedisNodes, 3, nil, "failover"},
	} {
		s := &suite{breaks: map[string][]string{}}
		s.servers.Store, s.servers.Nodes = tt.store, tt.nodes
		for _, b := range tt.breaks {
			s.breaks[b] = []string{MutualExclusion}
		}
		played := s.usualStories()
		left := slices.DeleteFunc(slices.Clone(usualNames), func(n string) bool { return slices.Contains(played, n) })
		if got := strings.Join(left, " "); got != tt.left {
			t.Errorf("%v, breaks %v: without %q, want without %q", tt.store, tt.breaks, got, tt.left)
		}
	}
}

// A passed test names what it did not try, and says how the entry was followed.
func TestWhatAGreenLeavesOut(t *testing.T) {
	const always = "wrong clocks of clients; two goroutines of one client; two faults at once"
	for _, tt := range []struct {
		name, played  string
		store         locks.Store
		walk          bool
		breaks        string
		untested, not []string
		want          string
	}{
		{"all", "long-work failover", locks.StoreRedis, true, "", nil, nil, always},
		{"nothing", "pause", locks.StoreRedis, false, "", nil, nil,
			"a fault at every request; late replies in work that outlasts the lease; failover; " + always},
		{"slow replies do", "slow-reply failover", locks.StoreRedis, true, "", nil, nil, always},
		{"it breaks by long work", "long-work failover", locks.StoreRedis, true, "long-work", nil, nil,
			"late replies in work that outlasts the lease; " + always},
		{"servers without replicas", "long-work", locks.StoreRedisNodes, true, "", nil, nil, always},
		{"untested, and not judged", "long-work failover", locks.StoreRedis, true, "", []string{"pause"}, []string{Progress},
			always + "; pause tested nothing, as the test allows; progress is not judged where it is unknown, as the test says"},
	} {
		s := &suite{breaks: map[string][]string{}, walk: tt.walk, unjudged: tt.not, tally: tally{untested: tt.untested}}
		s.servers.Store = tt.store
		for name := range strings.FieldsSeq(tt.played) {
			s.plans = append(s.plans, &plan.Plan{Slug: name})
		}
		if tt.breaks != "" {
			s.breaks[tt.breaks] = []string{MutualExclusion}
		}
		must.Equalf(t, strings.Join(s.untried(), "; "), tt.want, "%s", tt.name)
	}
	for want, s := range map[string]*suite{
		"entry not followed":            {},
		"entry under the lock's name":   {followed: true},
		"entry under app:lock":          {followed: true, entry: store.Entry{Key: "app:lock"}},
		"entry in locks by resource_id": {followed: true, entry: store.Entry{Key: "lock", Table: "locks", Name: "resource_id"}},
	} {
		s.tally.clients = []int{3, 2}
		if got := s.setting(); !strings.HasSuffix(got, "2 to 3 clients; "+want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
