package sim

import (
	"context"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// conn is a connection that a client has dialled: to one server, in order in
// both directions, with messages that the server sends by itself.
type conn struct {
	client *client
	host   *host
	id     uint64
	life   int   // of the host
	offset int64 // of the replication stream when its latest command, or its greeting, was executed

	gone   bool // the server's end is closed
	broken bool // the client knows that it is over

	lane    *lane
	own     lane            // where it goes, unless the client has one for all that it asks of the server
	settled history.Instant // when a cluster has executed what all of its servers agree on, of that asked so far

	socket      *Socket            // of a guest; nil for a task's
	tracking    tracking           // of a guest of Redis
	transaction *redis.Transaction // of a guest; nil before its first command
	waits       bool               // of a guest: the server keeps a command of it waiting,
	behind      []*call            // and these came behind it

	pushed  []any // messages not taken yet
	waiting bool  // a task waits in next
	waker   kernel.Waker
}

// lane is a TCP connection: messages arrive in the order in which they were sent, so one
// that is late holds up all that come behind it.
type lane struct {
	host     *host
	life     int             // of the host
	up, down history.Instant // when the latest messages arrive, by direction
}

// behind puts a message behind those before it in one direction, last: it is to arrive at an
// instant, and arrives when they have.
func behind(last *history.Instant, at history.Instant) history.Instant {
	*last = max(*last, at)
	return *last
}

// laneTo returns the one connection that a client has to a server of a store whose library
// puts everything on one: requests of all tasks, renewals and watches.
func (c *client) laneTo(h *host) *lane {
	for _, l := range c.lanes {
		if l.host == h && l.life == h.lives {
			return l
		}
	}
	l := &lane{host: h, life: h.lives}
	c.lanes = append(c.lanes, l)
	return l
}

// route says where a client's next request goes.
type route interface{ pick(c *client) *host }

// dialHost opens a connection to a server. It takes no time: the first request
// shows whether the server listens.
func (c *client) dialHost(h *host) *conn {
	c.w.nextConn++
	cn := c.w.blankConn()
	*cn = conn{client: c, host: h, id: c.w.nextConn, life: h.lives}
	if c.w.oneLane {
		cn.lane = c.laneTo(h)
	} else {
		cn.own = lane{host: h, life: h.lives}
		cn.lane = &cn.own
	}
	c.conns = append(c.conns, cn)
	if !h.proc.Dead() {
		h.conns = append(h.conns, cn)
	} else {
		cn.gone = true
	}
	return cn
}

// blankConn returns a connection as its last user has left it; see blankClient.
func (w *World) blankConn() *conn {
	if w.pacer != nil {
		return &conn{}
	}
	return w.madeConns.Next()
}

// dial opens a connection to the server that a pooled request would go to.
func (c *client) dial(ctx context.Context, to route) (*conn, error) {
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.dialHost(to.pick(c)), nil
}

// store is how a store's model knows the connection.
func (cn *conn) store() store.Conn { return store.Conn{ID: cn.id, Client: cn.client.node} }

// Send implements store.Port: it sends one request of a store's model over any connection.
func (c *client) Send(ctx context.Context, op store.Op) (any, error) {
	return c.askOn(ctx, nil, op)
}

// Dial implements store.Port.
func (c *client) Dial(ctx context.Context) (store.Connection, error) {
	cn, err := c.dial(ctx, c.w.route)
	if err != nil {
		return nil, err
	}
	return cn, nil
}

// Hesitates implements store.Hesitant.
func (c *client) Hesitates() time.Duration { return c.w.timing.Reconnect }

var (
	_ store.Port       = (*client)(nil)
	_ store.Hesitant   = (*client)(nil)
	_ store.Connection = (*conn)(nil)
)

// Send implements store.Connection.
func (cn *conn) Send(ctx context.Context, op store.Op) (any, error) {
	return cn.client.askOn(ctx, cn, op)
}

func (c *client) askOn(ctx context.Context, cn *conn, op store.Op) (any, error) {
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if cn != nil && cn.broken {
		return nil, ports.ErrConnection
	}
	l := c.w.newCall(c)
	defer l.unref()
	l.op, l.conn = op, cn
	if p, ok := op.(store.Patient); ok {
		l.patience = p.Patience()
	}
	c.send(l, c.w.route)
	if err := c.await(ctx, l); err != nil {
		if err == ports.ErrTimeout || err == ports.ErrConnection { // never wrapped
			c.tryNext(l.host)
		}
		return nil, err
	}
	return l.value, l.err
}

// Next implements store.Connection: it waits for the next message that the server sends by itself.
func (cn *conn) Next(ctx context.Context) (any, error) {
	k := cn.client.w.k
	k.Enter()
	for len(cn.pushed) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if cn.broken {
			return nil, ports.ErrConnection
		}
		cn.waiting, cn.waker = true, k.Waker()
		err := k.Await(ctx, -1)
		cn.waiting = false
		if err != nil {
			return nil, err
		}
	}
	m := cn.pushed[0]
	cn.pushed = cn.pushed[1:]
	return m, nil
}

