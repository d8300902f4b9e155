package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// stateless makes the locks of a design whose clients keep nothing between two acquisitions.
func stateless(acquire func(context.Context, *Deps) (Lease, error)) func(Deps) Lock {
	return func(d Deps) Lock { return &statelessLock{d, acquire} }
}

type statelessLock struct {
	Deps
	acquire func(context.Context, *Deps) (Lease, error)
}

func (l *statelessLock) Acquire(ctx context.Context) (Lease, error) {
	return l.acquire(ctx, &l.Deps)
}

// spin tries until the lock is held, an attempt fails or ctx ends, or once. try returns
// nil, nil when another client holds the lock.
func spin(ctx context.Context, d *Deps, try func() (Lease, error)) (Lease, error) {
	for {
		lease, err := try()
		if err != nil || lease != nil {
			return lease, err
		}
		if d.Once {
			return nil, ErrTaken
		}
		if err := d.Env.Sleep(ctx, d.Retry); err != nil {
			return nil, err
		}
	}
}

// setNXPX is SET key token PX milliseconds NX with a token of its own, again and
// again until the key is free. hold makes the lease; sent is when the successful
// SET was sent, on the client's monotonic clock.
func setNXPX(
	ctx context.Context, d *Deps, hold func(token string, sent time.Duration) Lease,
) (Lease, error) {
	token := newToken(d.Env)
	create := redis.Set(d.Name, token).PX(d.Lease).NX()
	return createKey(ctx, d, create, func(sent time.Duration) Lease { return hold(token, sent) })
}

// createKey sends a SET or SETNX again and again until it has created the key. hold makes the
// lease; sent is as with setNXPX.
func createKey(
	ctx context.Context, d *Deps, create redis.Cmd, hold func(sent time.Duration) Lease,
) (Lease, error) {
	return spin(ctx, d, func() (Lease, error) {
		sent := d.Env.Mono()
		reply := d.Redis.Do(ctx, create)
		if !reply.IsOK() && !reply.IsInt(1) {
			return nil, reply.Err
		}
		return hold(sent), nil
	})
}

// newToken returns 128 random bits in hexadecimal: a token that no other acquisition has.
func newToken(env ports.Env) string {
	var buf [32]byte
	for i := 0; i < len(buf); i += 16 {
		bits := env.Rand().Uint64()
		for j := 0; j < 16; j += 2 {
			copy(buf[i+j:], hexDigits[bits&255][:])
			bits >>= 8
		}
	}
	return string(buf[:])
}

// hexDigits are the two digits of each byte, the lower one first.
var hexDigits = func() (table [256][2]byte) {
	const digits = "0123456789abcdef"
	for i := range table {
		table[i] = [2]byte{digits[i&15], digits[i>>4]}
	}
	return table
}()

// ReleaseFunc is a lease that is released by calling the function, of a design that neither tells
// its client of a loss nor hands out fencing tokens.
type ReleaseFunc func(ctx context.Context) error

func (f ReleaseFunc) Release(ctx context.Context) error { return f(ctx) }
func (ReleaseFunc) Lost() context.Context               { return nil }
func (ReleaseFunc) Token() int64                        { return 0 }

// fenced is such a lease with a fencing token.
type fenced struct {
	ReleaseFunc
	token int64
}

func (f fenced) Token() int64 { return f.token }

// attended is a lease that a task of its client watches until the release, and that tells the
// client of a loss.
type attended struct {
	fenced
	lost     context.Context
	tellLost context.CancelFunc
	stop     context.CancelFunc // of the task
	task     ports.Task
}

// attendedBy is a lease without a task yet, which is released by a function.
func attendedBy(release ReleaseFunc) *attended {
	return &attended{fenced: fenced{ReleaseFunc: release}}
}

// attend starts the task of a new lease.
func (a *attended) attend(env ports.Env, name string, watch func(context.Context)) {
	a.lost, a.tellLost = env.WithCancel(env.Background())
	ctx, stop := env.WithCancel(env.Background())
	a.stop = stop
	a.task = env.Go(ctx, name, watch)
}

func (a *attended) Lost() context.Context { return a.lost }

func (a *attended) Release(ctx context.Context) error {
	a.stop()
	return a.ReleaseFunc(ctx)
}

// blindDel releases the lock by DEL, whoever owns the key by then.
func blindDel(d *Deps) ReleaseFunc {
	return func(ctx context.Context) error { return removed(d.Redis.Do(ctx, redis.Del(d.Name))) }
}

// removed turns the reply of a deletion into the result of a release.
func removed(reply redis.Reply) error {
	switch {
	case reply.Err != nil:
		return reply.Err
	case reply.IsInt(1):
		return nil
	default:
		return ErrNotHeld
	}
}
