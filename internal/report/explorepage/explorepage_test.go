package explorepage_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/measured"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/say"
)

// someWalk is a walk of three locks: one that breaks in several ways, one that does not, one
// that was not walked to the end.
func someWalk() *measured.Explored {
	set := func(kinds ...string) measured.CutSet {
		return measured.CutSet{Kinds: kinds, Shown: measured.Shown{World: "plain", Story: "scenarios/cutsets/a.yaml", Text: strings.Join(kinds, " and then ")}}
	}
	none := []measured.CutSet{}
	return &measured.Explored{
		Schema: 1,
		Scope:  measured.Scope{Worlds: []measured.BaseWorld{{Name: "plain", Summary: "2 rounds, so that what is late of the first meets the second"}}, Faults: 2, Clients: 2, Rounds: 1},
		Locks: []measured.ExploredLock{
			{Lock: "set-nx-lua", Walked: 12, Complete: 2, Breaks: map[string][]measured.CutSet{
				"believe": []measured.CutSet{set("pause"), set("lost-request", "restart")}, "damage": []measured.CutSet{set("pause")}, "robbed": none, "stuck": none,
			}},
			{Lock: "etcd-mutex", Walked: 7, Complete: 2, Breaks: map[string][]measured.CutSet{"believe": none, "damage": none, "robbed": none, "stuck": none}},
			{Lock: "<script>alert(1)</script>", Walked: 1, Complete: 0, Cut: 3, Breaks: map[string][]measured.CutSet{"believe": none}},
		},
	}
}

func TestPageOfAWalk(t *testing.T) {
	kinds := []explorepage.Kind{{Name: "pause", Summary: "A client's process stands still for longer than a lease."}, {Name: "restart", Summary: "A server restarts with what its persistence kept."}}
	costs := map[string]measured.Cost{
		"set-nx-lua": {Servers: 2, Acquire: 1, Release: 1, DeadHolder: 10*time.Second + 12*time.Millisecond},
		"etcd-mutex": {Servers: 3, Acquire: 4, Release: 2, DeadHolder: -1},
	}
	page, err := explorepage.HTML(someWalk(), kinds, costs, say.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"3 locks and 20 schedules of faults", "every pair for 2", "none up to 2", "not walked", "3 with an unknown outcome", "lost-request &#43; restart",
		`data-kinds="lost-request restart"`, "simulate run scenarios/cutsets/a.yaml --lock set-nx-lua", "What can happen to the servers", "set-nx-lua-believe-2",
		"2 servers", "1 round trip to acquire, 1 to release", "a dead holder keeps it for 10 s", "4 round trips to acquire, 2 to release", "a dead holder keeps it for ever",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"<script>alert", "none up to 0"} {
		if strings.Contains(string(page), never) {
			t.Errorf("the page has %q", never)
		}
	}
	page, err = explorepage.HTML(someWalk(), kinds, costs, say.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	if text := regexp.MustCompile(`>[^<>]*[a-z]+ [a-z]+ [a-z]+[^<>]*<`).FindString(regexp.MustCompile(`(?s)<script.*?</script>|<style>.*?</style>|<p>Set.*?</p>|<details.*?</details>`).ReplaceAllString(string(page), "")); text != "" {
		t.Errorf("the Chinese page says in English: %s", text)
	}
}
