package sim

import (
	"context"
	"errors"
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

// A guest is a user's own lock, with goroutines and a client library. Its client is a process like
// any other, but the kernel cannot stop its goroutines: a freeze stops its sockets, and the calls
// to it and their returns. Its timers fire, and its clock is the common one.

// PlayGuest is Play for a guest: its time is that of pacer, and variant.New gets the client by
// GuestOf.
func (w *World) PlayGuest(ctx context.Context, p *plan.Plan, v locks.Variant, seed uint64, pacer kernel.Pacer) (*history.History, error) {
	w.pacer = pacer
	// The goroutines of the guest are never unwound, and may still refer to parts of this run.
	defer func() { w.pacer, w.engine, w.arenas = nil, nil, arenas{} }()
	return w.playVariant(ctx, p, v, seed)
}

// Guest gives access to one client. Only tasks of the kernel, and the requests of a Pacer, may use
// it.
type Guest struct{ c *client }

// GuestOf returns the client whose lock has been given this Env.
func GuestOf(e ports.Env) Guest { return Guest{e.(*client)} }

// Program is notified when a guest's process stops.
type Program interface {
	// Stop: no system call returns until GoOn, which is not called for a dead process.
	Stop()
	GoOn()
}

// guest is the state of a client that is a guest.
type guest struct {
	program Program
	held    []func() // what came while the process was frozen
}

// Bind sets the guest's program.
func (g Guest) Bind(p Program) { g.c.guest.program = p }

// Await calls start, and parks the running task until wake is called or limit has passed, which is
// kernel.ErrDeadline.
func (g Guest) Await(ctx context.Context, limit time.Duration, start func(wake func())) error {
	k := g.c.w.k
	waker := k.Waker()
	start(waker.Wake)
	return k.Await(ctx, limit)
}

func (c *client) stop() {
	if p := c.guest.program; p != nil {
		p.Stop()
	}
}

// thaw resumes the process, with what came meanwhile.
func (c *client) thaw() {
	c.proc.Thaw()
	for len(c.guest.held) > 0 && !c.proc.Frozen() {
		f := c.guest.held[0]
		c.guest.held = c.guest.held[1:]
		c.whenRunning(f)
	}
	if p := c.guest.program; p != nil && !c.proc.Frozen() && !c.proc.Dead() {
		p.GoOn() // after the held messages, so that they come before a timeout is checked
	}
}

// whenRunning calls f once the guest's process is running; never if it has died.
func (c *client) whenRunning(f func()) {
	switch {
	case c.proc.Dead():
	case c.proc.Frozen():
		c.guest.held = append(c.guest.held, f)
	default:
		f()
	}
}

// Sink receives from a Socket, in order.
type Sink interface {
	Answer(redis.Reply) // to the oldest open request, except those of Do
	Push(message any)   // a message that is no answer
	Broken()            // the connection is closed; nothing else comes
}

// Socket is a connection of a guest to one server.
type Socket struct {
	conn *conn
	sink Sink
	open []*call // without an answer, in order
	gap  [2]int  // by half: the fault that has lost a message; lossy for the network's own loss
}

// Dial opens a connection: to the server with an index if the servers are independent or a cluster,
// else to the primary.
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

// Send sends a request to the store. text is its text in reports.
func (s *Socket) Send(cmd redis.Cmd, text string) {
	l := s.newCall()
	l.cmd, l.shown = cmd, text
	s.send(l)
}

// Do sends a request to the store's model. onAnswer, which may be nil, is called with the answer unless
// the connection breaks before. The id is for StopWaitingFor.
func (s *Socket) Do(op store.Op, onAnswer func(value any, err error)) (id int64) {
	l := s.newCall()
	l.op, l.onAnswer = op, onAnswer
	s.send(l)
	return l.id
}

// StopWaitingFor notes that the program has stopped waiting for the answer to a request of Do, and
// why.
func (s *Socket) StopWaitingFor(id int64, why error) {
	s.conn.client.whenRunning(func() {
		if i := slices.IndexFunc(s.open, func(l *call) bool { return l.id == id }); i >= 0 {
			s.open[i].stopWaiting(why)
		}
	})
}

// Ask sends a request about the connection itself, whose answer is reply. It is in no history, and
// no fault waits for it.
func (s *Socket) Ask(reply redis.Reply) {
	l := s.newCall()
	l.silent, l.reply = true, reply
	s.send(l)
}

// AskClient is Ask for the command CLIENT with arguments. The server answers CLIENT TRACKING and
// CLIENT CACHING; the answer to all others is OK.
func (s *Socket) AskClient(words []string) {
	l := s.newCall()
	l.silent, l.ofClient = true, words
	s.send(l)
}

// Close ends the connection from the client's side. why is the error of the open requests.
func (s *Socket) Close(why error) {
	c := s.conn.client
	c.whenRunning(func() {
		s.stopWaiting(why)
		s.conn.Close()
	})
}

// StopWaiting notes that the program has stopped waiting for answers, and why. Later answers are
// still delivered.
func (s *Socket) StopWaiting(why error) { s.conn.client.whenRunning(func() { s.stopWaiting(why) }) }

func (s *Socket) stopWaiting(why error) {
	for _, l := range s.open {
		l.stopWaiting(why)
	}
}

// errKept is the error of a request that the server has kept waiting for longer than its client
// waits for an answer.
var errKept = errors.New(history.KeptWaiting)

// stopWaiting notes that the program of a guest has stopped waiting for the answer.
func (l *call) stopWaiting(why error) {
	if !l.silent && !l.timedOut {
		l.timedOut = true
		if l.kept && errors.Is(why, ports.ErrTimeout) {
			why = errKept
		}
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
		c.reportMoment(faults.AboutToSend, l)
		c.whenRunning(func() { s.launch(l) })
	})
}

