package playground

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"

	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/scenarios"
)

// An address decodes to the text that it encodes, byte by byte.
func TestAddressesComeBack(t *testing.T) {
	for _, text := range []string{Start, "a: \"; + % # & = é 中文 %3B\"\n", "x: {y: [1, 2]} # z\n  q: a;b\n"} {
		address := Address(text)
		if strings.ContainsAny(address, " \n\"#<>[]{}") {
			t.Errorf("%q is not safe in an address", address)
		}
		if back, err := fromAddress(address); err != nil || back != text {
			t.Errorf("%q comes back as %q (%v)", text, back, err)
		}
	}
	if want := "scenario:+A+pause,+and+a+lease;locks:+%5Bset-nx-lua,+set-nx-incr-fence%5D;lease:+10s"; !strings.HasPrefix(Address(Start), want) {
		t.Errorf("an address reads %q, want %q", Address(Start), want)
	}
	if _, err := fromAddress("a%zz"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged address: %v", err)
	}
}

func TestTheFirstStoryHasATitleInBothLanguages(t *testing.T) {
	en, zh := Title(say.English), Title(say.Chinese)
	if en == "" || !strings.ContainsFunc(zh, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		t.Errorf("the titles are %q and %q", en, zh)
	}
}

// The address of a frame gives the same hashes, and so does the copied file.
func TestALinkIsTheRun(t *testing.T) {
	g := New()
	for _, name := range []string{"pause-past-lease", "redlock-and-a-jumping-clock", "split-brain", "fence-saves-the-resource", "zookeeper-herd"} {
		f := play(t, g, Request{Edit: Edit{Story: name}, Settled: true})
		f = play(t, g, Request{File: f.File, Edit: Edit{Seed: "18446744073709551615"}, Settled: true})
		link := play(t, g, Request{Address: f.Address})
		file := play(t, g, Request{Edit: Edit{Open: f.Brief}})
		for i := range f.Locks {
			if link.Locks[i].Hash != f.Locks[i].Hash || file.Locks[i].Hash != f.Locks[i].Hash {
				t.Errorf("%s with %s: %s, by its link %s, by its file %s", name, f.Locks[i].ID, f.Locks[i].Hash, link.Locks[i].Hash, file.Locks[i].Hash)
			}
		}
		if !strings.Contains(f.Brief, "anything") {
			t.Errorf("%s: the copied file has expectations:\n%s", name, f.Brief)
		}
	}
}

// Every embedded story can be played, and a lock that its file expects to break is broken.
func TestEveryStoryCanBePlayed(t *testing.T) {
	g := New()
	for _, folder := range []string{"lessons", "bugs"} {
		for _, e := range must.Get(scenarios.Files.ReadDir(folder))(t) {
			f := g.Play(context.Background(), Request{Address: StoryAddress(strings.TrimSuffix(e.Name(), ".yaml"), ""), Language: say.Chinese})
			if len(f.Problems) > 0 {
				t.Errorf("%s: %q", e.Name(), f.Problems)
				continue
			}
			data := must.Get(scenarios.Files.ReadFile(path.Join(folder, e.Name())))(t)
			p := scenariotest.Parse(t, e.Name(), string(data))
			for _, l := range f.Locks {
				said, _ := p.ExpectationsFor(l.ID)
				for _, x := range said {
					if x.Verdict == string(checker.Broken) && l.Verdict != checker.Broken {
						t.Errorf("%s: %s is to break %s, and the playground says %s: %s", e.Name(), l.ID, x.Property, l.Verdict, l.Says)
					}
				}
			}
		}
	}
}

// A fault that never fires tests nothing, so no verdict is kept.
func TestAFaultThatNeverFiresKeepsNothing(t *testing.T) {
	g := New()
	f := play(t, g, Request{Edit: Edit{Story: "get-then-del-gap"}})
	f = play(t, g, Request{File: f.File, Edit: Edit{Locks: []string{"set-nx-lua"}}}) // it never sends GET
	if l := f.Locks[0]; l.Verdict != checker.Unknown || !strings.Contains(l.Says, "never") {
		t.Errorf("%s: %s", l.Verdict, l.Says)
	}
}

