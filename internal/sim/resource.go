package sim

import (
	"context"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/world"
)

// resource is what the lock guards: one version counter on a server that no
// fault touches. With a fence it refuses tokens lower than one it has seen.
type resource struct {
	w       *World
	node    history.NodeID
	fence   plan.Fence
	version int64
	highest int64 // token
}

// visit is one request to the resource.
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

// Read implements world.Resource.
func (c *client) Read(ctx context.Context, token int64) (int64, error) {
	v := c.newVisit()
	v.token = token
	if err := c.visit(ctx, v); err != nil {
		return 0, err
	}
	c.lastRead = v.read
	return v.version, nil
}

// Write implements world.Resource.
func (c *client) Write(ctx context.Context, token, _ int64) error {
	v := c.newVisit()
	v.token, v.write, v.read = token, true, c.lastRead
	return c.visit(ctx, v)
}

// newVisit returns a visit of this client. Its answer may come when nobody waits any more.
func (c *client) newVisit() *visit {
	v := c.w.visits.Next()
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
		return world.ErrFenced
	}
	return nil
}

// Fire: the request has reached the resource.
func (a *visitArrives) Fire(uint64) {
	v := (*visit)(a)
	v.client.w.guarded.serve(v)
	v.client.w.k.After(v.client.latency(), (*visitReturns)(v), 0)
}

// Fire: the answer has reached the client.
func (r *visitReturns) Fire(uint64) { (*visit)(r).waker.Wake() }

// serve applies a visit. A token of 0 comes from a lock without tokens: there is
// nothing to check, and the guard lets it pass.
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
