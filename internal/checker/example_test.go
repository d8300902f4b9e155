package checker_test

import (
	"fmt"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// A pause that outlives the lease, as the simplest of histories: A acquires and
// freezes, its lease ends, B acquires, and A wakes up and writes.
func Example() {
	const a, b, resource = 1, 2, 3
	h := history.New(history.Header{
		Lease: 10 * time.Second,
		Nodes: []history.Node{
			{Name: "A", Role: history.RoleClient},
			{Name: "B", Role: history.RoleClient},
			{Name: "account", Role: history.RoleResource},
		},
	})
	at := func(s int64) history.Instant { return history.Instant(s * int64(time.Second)) }
	h.Add(history.Event{At: at(0), Node: a, Kind: history.Acquired, Cause: history.NoCause})
	h.Add(history.Event{At: at(1), Node: b, Kind: history.Waits, Cause: history.NoCause})
	h.Add(history.Event{At: at(10), Node: b, Kind: history.Acquired, Cause: history.NoCause})
	h.Add(history.Event{At: at(15), Node: resource, Peer: a, Kind: history.WriteAccepted, Cause: history.NoCause})
	h.Add(history.Event{At: at(15), Node: a, Kind: history.Releasing, Cause: history.NoCause})

	j := checker.Judge(h)
	fmt.Println("outcome", j.Letter, "after an overlap of", j.Overlap)
	for _, f := range j.Findings {
		fmt.Printf("%s: %s %q\n", f.Property, f.Verdict, f.Reason.English())
		for _, v := range f.Violations {
			fmt.Println("  from", v.From, "to", v.To, "by", h.Name(v.Clients[0]))
		}
	}
	// Output:
	// outcome V after an overlap of 5s
	// mutual-exclusion: broken ""
	//   from 10.000 s to 15.000 s by B
	// no-lost-update: unknown "the history does not say which read a write was computed from"
	// no-stale-write: broken ""
	//   from 15.000 s to 15.000 s by A
	// owner-only-release: unknown "no client's command removed an entry"
	// progress: unknown "the history has no quiet period"
}