// Sliders, drags and menus change the file that is played.
func TestEditsChangeTheFile(t *testing.T) {
	g := New()
	start := play(t, g, Request{})
	index := func(id string, text string) int {
		t.Helper()
		says := func(s Setting) bool { return s.ID == id && s.Text == text }
		for n := range 100 {
			f := play(t, g, Request{File: start.File, Edit: Edit{Control: id, Index: n}, Timeline: true})
			if slices.ContainsFunc(f.Controls, says) {
				return n
			}
		}
		t.Fatalf("the slider %s never says %s", id, text)
		return 0
	}
	for name, tt := range map[string]struct {
		edit Edit
		want string
	}{
		"lease":              {Edit{Control: "lease", Index: index("lease", "3 s")}, "lease: 3s"},
		"work":               {Edit{Control: "work", Index: index("work", "10 s to 12 s")}, "work: 10s..12s"},
		"pause":              {Edit{Control: "pause", Index: index("pause", "7.25 s")}, "for: 7250ms"},
		"no pause":           {Edit{Control: "pause", Index: 0}, "faults: []"},
		"latency":            {Edit{Control: "latency", Index: index("latency", "20 ms to 40 ms")}, "latency: 20ms..40ms"},
		"lag":                {Edit{Control: "lag", Index: index("lag", "500 ms")}, "lag: 500ms"},
		"clock":              {Edit{Control: "clock", Index: index("clock", "12 s")}, "jump-clock: the primary\n    by: \"+12s\""},
		"clock back":         {Edit{Control: "clock", Index: index("clock", "-3 s")}, "by: \"-3s\""},
		"seed":               {Edit{Seed: "42"}, "seed: 42"},
		"fence":              {Edit{Fence: "writes"}, "fence: writes"},
		"locks":              {Edit{Locks: []string{"redlock", "etcd-mutex"}}, "locks: [redlock, etcd-mutex]"},
		"later":              {Edit{Move: &Move{Fault: 1, By: 530}}, "after: 1550ms"},
		"never before":       {Edit{Move: &Move{Fault: 1, By: -9000}}, "after: 0s"},
		"longer":             {Edit{Move: &Move{Fault: 1, End: true, By: 1000}}, "for: 4s"},
		"gone":               {Edit{Remove: 1}, "faults: []"},
		"in a lane":          {Edit{Add: &Add{Kind: "crash", Node: "B", At: 3020}}, "- at: 3s\n    crash: B"},
		"cut off":            {Edit{Add: &Add{Kind: "cut-off", Node: "C", At: 100}}, "partition: [C, store]\n    for: 5s"},
		"server":             {Edit{Add: &Add{Kind: "cut-off", Node: "redis-1", At: 100}}, "partition: [redis-1, [A, B, C]]"},
		"failover":           {Edit{Add: &Add{Kind: "fail-over", Node: "redis-1", At: 2000}}, "fail-over: operator"},
		"lost reply":         {Edit{Add: &Add{Kind: "lose-reply", Client: "A", Command: "SET", Nth: 1}}, "- when: A is about to send SET\n    after: 0s\n    drop: reply"},
		"late":               {Edit{Add: &Add{Kind: "late-request", Client: "B", Command: "unlock", Nth: 1}}, "delay: request\n    by: 5s"},
		"in a client's lane": {Edit{Add: &Add{Kind: "lose-reply", Node: "A", At: 3000}}, "when: A is about to send unlock"},
		"on a reply":         {Edit{Add: &Add{Kind: "pause", Client: "B", Command: "SET", Nth: 2, Reply: true}}, "when: B has the reply of SET the 2nd time"},
	} {
		f := play(t, g, Request{File: start.File, Edit: tt.edit})
		if !strings.Contains(f.File, tt.want) {
			t.Errorf("%s: no %q in\n%s", name, tt.want, f.File)
		}
	}
}

// A harmless fault has a hint about what would give it an effect, until it has one.
func TestAFaultThatDoesNothingSaysWhatWould(t *testing.T) {
	g := New()
	f := play(t, g, Request{Edit: Edit{Story: "failover-forgets-the-lock"}})
	f = play(t, g, Request{File: f.File, Edit: Edit{Control: "lag", Index: 0}})
	if !strings.Contains(f.Faults, "Set a replication lag above 0 s") {
		t.Errorf("a failover without a lag: %s", f.Faults)
	}
	f = play(t, g, Request{File: f.File, Edit: Edit{Control: "lag", Index: 10}})
	if strings.Contains(f.Faults, "replication lag") {
		t.Errorf("a failover with a lag of 1 s: %s", f.Faults)
	}
	f = play(t, g, Request{})
	if !strings.Contains(f.Faults, "Pull its end past the lease.") {
		t.Errorf("a pause within the lease: %s", f.Faults)
	}
	f = play(t, g, Request{File: f.File, Edit: Edit{Move: &Move{Fault: 1, By: 300_000}}})
	if !strings.Contains(f.Faults, "It never happened") {
		t.Errorf("a pause after the end of the run: %s", f.Faults)
	}
}

