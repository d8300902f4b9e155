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

// Client is the process of one client, for the code of its lock.
type Client struct {
	world *World
	deps  locks.Deps
	guest sim.Guest
	gate  gate

	mu       sync.Mutex
	cleanups []func()
}

// Name returns the name of the client in the story.
func (c *Client) Name() string { return c.deps.Owner }

// Settings returns the story's settings of a lock, without ports.
func (c *Client) Settings() locks.Deps {
	return locks.Deps{
		Name: c.deps.Name, Owner: c.deps.Owner, Lease: c.deps.Lease, Retry: c.deps.Retry, Wait: c.deps.Wait, Timeout: c.deps.Timeout,
		Replicas: c.deps.Replicas, Settings: c.deps.Settings,
	}
}

// Key returns the name of the lock.
func (c *Client) Key() string { return c.deps.Name }

// Lease returns the story's lease: how long the store remembers a holder.
func (c *Client) Lease() time.Duration { return c.deps.Lease }

// Retry returns the story's time between two attempts of a client.
func (c *Client) Retry() time.Duration { return c.deps.Retry }

// Timeout returns the story's response timeout.
func (c *Client) Timeout() time.Duration { return c.deps.Timeout }

// Addresses returns the addresses of the servers: that of the current primary, or one for each
// independent server. They are IP addresses: a goroutine outside the bubble would look up a
// name.
func (c *Client) Addresses() []string {
	out := make([]string, c.world.servers)
	for i := range out {
		out[i] = fmt.Sprintf("10.0.0.%d:%d", i+1, c.world.config.Servers.Port)
	}
	return out
}

// Store returns the store of the servers.
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
	id := c.world.conns.Add(1)
	n := &conn{
		client: c, version: 2, id: id, ready: make(chan struct{}, 1),
		local: address("10.0.1.1:" + strconv.FormatInt(10_000+id, 10)), remote: address(addr),
	}
	there := make(chan struct{})
	c.post(func() {
		n.socket = c.guest.Dial(server, n)
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

// Misses notes that the lock has used something that the models do not have.
func (c *Client) Misses(what string) { c.world.misses(what) }

// Doubts notes why a lock that works here may not work in a process with more to do.
func (c *Client) Doubts(why string) { c.world.doubts(why) }

// Cleanup registers a function that is called after the run, in the reverse order.
func (c *Client) Cleanup(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = append(c.cleanups, f)
}

// post makes the kernel call a function on behalf of the process.
func (c *Client) post(f func()) { c.world.clock.post(f) }

// end calls the clean-ups.
func (c *Client) end() {
	c.mu.Lock()
	cleanups := c.cleanups
	c.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}
