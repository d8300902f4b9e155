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

// conn is a connection that a client has dialled to one server. Messages keep their order in both
// directions, and the server may push some.
type conn struct {
	client *client
	host   *host
	id     uint64
	life   int   // of the host
	offset int64 // of the replication stream when its last command, or its greeting, was executed

	gone   bool // the server's end is closed
	broken bool // the client knows that it is over

	lane    *lane
	own     lane            // used unless the client has one lane for all its requests to the server
	settled history.Instant // when a cluster has executed all requests so far that need a majority

	socket      *Socket            // of a guest; nil for a task's
	tracking    tracking           // of a guest of Redis
	transaction *redis.Transaction // of a guest; nil before its first command
	waits       bool               // of a guest: one of its commands is blocked at the server,
	behind      []*call            // and these came after it

	pushed  []any // messages not taken yet
	waiting bool  // a task waits in next
	waker   kernel.Waker
}

// lane is a TCP connection: messages arrive in the order of sending, so a late one delays all that
// follow.
type lane struct {
	host     *host
	life     int             // of the host
	up, down history.Instant // when the latest messages arrive, by direction
}

// behind returns when a message arrives that is due at an instant: not before the last one in its
// direction.
func behind(last *history.Instant, at history.Instant) history.Instant {
	*last = max(*last, at)
	return *last
}

// laneTo returns a client's only connection to a server, for libraries that put everything on one:
// requests of all tasks, renewals and watches.
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

// dialHost opens a connection to a server. It takes no time: only the first request shows whether
// the server listens.
func (c *client) dialHost(h *host) *conn {
	c.w.nextConn++
	cn := c.w.arenas.conns.Next()
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

// dial opens a connection to the server that a pooled request would go to.
func (c *client) dial(ctx context.Context, to route) (*conn, error) {
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.dialHost(to.pick(c)), nil
}

// store identifies the connection to a store's model.
func (cn *conn) store() store.Conn { return store.Conn{ID: cn.id, Client: cn.client.node} }

// Send implements store.Port, over any connection.
func (c *client) Send(ctx context.Context, op store.Op) (any, error) {
	return c.askOn(ctx, nil, op)
}

func (c *client) Dial(ctx context.Context) (store.Connection, error) {
	cn, err := c.dial(ctx, c.w.route)
	if err != nil {
		return nil, err
	}
	return cn, nil
}

func (c *client) Hesitates() time.Duration { return c.w.timing.Reconnect }

var (
	_ store.Port       = (*client)(nil)
	_ store.Hesitant   = (*client)(nil)
	_ store.Connection = (*conn)(nil)
)

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
	if err := c.receive(l, c.waitFor(ctx, l)); err != nil {
		if err == ports.ErrTimeout || err == ports.ErrConnection { // never wrapped
			c.tryNext(l.host)
		}
		return nil, err
	}
	return l.value, l.err
}

// Next implements store.Connection.
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

// Close implements store.Connection. The server learns of it when the message arrives.
func (cn *conn) Close() {
	if cn.broken {
		return
	}
	cn.hangUp()
	cn.wake()
}

func (cn *conn) GiveUp() {
	cn.Close()
	cn.client.member++
}

// hangUp is what the operating system does when a process closes a connection or dies.
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

// Fire: the server learns that the client's end is closed; when it thaws if it is frozen.
func (a *hangUpArrives) Fire(uint64) {
	cn := (*conn)(a)
	if cn.gone || cn.host.lives != cn.life || cn.host.proc.Dead() {
		return
	}
	if cn.host.proc.Frozen() {
		cn.host.hungUp = append(cn.host.hungUp, cn)
		return
	}
	cn.gone = true
	cn.host.drop(cn)
	cn.host.serv.hangUp(cn)
}

func (cn *conn) close() {
	if cn.gone {
		return
	}
	cn.gone = true
	cn.host.drop(cn)
	cn.notifyBroken()
}

// notifyBroken notifies the client that the connection is closed.
func (cn *conn) notifyBroken() {
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
