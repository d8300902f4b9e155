package worker

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"

	"lockstep/internal/locks"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/real/redisconn"
	"lockstep/internal/real/servers"
)

// thePrimary is the address under which a library reaches the server that this client takes
// for the primary.
const thePrimary = "the-primary:6379"

// newLibrary makes the lock of a library, which opens its own connections. It returns when
// the servers have answered.
func (w *worker) newLibrary(v *locks.Variant, d locks.Deps) (locks.Lock, error) {
	library, ok := libraries.Lookup(v.ID)
	if !ok {
		return nil, fmt.Errorf("there is no code for the library behind %s", v.ID)
	}
	deps := libraries.Deps{Deps: d, Addrs: w.start.Endpoints}
	switch {
	case len(w.start.Known) > 0: // the library follows the sentinels by itself
		deps.Addrs, deps.Sentinels, deps.Primary = nil, w.start.Endpoints[len(w.start.Known):], servers.Watched
	case v.Store == locks.StoreRedis:
		deps.Addrs = []string{thePrimary}
	}
	deps.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return w.dialTap(ctx, &library, network, addr)
	}
	if err := w.loadScripts(&library); err != nil {
		return nil, err
	}
	// A library gives up connecting after the response timeout, which is short in a run at
	// a tenth: a busy machine is asked again.
	var lock locks.Lock
	err := w.untilAnswered(context.Background(), "the servers of "+v.ID, func(context.Context) (err error) {
		lock, err = library.New(deps)
		return err
	})
	return &offTurn{lock, &w.turns, func() {}}, err
}

// loadScripts loads the scripts of a library into the servers before true time begins. A client that
// restarts during the run changes nothing in the servers.
func (w *worker) loadScripts(library *libraries.Library) error {
	for i, addr := range w.start.Endpoints {
		if w.start.Life > 0 || len(library.Texts) == 0 || w.isSentinel(i) {
			continue
		}
		for _, text := range library.Texts {
			err := w.untilAnswered(context.Background(), addr, func(ctx context.Context) error {
				_, err := redisconn.Ask(ctx, addr, "SCRIPT", "LOAD", text)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dialTap opens a connection whose traffic is parsed.
func (w *worker) dialTap(ctx context.Context, library *libraries.Library, network, addr string) (net.Conn, error) {
	server := w.endpoint(addr)
	if server < 0 {
		return nil, fmt.Errorf("the library behind %s wants to connect to %s, which is none of its servers", library.ID, addr)
	}
	conn, err := w.dialDirectly(ctx, network, w.start.Endpoints[server])
	if err != nil {
		return nil, err
	}
	if library.Untapped || w.isSentinel(server) {
		return conn, nil
	}
	t := &tap{Conn: conn, w: w, server: server, reads: library}
	if addr == thePrimary {
		w.taps.add(t)
	}
	return t, nil
}

// endpoint is the index of the endpoint that a library means by an address, one from its
// configuration or from a sentinel; -1 for none.
func (w *worker) endpoint(addr string) int {
	if addr == thePrimary {
		return w.primary()
	}
	if known := slices.Index(slices.Concat(w.start.Known, w.start.KnownSentinels), addr); known >= 0 {
		return known
	}
	return slices.Index(w.start.Endpoints, addr)
}

func (w *worker) isSentinel(endpoint int) bool {
	return len(w.start.Known) > 0 && endpoint >= len(w.start.Known)
}

// taps are the connections to the primary.
type taps struct {
	mu  sync.Mutex
	all []*tap
}

func (t *taps) add(one *tap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, one)
}

// follow closes the connections to former primaries, as client libraries do when a sentinel
// announces a new one.
func (t *taps) follow(lead int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(one *tap) bool {
		if one.server != lead {
			_ = one.Close() // it may be closed already
		}
		return one.server != lead
	})
}

// offTurn is a lock whose code takes no turns: other tasks of this process run meanwhile.
type offTurn struct {
	lock  locks.Lock
	turns *turns
	check func() // called after each request; it does not return when the outcome is not to be used
}

func (o *offTurn) Acquire(ctx context.Context) (locks.Lease, error) {
	defer o.turns.leave()()
	lease, err := o.lock.Acquire(ctx)
	o.check()
	if err != nil {
		return nil, err
	}
	return &offTurnLease{lease, o}, nil
}

type offTurnLease struct {
	locks.Lease
	of *offTurn
}

func (l *offTurnLease) Release(ctx context.Context) error {
	defer l.of.turns.leave()()
	err := l.Lease.Release(ctx)
	l.of.check()
	return err
}
