package consul

import (
	"context"
	"time"

	"lockstep/internal/store"
)

// Client is Consul as one client sees it: sessions and the key-value store.
type Client struct{ store.Port }

// CreateSession makes a session that the cluster may invalidate between one and two times ttl after
// the last renewal. After that the session's keys are deleted with deleteKeys, else released, and
// cannot be locked for lockDelay.
func (c Client) CreateSession(ctx context.Context, ttl, lockDelay time.Duration, deleteKeys bool) (session string, err error) {
	return store.Value[string](c.Send(ctx, CreateSession{TTL: ttl, LockDelay: lockDelay, DeleteKeys: deleteKeys}))
}

// RenewSession restarts a session's time to live; ErrNoSession if it has ended.
func (c Client) RenewSession(ctx context.Context, session string) error {
	_, err := c.Send(ctx, RenewSession{Session: session})
	return err
}

// DestroySession invalidates a session.
func (c Client) DestroySession(ctx context.Context, session string) error {
	_, err := c.Send(ctx, DestroySession{Session: session})
	return err
}

// Acquire writes a key and locks it for a session; false if another session has locked it or during
// the lock delay. ErrNoSession if the session has ended.
func (c Client) Acquire(ctx context.Context, key, value, session string) (bool, error) {
	return store.Value[bool](c.Send(ctx, Acquire{Key: key, Value: value, Session: session}))
}

// Release unlocks a key; false if the session has not locked it.
func (c Client) Release(ctx context.Context, key, value, session string) (bool, error) {
	return store.Value[bool](c.Send(ctx, Release{Key: key, Value: value, Session: session}))
}

// Get reads a key. With afterIndex > 0 it waits, at most for wait, until the key's index is
// greater, on a separate connection, which it closes when ctx ends, as HTTP clients do. A missing
// key has an index, too.
func (c Client) Get(ctx context.Context, key string, afterIndex int64, wait time.Duration) (KV, error) {
	get := Get{Key: key, After: afterIndex, Wait: wait}
	if afterIndex == 0 {
		return store.Value[KV](c.Send(ctx, get))
	}
	own, err := c.Dial(ctx)
	if err != nil {
		return KV{}, err
	}
	defer own.Close()
	return store.Value[KV](own.Send(ctx, get))
}
