package claims

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/sql"
)

// Locks made for claims: known designs with one part changed.

// Locks in memory, shared by all clients or one for each client.
const (
	oneMemory   = "one memory"
	ownMemories = "a memory for each"
)

// variant is a lock of that name, on the servers of base; "" is base itself.
func variant(name string, base locks.Variant, acquire, release string) locks.Variant {
	v := locks.Variant{ID: name, Store: base.Store, LeaseUnit: time.Millisecond}
	redlock := func(accept acceptance, atOnce bool) locks.Variant {
		v.New = func(d locks.Deps) locks.Lock { return &voting{d, accept, atOnce} }
		return v
	}
	wrapped := func(acquire func(context.Context, locks.Lock, locks.Deps) (locks.Lease, error)) locks.Variant {
		inner := base.New
		base.New = func(d locks.Deps) locks.Lock {
			l := inner(d)
			return acquiring(func(ctx context.Context) (locks.Lease, error) { return acquire(ctx, l, d) })
		}
		return base
	}
	switch name {
	case "":
		return base
	case "redlock without a check":
		return redlock(func(time.Duration, time.Duration) bool { return true }, false)
	case "redlock within the lease":
		return redlock(func(elapsed, lease time.Duration) bool { return elapsed < lease }, false)
	case "redlock with a margin":
		return redlock(withMargin, false)
	case "redlock at once":
		return redlock(withMargin, true)
	case "interrupted":
		return wrapped(interrupted)
	case "persisting":
		return wrapped(persisting)
	case oneMemory:
		one := new(bool)
		v.New = func(d locks.Deps) locks.Lock { return inMemory(d, one) }
	case ownMemories:
		v.New = func(d locks.Deps) locks.Lock { return inMemory(d, new(bool)) }
	case "scripts":
		a, r := &redis.Script{Name: "lock", Source: acquire}, &redis.Script{Name: "unlock", Source: release}
		v.New = func(d locks.Deps) locks.Lock { return &scriptLock{Deps: d, acquire: a, release: r} }
	default:
		panic(failure{fmt.Errorf("there is no variant %q", name)})
	}
	return v
}

// acceptance decides whether a majority still counts after that time.
type acceptance func(elapsed, lease time.Duration) bool

// withMargin allows for clock drift as the Redis documentation of Redlock does.
func withMargin(elapsed, lease time.Duration) bool {
	return elapsed < lease-lease/100-2*time.Millisecond
}

// voting is Redlock with two choices: which majorities it accepts, and whether it asks the nodes at
// once, as libraries do, or in turn. It releases on all nodes.
type voting struct {
	locks.Deps
	accept acceptance
	atOnce bool
}

