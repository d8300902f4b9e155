package bubble

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/sim"
)

// Client is the process of one client as the code of its lock sees it.
type Client struct {
	world *World
	deps  locks.Deps
	door  sim.Guest
	gate  gate

	mu       sync.Mutex
	cleanups []func()
}

// Name is that of the client in the story.
func (c *Client) Name() string { return c.deps.Owner }

// Settings are what the story wants of a lock; there are no ports in them.
func (c *Client) Settings() locks.Deps {
	return locks.Deps{
		Name: c.deps.Name, Owner: c.deps.Owner, Lease: c.deps.Lease, Retry: c.deps.Retry, Wait: c.deps.Wait, Timeout: c.deps.Timeout,
		Replicas: c.deps.Replicas, Settings: c.deps.Settings,
	}
}

// Key is the name of the lock.
func (c *Client) Key() string { return c.deps.Name }

// Lease is how long the story wants the store to remember a holder.
func (c *Client) Lease() time.Duration { return c.deps.Lease }

// Retry is how long the story wants a client to wait between two tries.
func (c *Client) Retry() time.Duration { return c.deps.Retry }

// Timeout is how long the story wants a client to wait for a reply.
func (c *Client) Timeout() time.Duration { return c.deps.Timeout }

// Addresses are those of the servers: one where the current primary answers, or one for each
// server that is on its own. They are numbers: a name would be looked up by a goroutine that no
// bubble knows.
func (c *Client) Addresses() []string {
	out := make([]string, c.world.servers)
	for i := range out {
		out[i] = fmt.Sprintf("10.0.0.%d:%d", i+1, c.world.config.Servers.Port)
	}
	return out
}

// Store is what the servers are.
func (c *Client) Store() locks.Store { return c.world.config.Servers.Store }

// Dial connects to one of the addresses.
func (c *Client) Dial(ctx context.Context, _, addr string) (net.Conn, error) {
	server := slices.Index(c.Addresses(), addr)
	if server < 0 {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("nothing listens at %s: the servers are %v", addr, c.Addresses())}
	}
	if dial := c.world.config.Servers.Dial; dial != nil {
		return dial(ctx, c, server)
	}
	if !c.gate.pass() {
		return nil, net.ErrClosed
	}
	id := c.world.connected()
	n := &conn{
		client: c, version: 2, id: id, ready: make(chan struct{}, 1),
		local: address("10.0.1.1:" + strconv.FormatInt(10_000+id, 10)), remote: address(addr),
	}
	there := make(chan struct{})
	c.post(func() {
		n.socket = c.door.Dial(server, n)
		close(there)
	})
	select {
	case <-there:
		return n, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.gate.over:
		return nil, net.ErrClosed
	}
}

// Misses notes that the lock has asked for something that the models do not have.
func (c *Client) Misses(what string) { c.world.misses(what) }

// Cleanup has f called when the run is over, the last one first.
func (c *Client) Cleanup(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = append(c.cleanups, f)
}

// post has the kernel do something on behalf of the process.
func (c *Client) post(f func()) { c.world.clock.post(f) }

// end lets the program of a run that is over go.
func (c *Client) end() {
	c.mu.Lock()
	cleanups := c.cleanups
	c.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}