func (s *Socket) launch(l *call) {
	c := s.conn.client
	l.host, l.life, l.lane = s.conn.host, s.conn.life, s.conn.lane
	s.open = append(s.open, l)
	if !l.silent {
		l.sent = l.seen(history.Sent, l.text(), history.NoCause)
	}
	l.launch()
	c.reportMoment(faults.Sends, l)
}

// keepGap loses all messages of a connection that follow a lost one: TCP delivers nothing after a
// gap.
func (l *call) keepGap(h faults.Half, lost *int) {
	if l.socket == nil {
		return
	}
	if *lost == 0 {
		*lost = l.socket.gap[h]
	}
	l.socket.gap[h] = *lost
}

// reportMoment reports a moment of a guest's request. Faults that wait for it act before it returns.
func (c *client) reportMoment(kind faults.MomentKind, l *call) {
	if !l.silent && c.w.engine.WantsKind(kind) {
		c.w.engine.Observe(l.moment(kind))
	}
}

// answered handles an answer that has reached the client's host.
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
			l.seen(history.Replied, c.w.textOfReply(l), l.executed)
			c.reportMoment(faults.HasReply, l)
			if l.part == faults.NoPart && c.w.engine.WantsKind(faults.Renews) {
				c.w.engine.Observe(faults.Moment{Kind: faults.Renews, Subject: c.name})
			}
		}
		reply, value, err, onAnswer, ofModel := l.reply, l.value, l.err, l.onAnswer, l.op != nil
		c.whenRunning(func() {
			s.open = slices.DeleteFunc(s.open, func(o *call) bool { return o == l })
			l.unref()
			switch {
			case !ofModel:
				s.sink.Answer(reply)
			case onAnswer != nil:
				onAnswer(value, err)
			}
		})
	})
}

// pushed delivers a message that is no answer.
func (s *Socket) pushed(m any) { s.conn.client.whenRunning(func() { s.sink.Push(m) }) }

// breaks tells the program that its connection is over.
func (s *Socket) breaks() {
	s.conn.client.whenRunning(func() {
		s.stopWaiting(ports.ErrConnection)
		s.conn.broken = true
		s.sink.Broken()
	})
}
