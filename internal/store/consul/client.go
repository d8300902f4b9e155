package consul

import (
	"context"
	"time"

	"lockstep/internal/store"
)

// Client is Consul as one client sees it: sessions and the key-value store.
type Client struct{ store.Port }

// CreateSession makes a session that the cluster may invalidate between one and two times ttl after the
// last renewal. lockDelay is how long a key stays locked after an invalidation. With deleteKeys the
// invalidation deletes the session's keys, else it releases them.
func (c Client) CreateSession(ctx context.Context, ttl, lockDelay time.Duration, deleteKeys bool) (session string, err error) {
	return store.Value[string](c.Send(ctx, CreateSession{TTL: ttl, LockDelay: lockDelay, DeleteKeys: deleteKeys}))
}

// RenewSession restarts a session's time to live: ErrNoSession when it is gone.
func (c Client) RenewSession(ctx context.Context, session string) error {
	_, err := c.Send(ctx, RenewSession{Session: session})
	return err
}

// DestroySession invalidates a session.
func (c Client) DestroySession(ctx context.Context, session string) error {
	_, err := c.Send(ctx, DestroySession{Session: session})
	return err
}

// Acquire writes a key and locks it for a session; false when another session has it or the lock delay
// lasts. ErrNoSession when the session is gone.
func (c Client) Acquire(ctx context.Context, key, value, session string) (bool, error) {
	return store.Value[bool](c.Send(ctx, Acquire{Key: key, Value: value, Session: session}))
}

// Release unlocks a key; false when the session does not have it.
func (c Client) Release(ctx context.Context, key, value, session string) (bool, error) {
	return store.Value[bool](c.Send(ctx, Release{Key: key, Value: value, Session: session}))
}

// Get reads a key. With afterIndex > 0 it waits, for at most wait, until the key's index is above it, on a
// connection of its own, as a waiting request of HTTP has: giving up closes it. The index is there even
// when the key is not.
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
