package sim

import (
	"context"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/sim/kernel"
)

// resource is guarded by the lock: a version counter on a server that no fault affects. With a
// fence it refuses tokens lower than one that it has seen.
type resource struct {
	w       *World
	key     string // of the lock that guards it
	node    history.NodeID
	fence   plan.Fence
	version int64
	highest int64 // token
}

// resourceOf returns the resource of the lock with a key.
func (w *World) resourceOf(key string) *resource {
	for _, r := range w.guarded {
		if r.key == key {
			return r
		}
	}
	r := w.arenas.resources.Next()
	*r = resource{w: w, key: key, node: w.hist.Node(plan.ResourceName), fence: w.plan.Workload.Fence}
	w.guarded = append(w.guarded, r)
	return r
}

type visit struct {
	client  *client
	waker   kernel.Waker
	write   bool
	token   int64
	read    int32 // for writes: the event of the read it is based on
	version int64
	refused bool
}

// The stations of a visit.
type (
	visitArrives visit
	visitReturns visit
)

func (c *client) Read(ctx context.Context, token int64) (int64, error) {
	v := c.newVisit()
	v.token = token
	if err := c.visit(ctx, v); err != nil {
		return 0, err
	}
	c.lastRead = v.read
	return v.version, nil
}

func (c *client) Write(ctx context.Context, token, _ int64) error {
	v := c.newVisit()
	v.token, v.write, v.read = token, true, c.lastRead
	return c.visit(ctx, v)
}

func (c *client) newVisit() *visit {
	v := c.w.arenas.visits.Next()
	*v = visit{client: c}
	return v
}

func (c *client) visit(ctx context.Context, v *visit) error {
	k := c.w.k
	k.Enter()
	v.waker = k.Waker()
	k.After(c.latency(), (*visitArrives)(v), 0)
	if err := k.Await(ctx, -1); err != nil {
		return err
	}
	if v.refused {
		return ports.ErrFenced
	}
	return nil
}

// Fire: the request has reached the resource.
func (a *visitArrives) Fire(uint64) {
	v := (*visit)(a)
	v.client.guarded.serve(v)
	v.client.w.k.After(v.client.latency(), (*visitReturns)(v), 0)
}

// Fire: the answer has reached the client.
func (r *visitReturns) Fire(uint64) { (*visit)(r).waker.Wake() }

// serve applies a visit. A token of 0 comes from a lock without tokens, and is not checked.
func (r *resource) serve(v *visit) {
	e := history.Event{
		Node: r.node, Peer: v.client.node, Token: v.token, Cause: history.NoCause,
	}
	stale := v.token > 0 && v.token < r.highest
	switch {
	case r.fence != plan.FenceNone && stale && (v.write || r.fence == plan.FenceReadsAndWrites):
		v.refused = true
		e.Kind, e.Value = history.WriteRefused, r.highest
	case v.write:
		r.version++
		e.Kind, e.Value, e.Cause = history.WriteAccepted, r.version, v.read
	default:
		v.version = r.version
		e.Kind, e.Value = history.ReadDone, r.version
	}
	if v.write || r.fence == plan.FenceReadsAndWrites {
		r.highest = max(r.highest, v.token)
	}
	event := r.w.recordBare(e)
	if !v.write {
		v.read = event
	}
}

// add adds an event, unless it is about the lock of another resource.
func (w *World) add(e history.Event) int32 {
	if (w.usesAnotherLock(e.Node) || w.usesAnotherLock(e.Peer)) && !e.Kind.OfProcess() {
		return history.NoCause
	}
	return w.hist.Add(e)
}

// usesAnotherLock reports whether a node is a client that contends for another lock than the run's.
func (w *World) usesAnotherLock(id history.NodeID) bool { return w.otherLock != nil && w.otherLock[id] }

// findOtherLocks finds the clients that contend for another lock than the run's.
func (w *World) findOtherLocks() {
	w.otherLock = nil
	for _, c := range w.clients {
		if c.key != w.key {
			if w.otherLock == nil {
				w.otherLock = make([]bool, len(w.hist.Header.Nodes)+1)
			}
			w.otherLock[c.node] = true
		}
	}
}
