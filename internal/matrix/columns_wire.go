package matrix

import (
	"fmt"

	"lockstep/internal/locks"
)

// The columns in which a message is hit.

func lateReply(s subject) []sketch {
	var out []sketch
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name: of("the reply of "+c+" takes 12 s", i, len(s.Acquire)), timeout: "30s",
			faults: []string{s.inAcquire("A", "is about to send %s", i) + "; delay: reply; by: 12s"},
		})
	}
	return out
}

func lostAcquire(s subject) []sketch {
	var out []sketch
	n := len(s.Acquire)
	drop := func(i int) string { return s.inAcquire("A", "is about to send %s", i) + "; drop: reply" }
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name:   of("the reply of "+c+" is lost", i, n),
			faults: []string{drop(i)},
		})
	}
	if n >= 3 {
		s := sketch{name: fmt.Sprintf("the replies of the first %d commands are lost", n/2+1)}
		for i := range n/2 + 1 {
			s.faults = append(s.faults, drop(i))
		}
		out = append(out, s)
	}
	if s.clears() {
		out = append(out, sketch{
			name: "the reply of " + s.Acquire[0] + " is lost, and the first DEL of the others is late", work: "5s",
			faults: []string{drop(0), lateDel},
		})
	}
	// Before the reply could have been missed: A goes on to something else, and its process lives.
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name: of("the reply of "+c+" is lost, and A gives up", i, n), wait: "2s", work: "1s",
			faults: []string{drop(i)}, bare: true,
		})
	}
	return out
}

func lostRelease(s subject) []sketch {
	var out []sketch
	// The release is repeated four seconds later, and then somebody else has to be at work. A
	// new connection and a new node take ZooKeeper longer than others, however fast a script
	// is played.
	work := "5s"
	if s.Store == locks.StoreZooKeeper {
		work = "15s"
	}
	nested := []int{0}
	if s.Reentrant {
		nested = append(nested, 1)
	}
	for _, depth := range nested {
		for i, c := range s.Release {
			name := of("the reply of "+c+" in the release is lost", i, len(s.Release))
			load := []string{"release-again: 1s"}
			if depth > 0 {
				name += ", with the lock taken twice"
				load = append(load, "nested: 1")
			}
			out = append(out, sketch{
				name: name, work: work, workload: load,
				faults: []string{s.inRelease("is about to send %s", i) + "; drop: reply"},
			})
		}
	}
	return out
}
