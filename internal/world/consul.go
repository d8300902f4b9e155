package world

import (
	"context"
	"errors"
	"time"
)

// Consul is a Consul cluster as one client sees it: sessions and the key-value store.
type Consul interface {
	// CreateSession makes a session that the cluster may invalidate between one
	// and two times ttl after the last renewal. lockDelay is how long a key stays
	// locked after an invalidation. With deleteKeys the invalidation deletes the
	// session's keys, else it releases them.
	CreateSession(ctx context.Context, ttl, lockDelay time.Duration, deleteKeys bool) (session string, err error)
	// RenewSession: ErrNoSession when it is gone.
	RenewSession(ctx context.Context, session string) error
	// DestroySession invalidates a session.
	DestroySession(ctx context.Context, session string) error
	// Acquire writes a key and locks it for a session; false when another session
	// has it or the lock delay lasts. ErrNoSession when the session is gone.
	Acquire(ctx context.Context, key, value, session string) (bool, error)
	// Release unlocks a key; false when the session does not have it.
	Release(ctx context.Context, key, value, session string) (bool, error)
	// Get reads a key. With afterIndex > 0 it waits, for at most wait, until the
	// key's index is above it. The index is there even when the key is not.
	Get(ctx context.Context, key string, afterIndex int64, wait time.Duration) (ConsulKV, error)
}

// ConsulKV is a key's state.
type ConsulKV struct {
	Exists      bool
	Value       string
	Session     string // that has locked it, "" for none
	LockIndex   int64  // how often it was locked
	ModifyIndex int64
	Index       int64 // to wait for the next change
}

// ErrNoSession is Consul's answer about a session that does not exist.
var ErrNoSession = errors.New("consul: invalid session")
