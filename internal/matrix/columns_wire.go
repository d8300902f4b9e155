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
			name: of(both("the reply of "+c+" takes 12 s", c+" 的回复走了 12 秒"), i, len(s.Acquire)), timeout: "30s",
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
			name:   of(both("the reply of "+c+" is lost", c+" 的回复丢失"), i, n),
			faults: []string{drop(i)},
		})
	}
	if n >= 3 {
		s := sketch{name: both(fmt.Sprintf("the replies of the first %d commands are lost", n/2+1), fmt.Sprintf("前 %d 条命令的回复都丢失", n/2+1))}
		for i := range n/2 + 1 {
			s.faults = append(s.faults, drop(i))
		}
		out = append(out, s)
	}
	if s.clears() {
		out = append(out, sketch{
			name: both("the reply of "+s.Acquire[0]+" is lost", s.Acquire[0]+" 的回复丢失").And(lateDelName), work: "5s",
			faults: []string{drop(0), lateDel},
		})
	}
	// Before the reply could have been missed: A goes on to something else, and its process lives.
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name: of(both("the reply of "+c+" is lost, and A gives up", c+" 的回复丢失，A 放弃"), i, n), wait: "2s", work: "1s",
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
			name := of(both("the reply of "+c+" in the release is lost", "释放时 "+c+" 的回复丢失"), i, len(s.Release))
			load := []string{"release-again: 1s"}
			if depth > 0 {
				name = name.And(both(", with the lock taken twice", "，锁拿了两次"))
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
