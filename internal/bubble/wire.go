package bubble

import (
	"context"
	"net"
	"sync"
	"syscall"

	"lockstep/internal/ports"
	"lockstep/internal/sim"
	"lockstep/internal/store/redis"
)

// Wire is a connection to one server for requests that are already parsed: each request and each
// answer is one message of the simulated network.
type Wire struct {
	client  *Client
	server  int
	push    func(any)
	greeted chan struct{}
	broken  chan struct{}
	breaks  sync.Once

	socket *sim.Socket // of the kernel
}

// Connect opens a connection to the server with that index. That takes a round trip, and fails if
// the server does not listen. push, which may be nil, is called with unrequested messages, and must
// not block.
func (c *Client) Connect(ctx context.Context, server int, push func(any)) (*Wire, error) {
	if !c.gate.pass() {
		return nil, net.ErrClosed
	}
	w := c.open(server, push)
	c.post(func() { w.socket.Ask(redis.OK()) })
	select {
	case <-w.greeted:
		return w, nil
	case <-w.broken:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: address(c.Addresses()[server]), Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		w.Close()
		return nil, ctx.Err()
	case <-c.gate.over:
		return nil, net.ErrClosed
	}
}

// OpenStream opens another stream of the connection, a connection of its own for the server. It takes
// no round trip.
func (w *Wire) OpenStream(push func(any)) *Wire { return w.client.open(w.server, push) }

func (c *Client) open(server int, push func(any)) *Wire {
	w := &Wire{client: c, server: server, push: push, greeted: make(chan struct{}), broken: make(chan struct{})}
	c.post(func() { w.socket = c.guest.Dial(server, w) })
	return w
}

// answer is the outcome of a request.
type answer struct {
	value any
	err   error
}

// Do sends a request of the store's model and waits for its answer. The error is the store's,
// ports.ErrConnection, an error of ctx, or net.ErrClosed after the end of the run.
func (w *Wire) Do(ctx context.Context, op ports.Request) (any, error) {
	c := w.client
	if !c.gate.pass() {
		return nil, net.ErrClosed
	}
	got := make(chan answer, 1)
	var id int64 // of the kernel
	c.post(func() { id = w.socket.Do(op, func(v any, err error) { got <- answer{v, err} }) })
	a := w.await(ctx, got)
	if a.err != nil && a.err == ctx.Err() {
		c.post(func() { w.socket.StopWaitingFor(id, ports.ErrTimeout) })
	}
	if !c.gate.pass() {
		return nil, net.ErrClosed
	}
	return a.value, a.err
}

// Start sends a request of the store's model. onAnswer gets the answer unless the connection breaks
// before, and must not wait. Requests arrive in the order in which they were sent.
func (w *Wire) Start(op ports.Request, onAnswer func(value any, err error)) {
	w.client.post(func() { w.socket.Do(op, onAnswer) })
}

// await waits for an answer, and prefers one that has already arrived to an error.
func (w *Wire) await(ctx context.Context, got <-chan answer) answer {
	a := answer{err: net.ErrClosed}
	select {
	case a = <-got:
		return a
	case <-w.broken:
		a.err = ports.ErrConnection
	case <-ctx.Done():
		a.err = ctx.Err()
	case <-w.client.gate.over:
	}
	select {
	case a = <-got:
	default:
	}
	return a
}

// Over is closed when the connection is.
func (w *Wire) Over() <-chan struct{} { return w.broken }

// Close ends the connection from the client's side.
func (w *Wire) Close() { w.client.post(func() { w.socket.Close(ports.ErrConnection) }) }

// Answer implements sim.Sink: it receives only the greeting.
func (w *Wire) Answer(redis.Reply) { close(w.greeted) }

// Push implements sim.Sink.
func (w *Wire) Push(message any) {
	if w.push != nil {
		w.push(message)
	}
}

// Broken implements sim.Sink.
func (w *Wire) Broken() { w.breaks.Do(func() { close(w.broken) }) }

// gated is an in-memory connection between a process and the simulator.
type gated struct {
	net.Conn
	gate *gate
}

// Gate makes reads from a connection wait while the process is stopped. A write does not wait,
// since a client library may hold a mutex meanwhile, for which no time would pass in plain `go
// test`: its requests wait in front of the network until the process runs.
func (c *Client) Gate(inner net.Conn) net.Conn { return &gated{inner, &c.gate} }

// Read implements net.Conn.
func (g *gated) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if !g.gate.pass() {
		return 0, net.ErrClosed
	}
	return n, err
}
