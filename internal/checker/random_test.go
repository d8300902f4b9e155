package checker

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"lockstep/internal/history"
)

// cast names all nodes, first three clients and the probe.
const cast = "0 A waits peer=B owner=C; 0 P waits peer=D owner=E; 0 F waits peer=G owner=S; " +
	"0 T waits peer=U owner=R; 0 Q waits; "

// further has what few rows of tables have: faults, some without an end, and what comes with them.
var further = []row{
	{give: contended + underFault + quietEnd},
	{give: "0 A fault-began value=1; 0 A froze; 5 B fault-began value=2; 5 B crashed" +
		"; 9 A thawed; 9 A fault-ended value=1; 9 A finished"},
}

// stories are the events of all rows, by property.
var stories = sync.OnceValue(func() (out [][][]history.Event) {
	add := func(rows []row) {
		var list [][]history.Event
		for _, tt := range rows {
			if story := parse(cast + tt.give).Events[len(parse(cast).Events):]; len(story) > 0 {
				list = append(list, story)
			}
		}
		if list != nil { // else TestEveryPropertyIsTried says so
			out = append(out, list)
		}
	}
	for _, p := range All() {
		add(tables[p.ID])
	}
	add(further)
	return out
})

// randomHistory joins pieces of rows, whose clients it exchanges, and changes some events, by
// asking pick for numbers in [0, n). Events drawn one by one would leave most properties unknown.
func randomHistory(pick func(n int) int, events int) *history.History {
	h := parse(cast)
	h.Events = h.Events[:0]
	jumps, changes := 32>>pick(6), 32>>pick(6) // one event in so many
	once := func(in int) bool { return pick(in) == in-1 }
	var story []history.Event
	var where []int32 // the story's events so far are these of h; NoCause for what was left out
	at, shift := history.Instant(0), 0
	for len(h.Events) < events {
		if len(where) == len(story) || once(jumps) {
			of := stories()[pick(len(stories()))]
			story, shift = of[pick(len(of))], pick(3)
			where = slices.Repeat([]int32{history.NoCause}, pick(2)*pick(len(story)))
		}
		i := len(where)
		e, step := story[i], story[i].At-story[max(i-1, 0)].At
		if i == 0 || once(changes) { // below, at and above the lease of 10 s
			step = history.Instant([]int{0, 0, 5, 10, 20, 40}[pick(6)]) * 1e9
		}
		at += step
		e.At, e.Node, e.Peer, e.Owner = at, another(e.Node, shift), another(e.Peer, shift), another(e.Owner, shift)
		if e.Cause >= 0 && int(e.Cause) < i {
			e.Cause = where[e.Cause]
		} else {
			e.Cause = history.NoCause
		}
		if once(changes) {
			change(&e, pick, len(h.Events))
		}
		if once(2 * changes) {
			where = append(where, history.NoCause)
			continue
		}
		where = append(where, h.Add(e))
	}
	return h
}

// another exchanges the first three clients.
func another(id history.NodeID, shift int) history.NodeID {
	if id < 1 || id > 3 {
		return id
	}
	return 1 + (id-1+history.NodeID(shift))%3
}

// change changes one field of an event that has i before it.
func change(e *history.Event, pick func(n int) int, i int) {
	client := history.NodeID(pick(5)) // 0 is no client
	switch field := pick(6); {
	case field == 0:
		e.Cause = int32(pick(i+1)) - 1
	case field == 1:
		e.Value = int64(pick(4))
	case field == 2:
		e.Token = int64(pick(4))
	case field == 3 && 1 <= e.Node && e.Node <= 4:
		e.Node = max(client, 1)
	case field == 4 && e.Peer <= 4:
		e.Peer = client
	case field == 5 && e.Owner <= 4:
		e.Owner = client
	}
}

// Random histories that leave a property unknown, or on which a wrong check says the same, compare
// nothing.
func TestCheckersAgreeWithDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n, verdicts, missed := rounds(t, 20_000), map[string]int{}, map[string][]string{}
	for id := range oracles {
		missed[id] = slices.Clone(mutations[id])
	}
	for range n {
		h := randomHistory(r.IntN, 1+r.IntN(30))
		if compare(h) != "" {
			h = smallest(h)
			t.Fatalf("%s\n%s", compare(h), describe(h))
		}
		for _, p := range All() {
			f := p.Check(h)
			verdicts[p.ID+" "+string(f.Verdict)]++
			missed[p.ID] = slices.DeleteFunc(missed[p.ID], func(bug string) bool {
				return show(h, oracles[p.ID](h, bug)) != show(h, f)
			})
		}
	}
	for _, p := range All() {
		for _, v := range []Verdict{Kept, Broken} {
			if got := verdicts[p.ID+" "+string(v)]; got < n/400 {
				t.Errorf("%s is %s in %d of %d random histories and unknown in %d: they are pieces of tables, so add rows"+
					" in which it is %[2]s, with the events that its check reads and times about its bounds",
					p.ID, v, got, n, verdicts[p.ID+" unknown"])
			}
		}
		if len(missed[p.ID]) > 0 && !testing.Short() {
			t.Errorf("no random history of %d tells the check of %s from one that %q", n, p.ID, missed[p.ID])
		}
	}
}
