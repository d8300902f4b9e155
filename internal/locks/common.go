package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// spin tries until the lock is held, an attempt fails or ctx ends, or once. try returns
// nil, nil when another client holds the lock.
func spin(ctx context.Context, d Deps, try func() (Lease, error)) (Lease, error) {
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
func setNXPX(ctx context.Context, d Deps, hold func(token string, sent time.Duration) Lease) (Lease, error) {
	token := newToken(d.Env)
	create := redis.Set(d.Name, token).PX(d.Lease).NX()
	return spin(ctx, d, func() (Lease, error) {
		sent := d.Env.Mono()
		reply := d.Redis.Do(ctx, create)
		if !reply.IsOK() {
			return nil, reply.Err
		}
		return hold(token, sent), nil
	})
}

// newToken returns 128 random bits in hexadecimal: a token that no other
// acquisition has.
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

// neverTold is the part of a lease whose design neither tells its client of a
// loss nor hands out fencing tokens.
type neverTold struct{}

func (neverTold) Lost() context.Context { return nil }
func (neverTold) Token() int64          { return 0 }

// blindDel is a lease that is released by DEL, whosever key it is by now.
type blindDel struct {
	*Deps
	neverTold
}

func (l *blindDel) Release(ctx context.Context) error {
	return removed(l.Redis.Do(ctx, redis.Del(l.Name)))
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
