package claims

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
	"lockstep/internal/say"
)

// etcd's model cannot contradict itself, so these histories are written by hand.
func TestContradictionsAreNoticed(t *testing.T) {
	tests := []struct {
		name, story    string
		replies, wrong int64
	}{
		{"one after the other", `0 A sent value=1; 1 A replied value=1 text=succeeded, revision 4
			2 A sent value=2; 3 A replied value=2 text=revision 4, lock created 3`, 2, 0},
		{"an old answer to a later question", `0 A sent value=1; 1 A replied value=1 text=succeeded, revision 4
			2 A sent value=2; 3 A replied value=2 text=revision 3`, 2, 1},
		{"an old answer to a question of that time", `0 A sent value=1; 1 A sent value=2
			2 A replied value=1 text=succeeded, revision 4; 3 A replied value=2 text=revision 3`, 2, 0},
		{"answers without a revision", "0 A sent value=1; 1 A replied value=1 text=lease 7, TTL 10", 0, 0},
		{"two entries at once", "0 S granted text=lock; 1 S granted text=lock", 0, 1},
		{"two entries in turn", `0 S granted text=lock; 1 S expired text=lock
			2 S granted text=lock; 3 S removed text=lock`, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Run{}
			r.History = historytest.Read(tt.story)
			if replies, wrong := r.contradictions(); replies != tt.replies || wrong != tt.wrong {
				t.Errorf("got %d replies, %d of them wrong; want %d, %d", replies, wrong, tt.replies, tt.wrong)
			}
		})
	}
}

// The two clients of a lock in the simulator: A's round takes 2 ms, 1 s and 2 ms, and B asks 100 ms
// later and gets the lock at its next try.
func TestQuestions(t *testing.T) {
	s := sketch("set-nx-lua")
	s.Clients, s.Work, s.Latency = "[A, B]", "1s", "1ms"
	pair := runsOf(t, &Lab{}, play{Sketch: s, Seeds: 1})[0]
	alone := func(lock string) *Run { return runsOf(t, &Lab{}, play{Sketch: sketch(lock), Seeds: 1, Alone: true})[0] }
	var asked, got history.Instant // B's, in its only round
	for _, e := range pair.History.Events {
		switch {
		case pair.History.Name(e.Node) != "B":
		case e.Kind == history.Waits:
			asked = e.At
		case e.Kind == history.Acquired:
			got = e.At
		}
	}
	luaAlone, redlockAlone, zkAlone := alone("set-nx-lua"), alone("redlock"), alone("zk-ephemeral")
	const ms = int64(time.Millisecond)
	for _, tt := range []struct {
		run      *Run
		question string
		want     any
	}{
		{pair, `times("waits by A", "acquired by A")`, []int64{2 * ms}},
		{pair, `times("acquired by A", "releasing by A")`, []int64{1004 * ms}},
		{pair, `times("releasing by A", "done by A")`, []int64{2 * ms}},
		{pair, `took("first sent SET by B answered (nil)")`, []int64{2 * ms}},
		{pair, `took("sent by B", "sent unlock by A")`, []int64{}},
		{pair, `answer("sent SET by B")`, text{say.Both{English: "(nil)"}, history.Answer{Nil: true}}},
		{pair, `count("sent SET by B answered OK")`, int64(1)},
		{pair, `count("sent SET by B") - count("sent SET by B not answered OK")`, int64(1)},
		{pair, `count("sent SET | sent unlock") == count("asks")`, int64(1)},
		{pair, `count("granted lasting of A")`, int64(1)},
		{pair, `count("removed by A of another")`, int64(0)},
		{pair, `between("acquired", 0, "done by A")`, int64(1)},
		{pair, `between("acquired by clients", "done by A")`, int64(1)},
		{pair, `between("acquired", 0, "promoted")`, int64(0)},
		{pair, "rounds", int64(2)}, // the probe's is none
		{pair, "overlapped || foreign || stuck", int64(0)},
		{pair, "patience", []int64{2 * ms, int64(got.Sub(asked))}},
		{luaAlone, "cost", slices.Repeat([]int64{4 * ms}, 6)}, // a client's first round is left out
		{luaAlone, "requests", slices.Repeat([]int64{2}, 6)},
		// 5 nodes one after the other, two messages each.
		{redlockAlone, "cost", slices.Repeat([]int64{20 * ms}, 6)},
		{redlockAlone, "requests", slices.Repeat([]int64{10}, 6)},
		// A client of the leader waits for two messages of its own and two between
		// servers, the other two clients for two more.
		{zkAlone, "cost", []int64{8 * ms, 8 * ms, 12 * ms, 12 * ms, 12 * ms, 12 * ms}},
	} {
		if got := tt.run.ask(tt.question); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", tt.question, got, tt.want)
		}
	}
}

// The Redlock that asks all nodes at once exists for its costs, but it has to be a lock.
func TestParallelRedlockIsALock(t *testing.T) {
	s := sketch("redlock")
	s.Workload, s.Work = []string{"repeat: 3 times"}, "200ms"
	for i, r := range runsOf(t, &Lab{}, play{Sketch: s, Variant: "redlock at once"}) {
		if len(r.rounds()) != 9 || r.Overlapped() || r.ForeignRelease() || r.Stuck() || !r.Waited {
			t.Errorf("seed %d: %d rounds, %s", i+1, len(r.rounds()), r.Letter)
		}
	}
	// Two nodes are no majority, three are one.
	s = sketch("redlock")
	s.Faults = []string{"at: 0s; partition: [[A, redis-1, redis-2], [B, C, redis-3, redis-4, redis-5]]; for: 20s"}
	for i, r := range runsOf(t, &Lab{}, play{Sketch: s, Seeds: 5, Variant: "redlock at once"}) {
		early := r.ask(`between("acquired by B,C", 0, 20*s)`)
		if len(r.rounds()) != 3 || early != int64(2) || r.Overlapped() {
			t.Errorf("two nodes and three, seed %d: %d rounds, %d of them on the side of the three, %s", i+1, len(r.rounds()), early, r.Letter)
		}
	}
}

// Each step is a write: of which version, computed from which.
func TestLostCountsWhatTheLastVersionDoesNotComeFrom(t *testing.T) {
	for _, tt := range []struct {
		name           string
		writes         [][2]int64 // from, to
		lost, accepted int
	}{
		{"no writes", nil, 0, 0},
		{"one after the other", [][2]int64{{0, 1}, {1, 2}, {2, 3}}, 0, 3},
		{"the second has not seen the first", [][2]int64{{0, 1}, {0, 2}}, 1, 2},
		{"one outdated write loses two", [][2]int64{{0, 1}, {1, 2}, {0, 3}, {3, 4}}, 2, 4},
		{"a version that is its own ancestor", [][2]int64{{1, 1}}, 0, 1},
	} {
		h := &history.History{}
		for _, w := range tt.writes {
			h.Events = append(h.Events,
				history.Event{Kind: history.ReadDone, Value: w[0], Cause: history.NoCause},
				history.Event{Kind: history.WriteAccepted, Value: w[1], Cause: int32(len(h.Events))})
		}
		if lost, accepted := Lost(h); lost != tt.lost || accepted != tt.accepted {
			t.Errorf("%s: %d of %d lost, want %d of %d", tt.name, lost, accepted, tt.lost, tt.accepted)
		}
	}
}
