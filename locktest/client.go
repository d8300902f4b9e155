package locktest

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
)

// Client is one client of a story: a process of its own, as far as a test can have one. Its lock
// must share nothing with those of other clients.
type Client struct{ c *bubble.Client }

// Name is that of the client in the story: A, B, C, or probe, who tries the lock at the end.
func (c Client) Name() string { return c.c.Name() }

// Key is what the lock should be called in the store. Whose entry a release has removed is judged
// for this key only.
func (c Client) Key() string { return c.c.Key() }

// Lease is how long the store should remember a holder. The stories are made for it: a pause past
// the lease lasts longer than this.
func (c Client) Lease() time.Duration { return c.c.Lease() }

// Retry is how long to wait between two tries, for a lock that wants to be told.
func (c Client) Retry() time.Duration { return c.c.Retry() }

// Addresses are those of the servers. They are numbers on purpose: to look a name up takes a
// goroutine that no bubble knows.
func (c Client) Addresses() []string { return c.c.Addresses() }

// Dial connects to one of the addresses: the dialer of a client library.
func (c Client) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return c.c.Dial(ctx, network, addr)
}

// Cleanup has f called when the run is over and no connection works any more; the last one first.
func (c Client) Cleanup(f func()) { c.c.Cleanup(f) }

// Underlying is the client as the packages of other stores know it, such as etcdtest and sqltest.
func (c Client) Underlying() *bubble.Client { return c.c }

// Timeout is for how long the story wants a client to wait for a reply.
func (c Client) Timeout() time.Duration { return c.c.Timeout() }

// Redis returns a client of go-redis for the first address of a test whose store is Redis, with its
// default options, retries among them; only the time limits are those of the story.
func (c Client) Redis() *redis.Client { return c.Nodes()[0] }

// Nodes returns a client of go-redis for each address.
func (c Client) Nodes() []*redis.Client {
	if s := c.c.Store(); s != locks.StoreRedis && s != locks.StoreRedisNodes {
		panic("locktest: Client.Redis and Client.Nodes are for a test whose store is locktest.Redis")
	}
	var out []*redis.Client
	for _, addr := range c.Addresses() {
		client := redis.NewClient(&redis.Options{
			Addr: addr, Dialer: c.Dial, DialTimeout: c.Timeout(), ReadTimeout: c.Timeout(), WriteTimeout: c.Timeout(),
		})
		c.Cleanup(func() { _ = client.Close() })
		out = append(out, client)
	}
	return out
}

// silent keeps go-redis from writing to standard error what the story tells.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
