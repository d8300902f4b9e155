package sim

import (
	"context"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// A guest is a lock whose code is not of this repository: it has goroutines, a client
// library and sockets of its own. Its client is a process like any other. What the kernel
// cannot do to it is to stop its goroutines, so it is stopped where it touches the world:
// at its sockets, and where it is called and returns. Its timers go on and fire, and its
// clock is the common one.

// PlayGuest is Play for a lock that is a guest: its time is that of pacer, and variant.New
// finds the door to its client by GuestOf.
func (w *World) PlayGuest(ctx context.Context, p *plan.Plan, v locks.Variant, seed uint64, pacer kernel.Pacer) (*history.History, error) {
	w.pacer = pacer
	defer func() { w.pacer = nil }()
	return w.playVariant(ctx, p, v, seed)
}

// Guest gives access to one client. Only tasks of the kernel, and functions that a Pacer
// passes on, may use it.
type Guest struct{ c *client }

// GuestOf returns the door to the client whose lock has been given this Env.
func GuestOf(e ports.Env) Guest { return Guest{e.(*client)} }

// Program receives what happens to a guest's process.
type Program interface {
	// Stop: nothing that it asks of its operating system comes back until GoOn, which
	// never comes when the process has died.
	Stop()
	GoOn()
}

// guest is what a client knows of its guest.
type guest struct {
	program Program
	held    []func() // what has come while the process was frozen
}

// Bind names the program to be told of what becomes of the process.
func (g Guest) Bind(p Program) { g.c.guest.program = p }

// Await parks the running task until wake is called, or for limit at most, which is an
// error: kernel.ErrDeadline. start is called first and must arrange that wake is called.
func (g Guest) Await(ctx context.Context, limit time.Duration, start func(wake func())) error {
	k := g.c.w.k
	waker := k.Waker()
	start(func() { waker.Wake() })
	return k.Await(ctx, limit)
}

// stop tells the guest that its process does not run any more.
func (c *client) stop() {
	if p := c.guest.program; p != nil {
		p.Stop()
	}
}

// thaw lets the process go on with what has come meanwhile.
func (c *client) thaw() {
	c.proc.Thaw()
	for len(c.guest.held) > 0 && !c.proc.Frozen() {
		f := c.guest.held[0]
		c.guest.held = c.guest.held[1:]
		c.whenRunning(f)
	}
	if p := c.guest.program; p != nil && !c.proc.Frozen() && !c.proc.Dead() {
		p.GoOn() // now: what has come is there before a time limit is looked at
	}
}

// whenRunning does something of a guest once its process runs; never, if that has died.
func (c *client) whenRunning(f func()) {
	switch {
	case c.proc.Dead():
	case c.proc.Frozen():
		c.guest.held = append(c.guest.held, f)
	default:
		f()
	}
}

// Sink receives what comes from a Socket, in order.
type Sink interface {
	Answer(redis.Reply) // to the oldest request without one, those of Do excepted
	Push(message any)   // what the server says unasked
	Broken()            // the connection is over; nothing else comes
}

// Socket is a connection of a guest to one server.
type Socket struct {
	conn *conn
	sink Sink
	open []*call // without an answer yet, in order
	gap  [2]int  // by half: the fault that has swallowed a message, lossy for the network's own loss
}

// Dial opens a connection: to the primary where one group of servers is behind the lock, to
// the server with that index where each is on its own or clients know all of them.
func (g Guest) Dial(server int, sink Sink) *Socket {
	w := g.c.w
	var to *host
	switch b := w.backend.(type) {
	case *redisNodes:
		to = b.groups[server].pick(g.c)
	case *cluster:
		to = &b.members[server].host
	default:
		to = w.route.pick(g.c)
	}
	s := &Socket{conn: g.c.dialHost(to), sink: sink}
	s.conn.socket = s
	return s
}

// Send sends one request to the store. text is how it reads.
func (s *Socket) Send(cmd redis.Cmd, text string) {
	l := s.newCall()
	l.cmd, l.shown = cmd, text
	s.send(l)
}

// Do sends one request to the store's model. told, which may be nil, gets the answer unless the
// connection breaks before. The number is that by which Forsake knows the request.
func (s *Socket) Do(op store.Op, told func(value any, err error)) (id int64) {
	l := s.newCall()
	l.op, l.told = op, told
	s.send(l)
	return l.id
}

// Forsake notes that the program waits no more for the answer to one request of Do, and why.
func (s *Socket) Forsake(id int64, why error) {
	s.conn.client.whenRunning(func() {
		if i := slices.IndexFunc(s.open, func(l *call) bool { return l.id == id }); i >= 0 {
			s.open[i].giveUp(why)
		}
	})
}

// Ask sends a request about the connection itself, which is no part of the lock: it travels
// and waits like any other, is in no history, and no fault waits for it. reply is the answer.
func (s *Socket) Ask(reply redis.Reply) {
	l := s.newCall()
	l.silent, l.reply = true, reply
	s.send(l)
}

// AskClient is Ask for the command CLIENT with such words. What it says of CLIENT TRACKING and CLIENT CACHING
// comes from the server; all else is answered with OK.
func (s *Socket) AskClient(words []string) {
	l := s.newCall()
	l.silent, l.ofClient = true, words
	s.send(l)
}

// Close ends the connection from the client's side. why is what its program has made of the
// requests without an answer.
func (s *Socket) Close(why error) {
	c := s.conn.client
	c.whenRunning(func() {
		s.giveUp(why)
		s.conn.Close()
	})
}

// GiveUp notes that the program has stopped waiting for answers, and why. What comes later
// is still passed on.
func (s *Socket) GiveUp(why error) { s.conn.client.whenRunning(func() { s.giveUp(why) }) }

func (s *Socket) giveUp(why error) {
	for _, l := range s.open {
		l.giveUp(why)
	}
}

// giveUp notes that the program of a guest waits no more.
func (l *call) giveUp(why error) {
	if !l.silent && !l.timedOut {
		l.timedOut = true
		_ = l.client.fail(l, why)
	}
}

func (s *Socket) newCall() *call {
	l := s.conn.client.w.newCall(s.conn.client)
	l.conn, l.socket = s.conn, s
	return l
}

func (s *Socket) send(l *call) {
	c := s.conn.client
	c.whenRunning(func() {
		if s.conn.broken {
			return
		}
		c.tell(faults.AboutToSend, l)
		c.whenRunning(func() { s.launch(l) })
	})
}

func (s *Socket) launch(l *call) {
	c := s.conn.client
	l.host, l.life, l.lane = s.conn.host, s.conn.life, s.conn.lane
	s.open = append(s.open, l)
	if !l.silent {
		l.sent = c.w.record(c.proc, history.Event{
			Kind: history.Sent, Node: c.node, Peer: l.host.node, Value: l.id,
			Text: l.text(), Cause: history.NoCause,
		})
	}
	l.launch()
	c.tell(faults.Sends, l)
}

// keepGap has all messages of a connection get lost that come behind one that is lost: TCP
// delivers nothing behind a gap.
func (l *call) keepGap(h faults.Half, lost *int) {
	if l.socket == nil {
		return
	}
	if *lost == 0 {
		*lost = l.socket.gap[h]
	}
	l.socket.gap[h] = *lost
}

// tell reports a moment of a guest's request. A fault that it has waited for acts before
// tell returns.
func (c *client) tell(kind faults.MomentKind, l *call) {
	if !l.silent && c.w.engine.WantsKind(kind) {
		c.w.engine.Observe(l.moment(kind))
	}
}

// answered handles the arrival of the answer to l at the client's host.
func (s *Socket) answered(l *call) {
	c := s.conn.client
	c.whenRunning(func() {
		if s.conn.broken || !slices.Contains(s.open, l) {
			return
		}
		if l.broken {
			s.breaks()
			return
		}
		if !l.silent && !l.timedOut {
			c.w.record(c.proc, history.Event{
				Kind: history.Replied, Node: c.node, Peer: l.host.node, Value: l.id,
				Text: c.w.textOfReply(l), Cause: l.executed,
			})
			c.tell(faults.HasReply, l)
			if l.part == faults.NoPart && c.w.engine.WantsKind(faults.Renews) {
				c.w.engine.Observe(faults.Moment{Kind: faults.Renews, Subject: c.name})
			}
		}
		reply, value, err, told, ofModel := l.reply, l.value, l.err, l.told, l.op != nil
		c.whenRunning(func() {
			s.open = slices.DeleteFunc(s.open, func(o *call) bool { return o == l })
			l.unref()
			switch {
			case !ofModel:
				s.sink.Answer(reply)
			case told != nil:
				told(value, err)
			}
		})
	})
}

// pushed passes on what the server has said unasked.
func (s *Socket) pushed(m any) { s.conn.client.whenRunning(func() { s.sink.Push(m) }) }

// breaks tells the program that its connection is over.
func (s *Socket) breaks() {
	s.conn.client.whenRunning(func() {
		s.giveUp(ports.ErrConnection)
		s.conn.broken = true
		s.sink.Broken()
	})
}
