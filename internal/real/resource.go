package real

import (
	"sync"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
)

// resource is the guarded resource: one version counter in the harness, where no fault
// reaches it. With a fence it refuses tokens lower than one it has seen; a token of 0
// comes from a lock without tokens and passes.
type resource struct {
	h     *harness
	fence plan.Fence

	mu      sync.Mutex
	version int64
	highest int64           // token
	reads   int             // number of reads
	read    map[*client]int // the number of each client's last read
}

func (r *resource) doRead(c *client, token int64) (version int64, failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	checks := r.fence == plan.FenceReadsAndWrites
	if checks && r.stale(token) {
		return 0, r.refuse(c, token)
	}
	if checks {
		r.highest = max(r.highest, token)
	}
	r.reads++
	r.read[c] = r.reads
	r.note(c, history.ReadDone, token, r.version)
	return r.version, ""
}

func (r *resource) doWrite(c *client, token int64) (failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fence != plan.FenceNone && r.stale(token) {
		return r.refuse(c, token)
	}
	r.highest = max(r.highest, token)
	r.version++
	r.note(c, history.WriteAccepted, token, r.version)
	return ""
}

func (r *resource) stale(token int64) bool { return token > 0 && token < r.highest }

func (r *resource) refuse(c *client, token int64) string {
	r.note(c, history.WriteRefused, token, r.highest)
	return proto.FencedError
}

// note records an event of the resource; r.mu is held, which orders the events. An accepted
// write finds its cause by the number of the read.
func (r *resource) note(c *client, kind history.Kind, token, value int64) {
	r.h.journal.add(entry{
		Event: history.Event{
			At: r.h.now(), Kind: kind, Node: r.h.nodes[plan.ResourceName], Peer: c.node,
			Token: token, Value: value,
		},
		read: r.read[c],
	})
}
