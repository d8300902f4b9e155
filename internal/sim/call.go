package sim

import (
	"context"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/world"
)

// call is one command on its way: request, execution, reply. Request and reply
// are messages of their own, therefore "executed, but the reply was lost"
// exists. Calls are pooled; refs counts the messages and the waiting client
// that still know it.
type call struct {
	w      *World
	client *client
	server *server
	cmd    world.Cmd
	waker  kernel.Waker
	reply  world.Reply
	id     int64
	refs   int

	sent, executed int32 // events

	answered    bool
	broken      bool // the connection broke first
	timedOut    bool // the client has waited for long enough
	dropRequest int  // number of the fault that loses it, lossy for the network's own loss
	dropReply   int
	slowRequest time.Duration
	slowReply   time.Duration
}

// lossy stands for the network's own loss where a fault's number is expected.
const lossy = -1

// The stations of a call, as handlers of the kernel.
type (
	requestArrives call
	replyArrives   call
	connectionLost call
)

// Do implements world.Redis: one command to whichever server is the primary
// when it is sent.
func (c *client) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return world.Failed(err)
	}
	l := c.w.redis.newCall(c, &cmd)
	defer l.unref()
	c.reachOnWire(faults.AboutToSend, l)
	l.server = c.w.redis.primary // only now: a fault at the last moment may have changed it
	l.sent = c.w.record(c.proc, history.Event{
		Kind: history.Sent, Node: c.node, Peer: l.server.node, Value: l.id,
		Text: c.texts.of(c.w.hist, &l.cmd), Cause: history.NoCause,
	})
	l.waker = c.w.k.Waker()
	l.launch()
	c.reachOnWire(faults.Sends, l)
	return c.await(ctx, l)
}

// await waits for the reply and records what the client gets to see.
func (c *client) await(ctx context.Context, l *call) world.Reply {
	err := error(nil)
	if !l.answered {
		c.expect(l)
		err = c.w.k.Await(ctx, -1)
	}
	switch {
	case err == nil && l.timedOut:
		return c.fail(l, world.ErrTimeout)
	case err == nil && l.broken:
		return c.fail(l, world.ErrConnection)
	case err == nil:
		cause := l.executed
		c.w.record(c.proc, history.Event{
			Kind: history.Replied, Node: c.node, Peer: l.server.node, Value: l.id,
			Text: c.w.replies.of(c.w.hist, &l.reply), Cause: cause,
		})
		c.reachOnWire(faults.HasReply, l)
		if c.w.k.Current().Name() == world.Watchdog {
			c.Reach(faults.Renews)
		}
		return l.reply
	default:
		return c.fail(l, err)
	}
}

func (c *client) fail(l *call, err error) world.Reply {
	c.w.record(c.proc, history.Event{
		Kind: history.TimedOut, Node: c.node, Peer: l.server.node, Value: l.id,
		Text: c.w.hist.Intern(err.Error()), Cause: l.sent,
	})
	return world.Failed(err)
}

func (c *client) reachOnWire(kind faults.MomentKind, l *call) {
	if c.w.engine.WantsKind(kind) {
		c.w.engine.Observe(l.moment(kind))
		c.w.k.Checkpoint()
	}
}

func (l *call) moment(kind faults.MomentKind) faults.Moment {
	m := faults.Moment{
		Kind: kind, Subject: l.client.name,
		Call: faults.Call{Client: l.client.name, ID: l.id, Command: l.cmd.Name},
	}
	if l.cmd.Script != nil {
		m.Script = l.cmd.Script.Name
	}
	return m
}

// launch puts the request on its way.
func (l *call) launch() {
	travel := l.client.latency() + l.slowRequest
	if l.client.loses() && l.dropRequest == 0 {
		l.dropRequest = lossy
	}
	if l.dropRequest != 0 {
		l.recordDrop(history.RequestDropped, l.client.node, l.server.node, l.sent, l.dropRequest)
		return
	}
	l.refs++
	l.w.k.After(travel, (*requestArrives)(l), 0, 0)
}

// Fire: the request has reached the server's host.
func (r *requestArrives) Fire(_, _ uint64) {
	l := (*call)(r)
	switch {
	case l.server.proc.Dead():
		l.refuse()
	case l.server.proc.Frozen():
		l.server.inbox = append(l.server.inbox, l)
	default:
		l.execute()
	}
}

// execute runs the command on the server and sends the reply.
func (l *call) execute() {
	s := l.server
	s.execute(l)
	if l.w.engine.WantsKind(faults.HasExecuted) {
		l.w.engine.Observe(l.moment(faults.HasExecuted))
	}
	if s.proc.Dead() {
		l.refuse() // it died with the reply still in its buffers
		return
	}
	l.answer()
}

func (l *call) answer() {
	travel := l.client.latency() + l.slowReply
	if l.client.loses() && l.dropReply == 0 {
		l.dropReply = lossy
	}
	if l.dropReply != 0 {
		l.recordDrop(history.ReplyDropped, l.server.node, l.client.node, l.executed, l.dropReply)
		l.unref()
		return
	}
	l.w.k.After(travel, (*replyArrives)(l), 0, 0)
}

// refuse tells the client that nobody listens any more.
func (l *call) refuse() {
	l.w.k.After(l.client.latency(), (*connectionLost)(l), 0, 0)
}

// Fire: the reply has reached the client's host; its process may be frozen.
func (r *replyArrives) Fire(_, _ uint64) {
	l := (*call)(r)
	l.wake()
	l.unref()
}

// Fire: the client's kernel reports a broken connection.
func (r *connectionLost) Fire(_, _ uint64) {
	l := (*call)(r)
	if !l.answered {
		l.broken = true
		l.wake()
	}
	l.unref()
}

func (l *call) wake() {
	l.answered = true
	l.waker.Wake()
}

func (l *call) recordDrop(kind history.Kind, node, peer history.NodeID, cause int32, fault int) {
	l.w.recordBare(history.Event{
		Kind: kind, Node: node, Peer: peer, Cause: cause, Value: int64(max(fault, 0)),
	})
}

func (l *call) unref() {
	l.refs--
	if l.refs == 0 {
		l.w.redis.recycle(l)
	}
}
