package real

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
)

// exchange is one command of a client to a server, with its reply.
type exchange struct {
	client, server history.NodeID
	sent, done     int64
	command, reply string // no reply when empty
}

func played(t *testing.T, list []exchange, more ...entry) []entry {
	var out []entry
	for i, x := range list {
		e := entry{call: int64(i + 1), server: x.server}
		said := x.command
		if strings.HasPrefix(said, "EVAL") { // all of these compare with their last word
			said += " owner=" + said[strings.LastIndex(said, " ")+1:]
		}
		e.ask(t, said)
		e.Event = history.Event{At: history.Instant(x.sent), Kind: history.Sent, Node: x.client}
		out = append(out, e)
		e.At, e.Kind = history.Instant(x.done), history.Replied
		e.hear(x.reply)
		if x.reply == "" {
			e.Kind = history.TimedOut
		}
		out = append(out, e)
	}
	out = append(out, more...)
	inOrder(out)
	return out
}

func befell(kind history.Kind, server history.NodeID, at int64, empty bool) entry {
	return entry{Event: history.Event{Kind: kind, Node: server, At: history.Instant(at)}, empty: empty}
}

func TestGrantsOfNodes(t *testing.T) {
	const ms = int64(time.Millisecond)
	aSet := exchange{1, 8, 0, 2, "SET lock aaaa PX 10 NX", "OK"}
	died := []entry{befell(history.Crashed, 8, 4*ms, false), befell(history.Restarted, 8, 5*ms, true)}
	kept := []entry{befell(history.Crashed, 8, 4*ms, false), befell(history.Restarted, 8, 5*ms, false)}
	late := []entry{befell(history.Crashed, 8, 11*ms, false), befell(history.Restarted, 8, 12*ms, true)}
	tests := []struct {
		name string
		give []entry
		want []string
	}{
		{"each node that says OK, believed or not", played(t, []exchange{aSet, {1, 9, 3, 4, "SET lock aaaa PX 10 NX", "(nil)"}, {1, 10, 5, 6, "SET lock aaaa PX 10 NX", ""}}),
			[]string{"2 granted 1 by 1 on 8"}},
		{"the token says whose entry was removed", played(t, []exchange{aSet, {1, 9, 3, 4, "SET lock aaaa PX 10 NX", "OK"}, {1, 8, 50, 51, "EVAL unlock lock aaaa", "(integer) 1"}, {1, 9, 52, 53, "EVAL unlock lock aaaa", "(integer) 0"}}),
			[]string{"2 granted 1 by 1 on 8", "4 granted 1 by 1 on 9", "51 removed 1 by 1 on 8"}},
		{"a token that two clients use says nothing", played(t, []exchange{aSet, {2, 9, 3, 4, "SET lock aaaa PX 10 NX", "OK"}}), nil},
		{"Redisson's script grants with nil", played(t, []exchange{{1, 8, 0, 2, "EVAL lock lock 100 uuid-a:1", "(nil)"}, {2, 8, 3, 4, "EVAL lock lock 100 uuid-b:1", "(integer) 99"}}),
			[]string{"2 granted 1 by 1 on 8"}},
		{"a node that comes back empty has forgotten", played(t, []exchange{aSet}, died...),
			[]string{"2 granted 1 by 1 on 8", fmt.Sprint(5*ms, " forgotten 1 by 0 on 8")}},
		{"one that comes back with its data has not", played(t, []exchange{aSet}, kept...), []string{"2 granted 1 by 1 on 8"}},
		{"an entry whose time was up was not forgotten", played(t, []exchange{aSet}, late...), []string{"2 granted 1 by 1 on 8"}},
		{"a release on its way may have removed it", played(t, []exchange{aSet, {1, 8, 3, 9, "EVAL unlock lock aaaa", ""}}, died...), []string{"2 granted 1 by 1 on 8"}},
		{"a release on its way to another node has not", played(t, []exchange{aSet, {1, 9, 3, 9, "EVAL unlock lock aaaa", ""}}, died...),
			[]string{"2 granted 1 by 1 on 8", fmt.Sprint(5*ms, " forgotten 1 by 0 on 8")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := deriveNodes(tt.give, 10*time.Millisecond, outside{})
			inOrder(out)
			wantGrants(t, out, tt.want)
		})
	}
}

func wantGrants(t *testing.T, out []entry, want []string) {
	t.Helper()
	var got []string
	for _, e := range out {
		got = append(got, fmt.Sprintf("%d %v %d by %d on %d", e.At, e.Kind, e.Owner, e.Peer, e.Node))
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestAnEvictionIsByNobody(t *testing.T) {
	eviction := func(removed int64) []*command {
		return []*command{{server: 8, sent: 5, done: 6, answered: true, releasing: true, refused: removed == 0, answer: history.Number(removed)}}
	}
	give := played(t, []exchange{{1, 8, 0, 2, "SET lock aaaa PX 10 NX", "OK"}})
	wantGrants(t, deriveNodes(give, time.Second, outside{evictions: eviction(1)}), []string{"2 granted 1 by 1 on 8", "6 removed 1 by 0 on 8"})
	wantGrants(t, deriveNodes(give, time.Second, outside{evictions: eviction(0)}), []string{"2 granted 1 by 1 on 8"})
}
