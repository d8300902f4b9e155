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

// call is one request on its way: request, execution, reply. Request and reply are separate
// messages, so a request can be executed and its reply be lost. Calls are pooled; refs counts the
// messages and the waiting client that still refer to it.
type call struct {
	w        *World
	client   *client
	host     *host
	life     int     // of the host, when the request was sent
	conn     *conn   // nil for one of the pool
	socket   *Socket // of a guest; nil for a task's
	lane     *lane   // on which it goes; nil for a connection that nothing else is on
	cmd      redis.Cmd
	op       store.Op   // nil for a Redis command
	does     history.Op // the effect of op, once it was needed
	known    int64      // the id of the call that does belongs to
	waker    kernel.Waker
	reply    redis.Reply                // to cmd
	value    any                        // to op
	err      error                      // of the store, to op
	shown    string                     // a guest's command, for reports
	onAnswer func(value any, err error) // gets the answer to op, of a guest; nil if not set
	id       int64
	refs     int
	part     faults.Part // of the lock, but for its watchdog

	sent, executed int32 // events

	leader  *member       // of a cluster, which takes it to a majority
	consent store.Consent // that it needs there

	patience    time.Duration // how long the server may keep it on purpose
	answered    bool
	broken      bool     // the connection broke first
	timedOut    bool     // the client has waited for long enough
	kept        bool     // by the server, which has not executed it yet: it waits for another client
	takenBack   bool     // the client has given up, see plan.Network
	silent      bool     // about the connection itself, and in no history
	ofClient    []string // CLIENT and its words; nil when it is none
	dropRequest int      // number of the fault that loses it; lossy for the network's own loss
	dropReply   int
	slowRequest lateness
	slowReply   lateness
}

// lossy stands for the network's own loss where a fault's number is expected.
const lossy = -1

// The stations of a call, as handlers of the kernel.
type (
	requestArrives call
	commitArrives  call // in a cluster
	replyArrives   call
	connectionLost call
)

func (w *World) newCall(c *client) *call {
	var l *call
	if n := len(w.freeCalls); n > 0 {
		l = w.freeCalls[n-1]
		w.freeCalls = w.freeCalls[:n-1]
	} else {
		l = &call{w: w}
		w.calls = append(w.calls, l)
	}
	w.nextCall++
	// The reply and the host of the previous use are overwritten before they are read.
	l.client, l.id, l.refs, l.executed = c, w.nextCall, 1, history.NoCause
	if l.part = c.part; l.part != faults.NoPart && c.inWatchdog() {
		l.part = faults.NoPart
	}
	l.conn, l.lane, l.op, l.known, l.value, l.err, l.patience = nil, nil, nil, 0, nil, nil, 0
	l.socket, l.silent, l.ofClient, l.onAnswer = nil, false, nil, nil
	l.answered, l.broken, l.timedOut, l.kept, l.takenBack = false, false, false, false, false
	l.dropRequest, l.dropReply, l.slowRequest, l.slowReply = 0, 0, lateness{}, lateness{}
	return l
}

// inWatchdog reports whether the running task is the watchdog of a lock.
func (c *client) inWatchdog() bool {
	t := c.w.k.Current()
	return t != nil && t.Name() == ports.Watchdog
}

func (w *World) resetCalls() {
	for _, l := range w.calls {
		l.id = 0 // else findCall could return a call of the last run
	}
	w.freeCalls = append(w.freeCalls[:0], w.calls...)
	w.nextCall, w.nextConn = 0, 0
}

// findCall returns the call with an id, which a fault names while its client waits.
func (w *World) findCall(id int64) *call {
	for _, l := range w.calls {
		if l.id == id {
			return l
		}
	}
	panic("sim: a fault names a command that was not sent")
}