// A fault is offered only for the nodes of a lock that it can hit.
func TestFaultsHaveTargets(t *testing.T) {
	g := New()
	f := play(t, g, Request{Edit: Edit{Open: "scenario: x\nlocks: [set-nx-lua, etcd-mutex]\nclients: [A, B]\n"}})
	for i, want := range []map[string]string{
		{"pause": "A B", "crash": "A B redis-1", "fail-over": "redis-1", "lose-reply": "A B"},
		{"pause": "A B", "fail-over": ""},
	} {
		for kind, nodes := range want {
			if got := strings.Join(f.Locks[i].Targets[kind], " "); got != nodes {
				t.Errorf("%s of %s can go to %q, want %q", kind, f.Locks[i].ID, got, nodes)
			}
		}
	}
}

// A request that cannot be played has its problems in the frame, and no file.
func TestWhatCannotBePlayedSaysWhy(t *testing.T) {
	g := New()
	for _, tt := range []struct {
		edit Edit
		want string
	}{
		{Edit{Open: "scenario: x\nlocks: [nothing]\n"}, "unknown lock"},
		{Edit{Open: "\x00"}, ""},
		{Edit{Story: "../secrets"}, "there is no story"},
		{Edit{Seed: "0"}, "a seed is a whole number"},
		{Edit{Fence: "nonsense"}, "fence"},
		{Edit{Locks: []string{}}, "locks is empty"},
		{Edit{Locks: []string{"a", "b", "c", "d"}}, "at most 3 locks"},
		{Edit{Control: "nothing"}, "no slider"},
		{Edit{Move: &Move{Fault: 9}}, "there is no fault 9"},
		{Edit{Add: &Add{Kind: "meteor"}}, "there is no fault"},
		{Edit{Add: &Add{Kind: "lose-reply", Node: "redis-1"}}, "drop it on an arrow"},
		{Edit{Add: &Add{Kind: "pause", Node: "nobody"}}, "nobody"},
		{Edit{Add: &Add{Kind: "pause", Node: "A\n  evil: true"}}, ""},
	} {
		f := g.Play(context.Background(), Request{Edit: tt.edit, Language: say.English})
		if len(f.Problems) == 0 || !strings.Contains(strings.Join(f.Problems, "\n"), tt.want) || f.File != "" {
			t.Errorf("%+v: %q, want %q", tt.edit, f.Problems, tt.want)
		}
	}
}

// Hostile names from a link are text in a frame.
func TestHostileNamesAreText(t *testing.T) {
	g := New()
	f := play(t, g, Request{Settled: true, Edit: Edit{Open: `scenario: "<script>alert(1)</script>"` + "\nlocks: [set-nx-lua]\nclients: [A, \"B\"]\n"}})
	data := must.Get(json.Marshal(f))(t)
	for _, html := range []string{f.Faults, f.Locks[0].Stage, f.Locks[0].Picture, f.Locks[0].Story} {
		if strings.Contains(html, "<script") {
			t.Errorf("a frame has a script: %s", html)
		}
	}
	if len(data) > 400_000 {
		t.Errorf("a frame of a small story has %d bytes", len(data))
	}
}

// Any link and any edit gets a frame or a problem, never a panic.
func FuzzRequest(f *testing.F) {
	f.Add(Address(Start), `{"control":"pause","index":3}`)
	f.Add("story=split-brain&lock=redlock", `{"add":{"kind":"pause","node":"A","at":5}}`)
	f.Add("scenario:+x;locks:+%5Bsetnx%5D", `{"move":{"fault":1,"by":-99999999999999}}`)
	g := New()
	f.Fuzz(func(t *testing.T, address, edit string) {
		r := Request{Address: address, Settled: true}
		if json.Unmarshal([]byte(edit), &r.Edit) != nil {
			t.Skip("not an edit")
		}
		frame := g.Play(context.Background(), r)
		if len(frame.Problems) == 0 && len(frame.Locks) == 0 {
			t.Error("neither a frame nor a problem")
		}
	})
}

// The end of the lease can be dragged, within limits.
func TestTheLeaseIsDragged(t *testing.T) {
	g := New()
	f := play(t, g, Request{})
	if !strings.Contains(f.Locks[0].Stage, `data-lease aria-label="lease" aria-valuemin="500"`) {
		t.Error("the end of the lease has no handle")
	}
	for _, tt := range []struct {
		by   int64
		want string
	}{{-7_510, "lease: 2500ms"}, {5_000, "lease: 15s"}, {-60_000, "lease: 500ms"}} {
		if got := play(t, g, Request{File: f.File, Edit: Edit{Lease: tt.by}}); !strings.Contains(got.File, tt.want+"\n") {
			t.Errorf("dragged by %d ms the file has no %q", tt.by, tt.want)
		}
	}
}
