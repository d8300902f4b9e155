package worker

import (
	"context"
	"sync/atomic"

	"lockstep/internal/locks"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store"
)

// storePort is store.Port on the executor of a store. In a quorum it asks one server until that one
// does not answer, and then the next, as the simulator's clients do; otherwise it asks the primary.
type storePort struct {
	w       *worker
	driver  *livestore.Driver
	client  livestore.Client
	do      livestore.Executor
	servers int64
	primary bool         // ask the primary
	turn    atomic.Int64 // otherwise the server to ask, modulo their number
}

// next is the server to ask, modulo the number of servers.
func (p *storePort) next() int64 {
	if p.primary {
		return p.w.lead.Load()
	}
	return p.turn.Load()
}

var _ store.Port = (*storePort)(nil)

// connectStore gives a lock the servers of a store.
func (w *worker) connectStore(d *locks.Deps, driver *livestore.Driver) error {
	p, err := newStorePort(w, driver, w.start.Endpoints, w.dialDirectly)
	if err != nil {
		return err
	}
	d.Port, d.Settings = p, w.start.Settings
	return w.warm(p.ready)
}

// ready returns when all servers have answered once.
func (p *storePort) ready(ctx context.Context) error {
	for i := range int(p.servers) {
		err := p.w.untilAnswered(ctx, "a server of "+store.Of(p.driver.Store).Title, func(ctx context.Context) error {
			return p.driver.Ready(ctx, &p.client, p.do, i)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newStorePort(w *worker, driver *livestore.Driver, endpoints []string, dial dialFunc) (*storePort, error) {
	c := livestore.Client{Endpoints: endpoints, Timeout: w.start.Timeout, Idle: w.start.IdleTimeout, Dial: dial}
	do, err := driver.Connect(c)
	if err != nil {
		return nil, err
	}
	primary := store.Of(driver.Store).Topology != store.Quorum
	p := &storePort{w: w, driver: driver, client: c, do: do, servers: int64(len(endpoints)), primary: primary}
	p.turn.Store(int64(w.start.First))
	return p, nil
}

func (p *storePort) Send(ctx context.Context, r ports.Request) (any, error) {
	turn := p.next()
	server := int(turn % p.servers)
	return p.perform(ctx, turn, r, func(ctx context.Context) (any, error) { return p.do.Do(ctx, server, r) })
}

// perform sends a request to the server of a turn. If that one does not answer, the turn passes to
// the next.
func (p *storePort) perform(ctx context.Context, turn int64, r ports.Request, send func(context.Context) (any, error)) (any, error) {
	what := request{server: int(turn % p.servers), what: r, send: send}
	if m, ok := p.do.(livestore.Marker); ok {
		what.mark = m.Mark(r)
	}
	if patient, ok := r.(store.Patient); ok {
		what.patience = patient.Patience()
		what.patience += what.patience / later
	}
	value, err := perform(ctx, p.w, what)
	if unanswered(err) {
		p.pass(turn)
	}
	return value, err
}

// later is the part of the time by which a real server may keep a request waiting longer than
// asked. Consul does, so that not all clients come back at once.
const later = 16

// pass gives the turn to the next server, unless another task has done so.
func (p *storePort) pass(turn int64) { p.turn.CompareAndSwap(turn, turn+1) }

// Dial implements store.Port. If a server refuses, it tries the next one, as client libraries do.
func (p *storePort) Dial(ctx context.Context) (store.Connection, error) {
	opener, ok := p.do.(livestore.Opener)
	if !ok {
		turn := p.next()
		return &storeLine{port: p, turn: turn, line: sharedLine{p.do, int(turn % p.servers)}, messages: newFeed[any]()}, nil
	}
	defer p.w.turns.leave()()
	for range p.servers {
		turn := p.next()
		c := &storeLine{port: p, turn: turn, messages: newFeed[any]()}
		limited, cancel := context.WithTimeout(ctx, p.w.start.Timeout)
		line, err := opener.Open(limited, int(turn%p.servers), livestore.Incoming{Push: c.messages.put, Broke: c.broke})
		cancel()
		if err == nil {
			c.line = line
			return c, nil
		}
		if p.pass(turn); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, ports.ErrConnection
}

// storeLine implements store.Connection.
type storeLine struct {
	port     *storePort
	turn     int64 // of its server
	line     livestore.Line
	messages *feed[any]
	closed   atomic.Bool
	broken   atomic.Bool
}

func (c *storeLine) Send(ctx context.Context, r ports.Request) (any, error) {
	if c.broken.Load() || c.closed.Load() {
		return nil, ports.ErrConnection
	}
	return c.port.perform(ctx, c.turn, r, func(ctx context.Context) (any, error) { return c.line.Do(ctx, r) })
}

func (c *storeLine) Next(ctx context.Context) (any, error) {
	defer c.port.w.turns.leave()()
	return c.messages.next(ctx)
}

func (c *storeLine) Close() {
	if !c.closed.Swap(true) {
		c.line.Close()
	}
}

func (c *storeLine) GiveUp() {
	c.Close()
	c.port.pass(c.turn)
}

// broke is called when the connection breaks or is closed.
func (c *storeLine) broke() {
	if c.closed.Load() || c.broken.Swap(true) {
		return
	}
	c.messages.finish(ports.ErrConnection)
	c.port.pass(c.turn)
}

// sharedLine sends over the connections that all requests share, to a store that sends no messages
// of its own.
type sharedLine struct {
	do     livestore.Executor
	server int
}

func (l sharedLine) Do(ctx context.Context, r ports.Request) (any, error) {
	return l.do.Do(ctx, l.server, r)
}

// Close does nothing: to abandon a request closes its connection, if it had one.
func (sharedLine) Close() {}