// send sends a request; waitFor then waits for its reply.
func (c *client) send(l *call, to route) {
	c.reachOnWire(faults.AboutToSend, l)
	if l.conn != nil {
		l.host, l.life, l.lane = l.conn.host, l.conn.life, l.conn.lane
	} else {
		l.host = to.pick(c) // only now: a fault of this moment may have changed it
		l.life = l.host.lives
		if c.w.oneLane {
			l.lane = c.laneTo(l.host)
		}
	}
	l.sent = l.seen(history.Sent, l.text(), history.NoCause)
	c.countBackToBack()
	l.waker = c.w.k.Waker()
	l.launch()
	c.reachOnWire(faults.Sends, l)
}

// countBackToBack counts a request: see World.MaxBackToBackRequests.
func (c *client) countBackToBack() {
	if c.w.k.Now() != c.replied {
		c.backToBack = 0
		return
	}
	if c.backToBack++; c.backToBack == c.w.MaxBackToBackRequests && c.w.spinning == nil {
		c.w.spinning, c.w.spinningAt = c, len(c.w.hist.Events)
		c.w.k.Halt()
	}
}

// waitFor parks the task until the call is over, or returns the error of ctx.
func (c *client) waitFor(ctx context.Context, l *call) error {
	if l.answered { // while a fault held the client back
		return nil
	}
	limit := time.Duration(-1)
	if l.patience == 0 {
		c.expect(l)
	} else {
		limit = c.proc.Clock.TrueFor(c.w.plan.Network.Timeout + l.patience)
	}
	err := c.w.k.Await(ctx, limit)
	if err == kernel.ErrDeadline { // never wrapped
		l.timedOut = true
		return nil
	}
	return err
}

// receive records how a call has ended; err is that of waitFor. The reply is in l. The error is
// ErrTimeout, ErrConnection or one of ctx.
func (c *client) receive(l *call, err error) error {
	switch {
	case err != nil:
		return c.fail(l, err)
	case l.timedOut:
		return c.fail(l, ports.ErrTimeout)
	case l.broken:
		return c.fail(l, ports.ErrConnection)
	}
	l.seen(history.Replied, c.w.textOfReply(l), l.executed)
	c.replied = c.w.k.Now()
	c.reachOnWire(faults.HasReply, l)
	if c.inWatchdog() {
		c.Reach(faults.Renews)
	}
	return nil
}

func (c *client) fail(l *call, err error) error {
	l.takenBack = c.w.timing.TakenBack
	l.seen(history.TimedOut, c.w.hist.Intern(err.Error()), l.sent)
	return err
}

// seen records an event of the call on its client.
func (l *call) seen(kind history.Kind, text history.TextID, cause int32) int32 {
	return l.w.record(l.client.proc, history.Event{
		Kind: kind, Node: l.client.node, Peer: l.host.node, Value: l.id, Text: text, Cause: cause,
	})
}

func (c *client) reachOnWire(kind faults.MomentKind, l *call) {
	if c.w.engine.WantsKind(kind) {
		if kind == faults.AboutToSend {
			c.reach(l.moment(kind), c.w.timing.StopTime)
			return
		}
		c.w.engine.Observe(l.moment(kind))
		c.w.k.Checkpoint()
	}
}

func (l *call) moment(kind faults.MomentKind) faults.Moment {
	m := faults.Moment{
		Kind: kind, Subject: l.client.name,
		Call: faults.Call{Client: l.client.name, ID: l.id, Command: l.name()},
		Part: l.part.Of(l.name(), l.op == nil),
	}
	if l.op == nil && l.cmd.Script != nil {
		m.Script = l.cmd.Script.Name
	}
	return m
}

func (l *call) launch() {
	travel := l.client.latency()
	if l.client.loses() && l.dropRequest == 0 {
		l.dropRequest = lossy
	}
	l.keepGap(faults.RequestHalf, &l.dropRequest)
	if l.dropRequest != 0 {
		l.recordDrop(history.RequestDropped, l.client.node, l.host.node, l.sent, l.dropRequest)
		return
	}
	l.refs++
	at := l.w.k.Now().Add(travel + l.slowRequest.take(l.w, l.client.node))
	if l.lane != nil {
		at = behind(&l.lane.up, at)
	}
	l.carry(at, travel, l.client.node, l.host.node, (*requestArrives)(l))
}