// Close ends the connection from the client's side. The server learns of it when
// the message arrives.
func (cn *conn) Close() {
	if cn.broken {
		return
	}
	cn.hangUp()
	cn.wake()
}

// GiveUp implements store.Connection.
func (cn *conn) GiveUp() {
	cn.Close()
	cn.client.member++
}

// hangUp is what the operating system does for a process that closes, or dies.
func (cn *conn) hangUp() {
	cn.broken = true
	c := cn.client
	c.forget(cn)
	at := c.w.k.Now().Add(c.latency())
	c.w.network.send(behind(&cn.lane.up, at), c.node, cn.host.node, (*hangUpArrives)(cn))
}

func (c *client) forget(cn *conn) {
	c.conns = slices.DeleteFunc(c.conns, func(other *conn) bool { return other == cn })
}

// The messages of a connection.
type (
	hangUpArrives conn
	breakArrives  conn
	pushArrives   struct {
		conn *conn
		m    any
	}
)

// Fire: the server learns that the client's end is closed.
func (a *hangUpArrives) Fire(uint64) {
	cn := (*conn)(a)
	if cn.gone || cn.host.lives != cn.life || cn.host.proc.Dead() {
		return
	}
	cn.gone = true
	cn.host.drop(cn)
	cn.host.serv.hangUp(cn)
}

// close is the server closing the connection.
func (cn *conn) close() {
	if cn.gone {
		return
	}
	cn.gone = true
	cn.host.drop(cn)
	cn.tellBroken()
}

// tellBroken sends the client the news that the connection is over.
func (cn *conn) tellBroken() {
	c := cn.client
	at := c.w.k.Now().Add(c.latency())
	c.w.network.send(behind(&cn.lane.down, at), cn.host.node, c.node, (*breakArrives)(cn))
}

// Fire: the client's operating system knows that the connection is over.
func (a *breakArrives) Fire(uint64) {
	cn := (*conn)(a)
	if cn.broken {
		return
	}
	cn.client.forget(cn)
	cn.client.tryNext(cn.host)
	if cn.socket != nil {
		cn.socket.breaks()
		return
	}
	cn.broken = true
	cn.wake()
}

func (cn *conn) wake() {
	if cn.waiting {
		cn.waker.Wake()
	}
}

// push sends the client a message that it did not ask for.
func (cn *conn) push(m any) {
	if cn.gone || cn.socket != nil && cn.socket.gap[faults.ReplyHalf] != 0 { // see keepGap
		return
	}
	c := cn.client
	at := behind(&cn.lane.down, c.w.k.Now().Add(c.latency()))
	c.w.network.send(at, cn.host.node, c.node, &pushArrives{cn, m})
}

// Fire: a message has reached the client's host.
func (a *pushArrives) Fire(uint64) {
	if a.conn.broken || a.conn.client.proc.Dead() {
		return
	}
	if a.conn.socket != nil {
		a.conn.socket.pushed(a.m)
		return
	}
	a.conn.pushed = append(a.conn.pushed, a.m)
	a.conn.wake()
}
