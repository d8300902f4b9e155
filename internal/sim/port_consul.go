package sim

import (
	"context"
	"time"

	"lockstep/internal/sim/consul"
	"lockstep/internal/world"
)

// consulPort is world.Consul for one client.
type consulPort struct{ client *client }

var _ world.Consul = consulPort{}

// CreateSession implements world.Consul.
func (p consulPort) CreateSession(ctx context.Context, ttl, lockDelay time.Duration, deleteKeys bool) (string, error) {
	return answer[string](p.client.ask(ctx, consul.CreateSession{TTL: ttl, LockDelay: lockDelay, DeleteKeys: deleteKeys}))
}

// RenewSession implements world.Consul.
func (p consulPort) RenewSession(ctx context.Context, session string) error {
	_, err := p.client.ask(ctx, consul.RenewSession{Session: session})
	return err
}

// DestroySession implements world.Consul.
func (p consulPort) DestroySession(ctx context.Context, session string) error {
	_, err := p.client.ask(ctx, consul.DestroySession{Session: session})
	return err
}

// Acquire implements world.Consul.
func (p consulPort) Acquire(ctx context.Context, key, value, session string) (bool, error) {
	return answer[bool](p.client.ask(ctx, consul.Acquire{Key: key, Value: value, Session: session}))
}

// Release implements world.Consul.
func (p consulPort) Release(ctx context.Context, key, value, session string) (bool, error) {
	return answer[bool](p.client.ask(ctx, consul.Release{Key: key, Value: value, Session: session}))
}

// Get implements world.Consul. A blocking query has a connection of its own, as a
// waiting request of HTTP has: giving up closes it.
func (p consulPort) Get(ctx context.Context, key string, afterIndex int64, wait time.Duration) (world.ConsulKV, error) {
	ask := p.client.ask
	if afterIndex > 0 {
		cn, err := p.client.dial(ctx)
		if err != nil {
			return world.ConsulKV{}, err
		}
		defer cn.Close()
		ask = cn.ask
	}
	return answer[world.ConsulKV](ask(ctx, consul.Get{Key: key, After: afterIndex, Wait: wait}))
}