// Fire: the request has reached the server's host.
func (r *requestArrives) Fire(uint64) {
	l := (*call)(r)
	l.host.arrive(l)
}

func (l *call) executedOn(h *host) {
	if l.silent {
		return
	}
	l.executed = l.w.record(h.proc, history.Event{
		Kind: history.Executed, Node: h.node, Peer: l.client.node, Value: l.id,
		Text: l.w.textOfReply(l), Cause: l.sent,
	})
}

// deny answers that a request cannot be executed. A guest gets the answer on its connection; other
// clients, in both worlds, see a lost connection.
func (l *call) deny(why error) {
	if l.socket == nil {
		l.refuse()
		return
	}
	l.err = why
	l.sendBack()
}

func (l *call) answer() {
	if !l.silent && l.w.engine.WantsKind(faults.HasExecuted) {
		l.w.engine.Observe(l.moment(faults.HasExecuted))
	}
	l.sendBack()
}

func (l *call) sendBack() {
	if l.host.proc.Dead() || l.life != l.host.lives {
		l.refuse() // the reply was still in its buffers
		return
	}
	travel := l.client.latency()
	if l.client.loses() && l.dropReply == 0 {
		l.dropReply = lossy
	}
	l.keepGap(faults.ReplyHalf, &l.dropReply)
	if l.dropReply != 0 {
		l.recordDrop(history.ReplyDropped, l.host.node, l.client.node, l.executed, l.dropReply)
		l.unref()
		return
	}
	at := l.w.k.Now().Add(travel + l.slowReply.take(l.w, l.client.node))
	if l.lane != nil {
		at = behind(&l.lane.down, at)
	}
	l.carry(at, travel, l.host.node, l.client.node, (*replyArrives)(l))
}

// carry sends one half of the call, to arrive at an instant. It is late if that is more than its
// travel time from now.
func (l *call) carry(at history.Instant, travel time.Duration, from, to history.NodeID, h kernel.Handler) {
	if at > l.w.k.Now().Add(travel) {
		l.w.network.sendLate(at, from, to, h)
		return
	}
	l.w.network.send(at, from, to, h)
}

// refuse tells the client that the server is no longer listening.
func (l *call) refuse() {
	at := l.w.k.Now().Add(l.client.latency())
	l.w.network.send(at, l.host.node, l.client.node, (*connectionLost)(l))
}

// Fire: the reply has reached the client's host; its process may be frozen.
func (r *replyArrives) Fire(uint64) {
	l := (*call)(r)
	l.wake()
	l.unref()
}

// Fire: the client's kernel reports a broken connection.
func (r *connectionLost) Fire(uint64) {
	l := (*call)(r)
	if !l.answered {
		l.broken = true
		l.wake()
	}
	l.unref()
}

func (l *call) wake() {
	l.answered = true
	if l.socket != nil {
		l.socket.answered(l)
		return
	}
	l.waker.Wake()
}

func (l *call) recordDrop(kind history.Kind, node, peer history.NodeID, cause int32, fault int) {
	if l.silent {
		return
	}
	l.w.recordBare(history.Event{
		Kind: kind, Node: node, Peer: peer, Cause: cause, Value: int64(max(fault, 0)),
	})
	if !l.w.usesAnotherLock(l.client.node) {
		l.w.engine.Acted(fault)
	}
}

// take removes the elements that match from a list, and returns them.
func take[T any](list *[]T, match func(T) bool) (taken []T) {
	*list = slices.DeleteFunc(*list, func(one T) bool {
		is := match(one)
		if is {
			taken = append(taken, one)
		}
		return is
	})
	return taken
}

// unref drops one reference to the call. Unwound tasks need not call it: resetCalls frees all
// calls.
func (l *call) unref() {
	l.refs--
	if l.refs == 0 {
		l.w.freeCalls = append(l.w.freeCalls, l)
	}
}
