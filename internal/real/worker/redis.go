package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/resp"
	"lockstep/internal/world"
)

// port is world.Redis on go-redis.
type port struct {
	w      *worker
	server func() int // index of the server that the next command goes to
}

// primaryPort leads to whatever server this client takes for the primary.
func (w *worker) primaryPort() *port { return &port{w, func() int { return int(w.lead.Load()) }} }

// nodePorts are one port for each server: primaries that know nothing of each other.
func (w *worker) nodePorts() []*port {
	var out []*port
	for i := range w.redis {
		out = append(out, &port{w, func() int { return i }})
	}
	return out
}

// newRedis makes the client of one server. Its options switch off everything with which a
// client library helps behind the caller's back, because a lock must see it:
//
//   - MaxRetries: a SETNX whose reply was lost would be sent again, and answer
//     "taken" although we hold it;
//   - DialerRetries: each command to a dead server would take 400 ms;
//   - ContextTimeoutEnabled: otherwise a read ignores the context's deadline;
//   - PoolSize: after that many failed dials the pool answers from memory and
//     looks only once per second whether the server is back;
//   - Protocol 2 without identity and notices: fewer messages at connection.
func newRedis(addr string, timeout time.Duration) *redis.Client {
	redis.SetLogger(silent{})
	return redis.NewClient(&redis.Options{
		Addr:     addr,
		Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, DialerRetries: 1, DialTimeout: timeout,
		ReadTimeout: timeout, WriteTimeout: timeout, ContextTimeoutEnabled: true,
		PoolSize: 1000, ConnMaxIdleTime: -1, ConnMaxLifetime: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// connectTime bounds the connection before the run begins.
const connectTime = 10 * time.Second

// connect makes the first connection before true time begins, so that the first
// command of the run is not slower than the others.
func (p *port) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	var err error
	for ctx.Err() == nil {
		if err = p.w.redis[p.server()].Ping(ctx).Err(); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("a server did not answer before the run: %w", err)
}

// wants returns the moments of this command that some fault may wait for.
func (w *worker) wants(cmd *world.Cmd) []faults.MomentKind {
	var out []faults.MomentKind
	script := ""
	if cmd.Script != nil {
		script = cmd.Script.Name
	}
	for _, want := range w.start.Wire {
		if want.Covers(cmd.Name, script) {
			out = append(out, want.Kind)
		}
	}
	return out
}

// Do implements world.Redis.
func (p *port) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	defer p.w.turns.leave()()
	args, server := cmd.Args(), p.server()
	return p.w.exchange(ctx, server, &cmd, args, func() world.Reply {
		return waitFor(ctx, func() world.Reply { return roundTrip(ctx, p.w.redis[server], args) })
	})
}

// exchange sends one command to one server. Around it go the events of the wire, and the moments
// that faults wait for: what happens before the request leaves this process and
// after its reply has come back is reported here, what lies between is seen by
// the link, which knows the command by its arguments on the wire.
func (w *worker) exchange(ctx context.Context, server int, cmd *world.Cmd, onWire []any, send func() world.Reply) world.Reply {
	if err := ctx.Err(); err != nil {
		return world.Failed(err)
	}
	call := proto.Up{Call: w.next(), Server: server, Command: cmd.Name, Task: taskOf(ctx)}
	if cmd.Script != nil {
		call.Script = cmd.Script.Name
	}
	wants := w.wants(cmd)
	if slices.ContainsFunc(wants, beforeReply) {
		announce := call
		announce.Kind, announce.Wants = proto.CallUp, wants
		for _, a := range onWire {
			announce.Args = append(announce.Args, fmt.Sprint(a))
		}
		w.ask(announce)
	}
	w.event(call, history.Sent, cmd.String())
	reply := send()
	if reply.Kind == world.ReplyError && !serverError(reply.Err) {
		w.event(call, history.TimedOut, reply.Err.Error())
		return reply
	}
	w.event(call, history.Replied, reply.String())
	if slices.Contains(wants, faults.HasReply) {
		m := call
		m.Moment = faults.HasReply
		w.reach(m, true)
	}
	if call.Task == world.Watchdog {
		w.reach(proto.Up{Moment: faults.Renews}, w.wantsMoment(faults.Renews))
	}
	return reply
}

// beforeReply reports whether a moment comes before the client has its reply, so
// that the harness must know of the command before it is sent.
func beforeReply(m faults.MomentKind) bool { return m != faults.HasReply }

func (w *worker) event(call proto.Up, kind history.Kind, text string) {
	call.Event, call.Text = kind, text
	w.record(call)
}

func serverError(err error) bool {
	var s world.ServerError
	return errors.As(err, &s)
}

// waitFor returns at the latest when ctx ends. go-redis looks at a context's
// deadline while it waits for a reply, but not at its cancellation; such a
// command is left to itself.
func waitFor(ctx context.Context, send func() world.Reply) world.Reply {
	if ctx.Done() == nil {
		return send()
	}
	answer := make(chan world.Reply, 1)
	go func() { answer <- send() }()
	select {
	case reply := <-answer:
		return reply
	case <-ctx.Done():
		return world.Failed(ctx.Err())
	}
}

// sender is a pool of connections, or one of them.
type sender interface {
	DoRaw(ctx context.Context, args ...any) *redis.RawCmd
}

// roundTrip asks for the reply's raw bytes: go-redis turns a status and a
// string into the same Go string, and a lock must tell +OK from a key's value.
func roundTrip(ctx context.Context, on sender, args []any) world.Reply {
	raw, err := on.DoRaw(ctx, args...).Bytes()
	if err != nil {
		return world.Failed(normal(ctx, err))
	}
	reply, err := resp.Parse(raw)
	if err != nil {
		return world.Failed(world.ErrConnection) // a stream out of step is as good as broken
	}
	return reply
}

// normal turns an error of the client library into one of the port's.
func normal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var server redis.Error
	if errors.As(err, &server) {
		return world.ServerError(server.Error())
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout()) {
		// The socket's deadline is the earlier of two, and it may strike a
		// moment before the context's own timer.
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= 0 {
			return context.DeadlineExceeded
		}
		return world.ErrTimeout
	}
	return world.ErrConnection
}
