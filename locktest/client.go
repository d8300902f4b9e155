package locktest

import (
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
)

// Client is one client of a story. It stands for a process, so its lock must not share memory with
// those of other clients.
type Client struct{ c *bubble.Client }

// Name returns the client's name in the story: A, B and so on, or probe, which tries the lock at the
// end. A lock that tells its holders apart by host and process needs it in their place: these are
// the same for all clients.
func (c Client) Name() string { return c.c.Name() }

// Key returns the name that the lock should have in the store.
func (c Client) Key() string { return c.c.Key() }

// Lease returns how long the store should remember a holder. The pauses of the stories are longer, so
// a lock whose entries live for much longer is untested, which fails the rehearsal.
func (c Client) Lease() time.Duration { return c.c.Lease() }

// Retry returns the interval between two attempts, for locks that do not have their own.
func (c Client) Retry() time.Duration { return c.c.Retry() }

// Addresses returns the addresses of the servers. They are numeric, since resolving a name would
// take a goroutine outside of the bubble.
func (c Client) Addresses() []string { return c.c.Addresses() }

// Dial connects to one of the addresses. It serves as the dialer of a client library.
func (c Client) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	bubble.DropPools()
	return c.c.Dial(ctx, network, addr)
}

// Cleanup registers f to be called when the run is over and all connections are broken. The last
// registered function is called first.
func (c Client) Cleanup(f func()) { c.c.Cleanup(f) }

// Underlying returns the client for packages of other stores, such as etcdtest and sqltest.
func (c Client) Underlying() *bubble.Client { return c.c }

// Timeout returns how long a client of the story waits for a reply of a server: the time limit for a
// client library that has none by default.
func (c Client) Timeout() time.Duration { return c.c.Timeout() }

// Redis returns a client of go-redis for the first address of a test whose store is Redis. It has
// default options, including retries, except for the story's timeouts.
func (c Client) Redis() *redis.Client { return c.Nodes()[0] }

// Nodes returns a client of go-redis for each address.
func (c Client) Nodes() []*redis.Client {
	if s := c.c.Store(); s != locks.StoreRedis && s != locks.StoreRedisNodes {
		panic("locktest: Client.Redis and Client.Nodes are for a test whose store is locktest.Redis")
	}
	var out []*redis.Client
	for _, addr := range c.Addresses() {
		client := redis.NewClient(&redis.Options{
			Addr: addr, Dialer: c.c.Dial, DialTimeout: c.Timeout(), ReadTimeout: c.Timeout(), WriteTimeout: c.Timeout(),
		})
		c.Cleanup(func() { _ = client.Close() })
		out = append(out, client)
	}
	return out
}

// silent discards the log of go-redis: the story reports the same errors.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