// compareAndDelete is the usual script.
var compareAndDelete = &redis.Script{Name: "unlock", Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`}

func (l *voting) Acquire(ctx context.Context) (locks.Lease, error) {
	for {
		token := strconv.FormatUint(l.Env.Rand().Uint64(), 16)
		release := func(ctx context.Context) error { return l.release(ctx, token) }
		start := l.Env.Mono()
		votes := l.ask(ctx, redis.Set(l.Name, token).PX(l.Lease).NX(), redis.Reply.IsOK)
		if votes > len(l.Nodes)/2 && l.accept(l.Env.Mono()-start, l.Lease) {
			return locks.ReleaseFunc(release), nil
		}
		_ = release(l.Env.Background()) // anything left expires with its lease
		if err := l.Env.Sleep(ctx, time.Duration(1+l.Env.Rand().Int64N(2*int64(l.Retry)))); err != nil {
			return nil, err
		}
	}
}

// ask sends a command to all nodes, and counts the good replies.
func (l *voting) ask(ctx context.Context, cmd redis.Cmd, good func(redis.Reply) bool) (n int) {
	one := func(ctx context.Context, node redis.Port) {
		ctx, cancel := l.Env.WithTimeout(ctx, l.Lease/200)
		defer cancel()
		if good(node.Do(ctx, cmd)) {
			n++
		}
	}
	var tasks []ports.Task
	for _, node := range l.Nodes {
		if l.atOnce {
			tasks = append(tasks, l.Env.Go(ctx, "node", func(ctx context.Context) { one(ctx, node) }))
		} else {
			one(ctx, node)
		}
	}
	for _, task := range tasks {
		_ = task.Join(ctx) // a node that did not answer has given no vote
	}
	return n
}

func (l *voting) release(ctx context.Context, token string) error {
	removed := l.ask(ctx, redis.Eval(compareAndDelete, l.Name).Text(token), func(r redis.Reply) bool { return r.IsInt(1) })
	if removed <= len(l.Nodes)/2 {
		return locks.ErrNotHeld
	}
	return nil
}

// scriptLock counts its holds in the store, by two scripts, with the lease in milliseconds and the
// owner. Acquire answers nil when the lock is acquired; release nil when the owner has none.
type scriptLock struct {
	locks.Deps
	acquire, release *redis.Script
	owner            string // the same in all rounds of a client
}

func (l *scriptLock) Acquire(ctx context.Context) (locks.Lease, error) {
	if l.owner == "" {
		l.owner = strconv.FormatUint(l.Env.Rand().Uint64(), 16)
	}
	for {
		reply := l.eval(ctx, l.acquire)
		switch {
		case reply.Err != nil:
			return nil, reply.Err
		case reply.IsNil():
			return locks.ReleaseFunc(l.unlock), nil
		}
		if err := l.Env.Sleep(ctx, l.Retry); err != nil {
			return nil, err
		}
	}
}

func (l *scriptLock) eval(ctx context.Context, s *redis.Script) redis.Reply {
	return l.Redis.Do(ctx, redis.Eval(s, l.Name).Num(ports.Millis(l.Lease)).Text(l.owner))
}

func (l *scriptLock) unlock(ctx context.Context) error {
	reply := l.eval(ctx, l.release)
	switch {
	case reply.Err != nil:
		return reply.Err
	case reply.IsNil():
		return locks.ErrNotHeld
	}
	return nil
}

// acquiring is a lock that is one function.
type acquiring func(ctx context.Context) (locks.Lease, error)

func (a acquiring) Acquire(ctx context.Context) (locks.Lease, error) { return a(ctx) }

// interrupted has the callers of a lock give up after 2 s.
func interrupted(ctx context.Context, l locks.Lock, d locks.Deps) (locks.Lease, error) {
	ctx, cancel := d.Env.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return l.Acquire(ctx)
}

// persisting has client B remove the key's expiry before it asks.
func persisting(ctx context.Context, l locks.Lock, d locks.Deps) (locks.Lease, error) {
	if d.Owner == "B" {
		d.Redis.Do(ctx, redis.Command("PERSIST", d.Name))
	}
	return l.Acquire(ctx)
}

// inMemory is a lock in shared memory: a thread's in a process, or a process's in the kernel.
func inMemory(d locks.Deps, held *bool) locks.Lock {
	return acquiring(func(ctx context.Context) (locks.Lease, error) {
		for *held {
			if err := d.Env.Sleep(ctx, d.Retry); err != nil {
				return nil, err
			}
		}
		*held = true
		return locks.ReleaseFunc(func(context.Context) error { *held = false; return nil }), nil
	})
}

// Servers that take time: those of the simulator execute any number of requests in no time.

// load is the time that servers need for their work, one thing at a time, so that a crowd has to
// wait. It is given, not measured, and a figure has to say so.
type load struct {
	Command   time.Duration // of the processor, for a command of Redis
	Statement time.Duration // of the processor, for a statement of a database
	Commit    time.Duration // of the disk, for a statement that has changed a row
}

// window is a part of a server that does one thing at a time: its processor, its disk.
type window struct{ free time.Duration } // when, on the monotonic clock, which all clients here share

// pass waits for all earlier work, and for its own.
func (w *window) pass(env ports.Env, takes time.Duration) {
	if takes == 0 {
		return
	}
	now := env.Mono()
	w.free = max(w.free, now) + takes
	_ = env.Sleep(env.Background(), w.free-now) // the background never ends
}

// server is shared by all clients of a run.
type server struct {
	load
	processor, disk window
}

type loadedRedis struct {
	redis.Port
	env    ports.Env
	server *server
}

func (r *loadedRedis) Do(ctx context.Context, cmd redis.Cmd) redis.Reply {
	r.server.processor.pass(r.env, r.server.Command)
	return r.Port.Do(ctx, cmd)
}

type loadedSQL struct {
	store.Port
	env    ports.Env
	server *server
}

func (s *loadedSQL) Send(ctx context.Context, r ports.Request) (any, error) {
	s.server.processor.pass(s.env, s.server.Statement)
	value, err := s.Port.Send(ctx, r)
	if res, ok := value.(sql.Result); ok && res.Affected > 0 {
		s.server.disk.pass(s.env, s.server.Commit)
	}
	return value, err
}

// under is a variant on loaded servers. With apart each client has a lock of its own.
func under(v locks.Variant, given *load, apart bool) locks.Variant {
	if given == nil {
		return v
	}
	s, inner := &server{load: *given}, v.New
	v.New = func(d locks.Deps) locks.Lock {
		if apart {
			d.Name += "-" + d.Owner
		}
		if d.Redis != nil {
			d.Redis = &loadedRedis{d.Redis, d.Env, s}
		}
		d.Port = &loadedSQL{d.Port, d.Env, s}
		return inner(d)
	}
	return v
}
