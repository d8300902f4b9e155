package worker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/world"
)

// zkWatch is world.ZKWatch.
type zkWatch struct {
	w      *worker
	events <-chan zk.Event // has one, then it is closed

	mu  sync.Mutex
	err error // when it ended without having fired
}

// Wait implements world.ZKWatch.
func (w *zkWatch) Wait(ctx context.Context) error {
	defer w.w.turns.leave()()
	select {
	case event := <-w.events:
		w.mu.Lock()
		defer w.mu.Unlock()
		if event.Err != nil { // the library has given up all watches with the session
			w.err = world.ErrSessionExpired
		}
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// zkError turns an error of the library into one of the port's. What is not an
// answer of a server is a lost connection.
func zkError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, zk.ErrNodeExists):
		return world.ErrNodeExists
	case errors.Is(err, zk.ErrNoNode):
		return world.ErrNoNode
	case errors.Is(err, zk.ErrBadVersion):
		return world.ErrBadVersion
	case errors.Is(err, zk.ErrSessionExpired):
		return world.ErrSessionExpired
	case errors.Is(err, zk.ErrNotEmpty), errors.Is(err, zk.ErrNoChildrenForEphemerals), errors.Is(err, zk.ErrInvalidPath):
		return err
	case errors.Is(err, zk.ErrBadArguments): // the server's word for the same
		return zk.ErrInvalidPath
	}
	return world.ErrConnection
}

// zkHosts says which server a session tries next: the one that the session before it was
// with, then always the one after the last.
type zkHosts struct {
	servers []string
	last    *atomic.Int64 // which was tried last, by any session of the process

	mu    sync.Mutex
	begun bool
	since int // tries since the last success
}

// Init implements zk.HostProvider; the library has shuffled what it gives.
func (h *zkHosts) Init([]string) error { return nil }

// Len implements zk.HostProvider.
func (h *zkHosts) Len() int { return len(h.servers) }

// Next implements zk.HostProvider. pause says that all have been tried in vain.
func (h *zkHosts) Next() (server string, pause bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.last.Load()
	if h.begun {
		at = h.last.Add(1)
	}
	h.begun = true
	server = h.servers[int(at)%len(h.servers)]
	pause = h.since >= len(h.servers)
	if pause {
		h.since = 0
	}
	h.since++
	return server, pause
}

// Connected implements zk.HostProvider.
func (h *zkHosts) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = 0
}
