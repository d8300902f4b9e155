package explorepage_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// someWalk has five locks: one that breaks in several ways, one that survives, one with some pairs
// drawn at random, a misprint, and one that was not fully searched.
func someWalk() *results.Explored {
	set := func(kinds ...string) results.CutSet {
		return results.CutSet{Kinds: kinds, Shown: results.Shown{Profile: "plain", Name: "set-nx-lua/pause", Text: "no fault"}}
	}
	none := []results.CutSet{}
	return &results.Explored{
		Schema: 1,
		Scope:  results.Scope{Profiles: []results.Profile{{Name: "plain", Summary: "2 rounds, so that late messages of the first meet the second"}}, Faults: 2, Clients: 2, Rounds: 1},
		Locks: []results.ExploredLock{
			{Lock: "set-nx-lua", Tally: results.Tally{Walked: 12}, Complete: 2, Breaks: map[string][]results.CutSet{
				"overlap": []results.CutSet{set("pause"), set("lost-request", "restart")}, "damage": []results.CutSet{set("pause")}, "foreign-release": none, "no-progress": none,
			}},
			{Lock: "etcd-mutex", Tally: results.Tally{Walked: 7}, Complete: 2, Searched: results.Complete, Together: []results.Searched{
				{Profile: "plain", How: results.Complete, Tally: results.Tally{Walked: 7}}, {Profile: "just-within", How: results.Complete, Tally: results.Tally{Walked: 9}},
				{Profile: "twice", How: results.Sampled, Drawn: results.Drawn{Each: 30, Of: 1000}, Tally: results.Tally{Walked: 90}, AtMost: 0.1},
			}, Breaks: map[string][]results.CutSet{"overlap": none, "damage": none, "foreign-release": none, "no-progress": none}},
			{Lock: "redlock", Complete: 2, Searched: results.Sampled, Together: []results.Searched{
				{Profile: "plain", How: results.Complete, Tally: results.Tally{Walked: 7}}, {Profile: "just-within", How: results.Sampled, Drawn: results.Drawn{Each: 3}, AtMost: 0.5}, {Profile: "nested", How: results.NotSearched},
			}, Breaks: map[string][]results.CutSet{"overlap": none, "damage": none, "foreign-release": none, "no-progress": none}},
			{Lock: "lit-etcd-key", Complete: 2, Breaks: map[string][]results.CutSet{"overlap": {set()}, "damage": none, "foreign-release": none, "no-progress": none}},
			{Lock: "<script>alert(1)</script>", Tally: results.Tally{Walked: 1, Cut: 3}, Breaks: map[string][]results.CutSet{"overlap": none}},
		},
	}
}

func TestPageOfAWalk(t *testing.T) {
	costs := map[string]results.Cost{
		"set-nx-lua": {Servers: 2, Acquire: 1, Release: 1, DeadHolder: 10*time.Second + 12*time.Millisecond},
		"etcd-mutex": {Servers: 3, Acquire: 4, Release: 2, DeadHolder: -1},
	}
	page := must.Get(explorepage.HTML(&advice.Facts{Explored: someWalk(), Costs: costs}, nil, say.English))(t)
	reporttest.Has(t, string(page),
		`<details class="fold"><summary>4 locks, 20 schedules searched: each lock with its shortest stories</summary>`, `<small>set-nx-lua</small>`,
		`value="payments" data-refuses="no"`, `value="sql" data-refuses="yes"`, "But an idempotency key derived from the order", "It matters only if two at once do damage.",
		"4 locks and 20 schedules of faults", "every pair in plain and just-within for 1", "none found (up to 2 faults)", "not searched", "none found",
		`<small class="complete">all pairs in plain and just-within</small><small class="sampled">some drawn in 1 profile (1 in 10 at most)</small>`,
		`<small class="sampled">some drawn in 1 profile (1 in 2 at most)</small><small class="not-searched">none searched in nested</small>`,
		`data-survives="sampled" data-store="redis-nodes"`, `name="store" value="etcd"`, "The course: misprints", `<details id="lock-lit-etcd-key">`, "3 with an unknown outcome", "lost-request &#43; restart",
		`<span class="none not-searched">none found (up to 2 faults)</span>`, `<span class="none sampled">not searched</span>`, // as its schedules were cut
		`data-kinds="lost-request restart"`, "simulate run set-nx-lua/pause", "What can happen to the servers", "set-nx-lua-overlap-2",
		"2 servers", "1 round trip to acquire, 1 to release", "a dead holder keeps it for 10 s", "4 round trips to acquire, 2 to release", "a dead holder keeps it for ever",
	)
	reporttest.Lacks(t, string(page), "<script>alert", "up to 0 faults", `<a href="#lock-lit-etcd-key"`)
	page = must.Get(explorepage.HTML(&advice.Facts{Explored: someWalk(), Costs: costs}, someLibraries(), say.Chinese))(t)
	for _, text := range reporttest.English(page) {
		if left := reporttest.EnglishRuns(text); len(left) > 0 && !strings.Contains(text, "{") { // names of kinds, and data of the script
			t.Errorf("the Chinese page says in English: %q in %s", left, text)
		}
	}
}

// someLibraries are one that was searched, which a pause alone breaks, and one that was not.
func someLibraries() []*results.Library {
	walked, not := &results.Library{Schema: results.Schema}, &results.Library{Schema: results.Schema}
	walked.Lock, walked.Library, walked.Version = "redsync", "example.org/redsync", "v4.1.0"
	not.Lock = "etcd-concurrency"
	none := []results.CutSet{}
	walked.Walk = &results.Explored{Schema: 1, Scope: results.Scope{Faults: 1}, Locks: []results.ExploredLock{{
		Lock: "redsync", Tally: results.Tally{Walked: 34}, Complete: 1, Breaks: map[string][]results.CutSet{
			"overlap": {{Kinds: []string{"pause"}, Shown: results.Shown{Profile: "plain", Text: "pause A for 12s"}}}, "damage": none, "foreign-release": none, "no-progress": none,
		},
	}}}
	return []*results.Library{walked, not}
}

// Libraries follow the locks and never survive, since they were searched in one profile with one
// fault. Their stories have no file, so no command.
func TestLibrariesAreOnThePageOfAWalk(t *testing.T) {
	page := must.Get(explorepage.HTML(&advice.Facts{Explored: someWalk()}, someLibraries(), say.English))(t)
	text := string(page)
	rows := regexp.MustCompile(`<tr data-unknown="([^"]*)" data-survives="[^"]*" data-store="[^"]*"><th scope="row"><a href="#lock-([^"]*)">`).FindAllStringSubmatch(text, -1)
	if len(rows) != 6 { // the misprint has none
		t.Fatalf("%d rows, want 6", len(rows))
	}
	for i, want := range [][2]string{{"searched with one fault in the plain profile only", "redsync"}, {"not searched", "etcd-concurrency"}} {
		if got := rows[4+i]; got[1] != want[0] || got[2] != want[1] {
			t.Errorf("row %d is of %s and says %q, want %s and %q", 5+i, got[2], got[1], want[1], want[0])
		}
	}
	reporttest.Has(t, text, "example.org/redsync v4.1.0", "After them 2 Go libraries running their own code", "34 schedules searched", "pause A for 12s", "none found (up to 1 fault)")
	if strings.Contains(text, "--lock redsync") {
		t.Error("the page has a command for a story that no simulator can play")
	}
}
