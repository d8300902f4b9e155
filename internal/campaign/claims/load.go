package claims

import (
	"context"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/sql"
)

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

// under is a variant whose servers need time for their work. With apart each client has a lock of
// its own and waits for the servers only.
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
