package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockstep/internal/locks"
	"lockstep/internal/ports"
	"lockstep/internal/real/proto"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// port is redis.Port on go-redis.
type port struct {
	w      *worker
	server func() int // index of the server that the next command goes to
}

// connectRedis gives a lock the server that its client takes for the primary.
func (w *worker) connectRedis(d *locks.Deps) error {
	w.dialRedis()
	if len(w.start.Known) > 0 {
		w.followSentinels()
	}
	if len(w.start.Nodes) > 0 {
		nodes, err := w.nodes()
		d.Redis = redis.NewSharded(nodes, w.start.Nodes, w.start.First, locks.Key)
		return err
	}
	primary := &port{w, w.primary}
	d.Redis = primary
	return w.warm(primary.connect)
}

// connectNodes gives a lock a port to each server.
func (w *worker) connectNodes(d *locks.Deps) (err error) {
	w.dialRedis()
	d.Nodes, err = w.nodes()
	return err
}

// nodes are ports to each server, all of them connected, since any may be asked.
func (w *worker) nodes() (all []redis.Port, err error) {
	for i := range w.redis {
		node := &port{w, func() int { return i }}
		if err := w.warm(node.connect); err != nil {
			return nil, err
		}
		all = append(all, node)
	}
	return all, nil
}

func (w *worker) dialRedis() {
	for _, addr := range w.start.Endpoints {
		w.redis = append(w.redis, newLines(addr, w.start.Timeout))
	}
}

// options are those of a client of one server. They switch off what a client library does
// unasked, because a lock must see it:
//
//   - MaxRetries: a SETNX whose reply was lost would be sent again, and its answer
//     would be "taken" although we hold the lock;
//   - DialerRetries: each command to a dead server would take 400 ms;
//   - ContextTimeoutEnabled: otherwise a read ignores the context's deadline;
//   - PoolSize: after that many failed dials the pool answers from memory and
//     looks only once per second whether the server is back;
//   - Protocol 2 without identity and notices: fewer messages for a new connection.
func options(addr string, timeout time.Duration) *goredis.Options {
	goredis.SetLogger(silent{})
	return &goredis.Options{
		Addr:     addr,
		Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, DialerRetries: 1, DialTimeout: timeout,
		ReadTimeout: timeout, WriteTimeout: timeout, ContextTimeoutEnabled: true,
		PoolSize: 1000, ConnMaxIdleTime: -1, ConnMaxLifetime: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// connectTime bounds the connection before the run begins. A busy machine may take long.
const connectTime = time.Minute

// warm is the number of connections of a client when its run begins. Each command that times out
// closes its connection, and a new one cannot greet a frozen server: without idle ones in its pool,
// as a client that has run for a while has them, no more would be sent to that server. The
// simulator's clients always have one.
const warm = 12

// connect opens connections before true time begins, so that the first command of the run is not
// slower than the others.
func (p *port) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if err := p.w.redis[p.server()].warm(ctx, warm); err != nil {
		return fmt.Errorf("a server did not answer before the run: %w", err)
	}
	return nil
}

func (p *port) Do(ctx context.Context, cmd redis.Cmd) redis.Reply {
	defer p.w.turns.leave()()
	onWire, send := p.w.request(&cmd)
	server := p.server()
	return p.w.exchange(ctx, server, &cmd, onWire, func() redis.Reply {
		return p.w.redis[server].do(ctx, send)
	})
}

// exchange sends one command to one server, and reports the events and the moments on this
// side of the wire. The link reports those between request and reply; it recognises the
// command by its arguments on the wire.
func (w *worker) exchange(ctx context.Context, server int, cmd *redis.Cmd, onWire []any, send func() redis.Reply) redis.Reply {
	if err := ctx.Err(); err != nil {
		return redis.Failed(err)
	}
	up := proto.Up{Server: server, Command: cmd.Name(), Task: taskOf(ctx)}
	if cmd.Script != nil {
		up.Script = cmd.Script.Name
	}
	r := report{text: cmd.String(), op: cmd.Op(), redis: true, words: resp.Words(texts(onWire))}
	c := w.open(up, r, func(int64) string { return redisMark(texts(onWire)) })
	reply := send()
	if reply.Kind == redis.ReplyError && !serverError(reply.Err) {
		c.failed(reply.Err)
		return reply
	}
	c.answered(reply.String(), reply.Answer())
	return reply
}

// redisMark is the mark by which a link recognises a command: its bytes.
func redisMark(args []string) string { return string(resp.AppendCommand(nil, args...)) }

// texts are the arguments of a command as go-redis sends them.
func texts(args []any) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = fmt.Sprint(a)
	}
	return out
}

func serverError(err error) bool {
	var s redis.ServerError
	return errors.As(err, &s)
}

// waitFor returns at the latest when ctx ends. While go-redis waits for a reply, it observes a
// context's deadline, but not its cancellation; such a command is abandoned.
func waitFor(ctx context.Context, send func() redis.Reply) redis.Reply {
	if ctx.Done() == nil {
		return send()
	}
	answer := make(chan redis.Reply, 1)
	go func() { answer <- send() }()
	select {
	case reply := <-answer:
		return reply
	case <-ctx.Done():
		return redis.Failed(ctx.Err())
	}
}

// sender is a pool of connections, or one of them.
type sender interface {
	DoRaw(ctx context.Context, args ...any) *goredis.RawCmd
	Wait(ctx context.Context, replicas int, timeout time.Duration) *goredis.IntCmd
}

// sending sends one command and waits for its reply.
type sending func(ctx context.Context, on sender) redis.Reply

// request returns the arguments of a command on the wire, and a function that sends it.
func (w *worker) request(cmd *redis.Cmd) (onWire []any, send sending) {
	onWire = cmd.Args()
	patience := cmd.Patience()
	if patience == 0 {
		return onWire, raw(onWire...)
	}
	onWire[0] = "wait" // as go-redis writes it
	return onWire, func(ctx context.Context, on sender) redis.Reply {
		limited, cancel := context.WithTimeout(ctx, w.start.Timeout+patience)
		defer cancel()
		n, err := on.Wait(limited, int(cmd.Arg(0).Num), patience).Result()
		if err != nil {
			return redis.Failed(normal(ctx, err))
		}
		return redis.Int(n)
	}
}

// raw parses the bytes of the reply itself: go-redis turns a status and a string into the
// same Go string, and a lock must distinguish +OK from a key's value.
func raw(args ...any) sending {
	return func(ctx context.Context, on sender) redis.Reply {
		raw, err := on.DoRaw(ctx, args...).Bytes()
		if err != nil {
			return redis.Failed(normal(ctx, err))
		}
		reply, err := resp.Parse(raw)
		if err != nil {
			return redis.Failed(ports.ErrConnection) // a stream out of step is as good as broken
		}
		return reply
	}
}

// normal converts an error of the client library into one of the port.
func normal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var server goredis.Error
	if errors.As(err, &server) {
		return redis.ServerError(server.Error())
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout()) {
		return ended(ctx)
	}
	return ports.ErrConnection
}
