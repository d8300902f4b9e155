package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
	"lockstep/internal/timeline"
)

// tape is a history by hand: a story with words of its own.
//
//	2 A acquires                an entry of 10 s on redis-1; A knows and enters 1 ms later
//	2 A acquires forever        one without an end, and A's clock is right
//	2 A releases                its own entry, by a script
//	2 A renews                  its entry for another 10 s
//	2 A asks 3 GET lock         redis-1 executes it at 3; "never": it does not receive it
//	2 A replaces GETSET lock x  the entry of another client, by that command
//	2 redis-1 grants A          an entry of 10 s; no command is seen that asked for it
//	2 redis-1 admits A          the same, and A knows 1 ms later
//	2 redis-2 copies A          the entry that A has on redis-1
//
// It may begin with its servers, of Redis, of a database or of a quorum; else there is one redis-1.
type tape struct {
	historytest.Story
	h *history.History
}

// newTape has the faults of a header, and a story.
func newTape(story string, faults ...history.Fault) *tape {
	t := &tape{h: history.New(history.Header{
		Scenario: "by hand", Lock: "set-nx-lua", Seed: 7, Backend: "sim", ScalePPM: 1_000_000,
		Lease: 10 * time.Second, Faults: faults, Store: "Redis", Topology: "replicated", Expires: true, AtOnce: true,
		Nodes: []history.Node{
			{Name: "A", Role: history.RoleClient}, {Name: "B", Role: history.RoleClient},
			{Name: "C", Role: history.RoleClient}, {Name: "probe", Role: history.RoleProbe},
			{Name: "redis-1", Role: history.RoleStore}, {Name: "resource", Role: history.RoleResource},
		},
	})}
	t.Story = historytest.Story{H: t.h, Node: t.h.Node, Entry: "lock"}
	t.Words = map[string]func(history.Instant, string, []string){
		"acquires": t.acquires, "releases": t.releases, "renews": t.renews, "asks": t.asks, "replaces": t.replaces,
		"grants": t.grants, "admits": t.admits, "copies": t.copies,
	}
	if servers, ok := strings.CutPrefix(story, "servers "); ok {
		end := strings.IndexAny(servers, ";\n")
		t.withServers(strings.Fields(servers[:end])...)
		story = servers[end:]
	}
	t.Write(story)
	return t
}

// withServers names the servers: of Redis, of a database, or of a quorum.
func (t *tape) withServers(names ...string) {
	header := &t.h.Header
	switch word, _, _ := strings.Cut(names[0], "-"); word {
	case "redis":
	case "mysql":
		header.Store, header.Expires, header.AtOnce = word, false, false
	default:
		header.Store, header.Topology, header.Expires, header.AtOnce = word, "quorum", false, false
	}
	for i := range header.Nodes {
		if header.Nodes[i].Role == history.RoleStore {
			header.Nodes[i].Name = names[0]
		}
	}
	for _, name := range names[1:] {
		header.Nodes = append(header.Nodes, history.Node{Name: name, Role: history.RoleStore})
	}
}

// at writes an event of a word. The names in it begin with #, so as not to be those of a story.
func (t *tape) at(at history.Instant, format string, args ...any) {
	t.Write(fmt.Sprintf("%dns "+format, slices.Insert(args, 0, any(at))...))
}

const ms = history.Instant(time.Millisecond)

func (t *tape) acquires(at history.Instant, who string, rest []string) {
	if len(rest) > 0 { // forever
		t.at(at-ms, "%s waits shows=%dns", who, at-ms)
		t.at(at, "redis-1 granted owner=%[2]s peer=%[2]s", who)
		t.at(at+ms, "%s acquired shows=%dns", who, at+ms)
		return
	}
	t.at(at-ms, "%s sent peer=redis-1 as=#sent text=SET lock x NX PX 10000", who)
	t.at(at, "redis-1 executed peer=%s cause=#sent as=#done text=OK", who)
	t.at(at, "redis-1 granted owner=%[2]s peer=%[2]s cause=#done lasts=10s", who)
	t.at(at+ms, "%s replied peer=redis-1 cause=#done text=OK", who)
	t.at(at+ms, "%s acquired", who)
	t.at(at+ms, "%s entered", who)
}

func (t *tape) releases(at history.Instant, who string, _ []string) {
	t.at(at, "%s releasing", who)
	t.at(at, "%s sent peer=redis-1 as=#sent text=EVAL unlock lock x", who)
	t.at(at+ms, "redis-1 executed peer=%s cause=#sent as=#done text=(integer) 1", who)
	t.at(at+ms, "redis-1 removed owner=%[2]s peer=%[2]s cause=#done", who)
	t.at(at+2*ms, "%s released", who)
}

func (t *tape) renews(at history.Instant, who string, _ []string) {
	t.at(at-ms, "%[2]s asks %[3]dns EVAL renew lock %[2]s", who, at)
	t.at(at, "redis-1 extended owner=%[2]s peer=%[2]s cause=#done lasts=10s", who)
}

func (t *tape) asks(at history.Instant, who string, rest []string) {
	t.at(at, "%s sent peer=redis-1 as=#sent text=%s", who, strings.Join(rest[1:], " "))
	if rest[0] == "never" {
		return
	}
	t.Write(rest[0] + " redis-1 executed peer=" + who + " cause=#sent as=#done text=(nil)")
}

func (t *tape) replaces(at history.Instant, who string, rest []string) {
	t.at(at-ms, "%s asks %dns %s", who, at, strings.Join(rest, " "))
	t.at(at, "redis-1 granted owner=%[2]s peer=%[2]s cause=#done", who)
	t.at(at+ms, "%s acquired", who)
}

func (t *tape) grants(at history.Instant, server string, rest []string) {
	t.at(at, "%s granted owner=%s lasts=10s", server, rest[0])
}

func (t *tape) admits(at history.Instant, server string, rest []string) {
	t.grants(at, server, rest)
	t.at(at+ms, "%s acquired", rest[0])
}

func (t *tape) copies(at history.Instant, server string, rest []string) {
	t.at(at, "%s replicated owner=%s peer=redis-1 lasts=10s", server, rest[0])
}

// steps explains the tape.
func (t *tape) steps(findings ...checker.Finding) []Step {
	return Steps(timeline.Of(t.h), findings)
}

// breaks makes a finding of one violation.
func breaks(property string, from, to history.Instant, clients []history.NodeID, events ...int32) checker.Finding {
	return checker.Finding{
		Property: property, Verdict: checker.Broken, Count: 1,
		Violations: []checker.Violation{{From: from, To: to, Clients: clients, Events: events}},
	}
}
