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

// This file lets servers take time: in the simulator a request is executed in no time at
// all, however many there are.

// load is what servers need for their work. They do one thing at a time, so that a crowd
// has to wait; all of it is given and none of it measured, and a figure has to say so.
type load struct {
	Command   time.Duration // of the processor, for a command of Redis
	Statement time.Duration // of the processor, for a statement of a database
	Commit    time.Duration // of the disk, for a statement that has changed a row
}

// window is one thing that a server does one piece of at a time: its processor, its disk.
type window struct{ free time.Duration } // when, on the monotonic clock, which is the same for all clients here

// pass waits until all before it are done, and for its own work.
func (w *window) pass(env ports.Env, takes time.Duration) {
	if takes == 0 {
		return
	}
	now := env.Mono()
	w.free = max(w.free, now) + takes
	_ = env.Sleep(env.Background(), w.free-now) // the background never ends
}

// server is what all clients of a run have in common.
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

// under is a variant whose servers need time for their work. With locks apart each client
// has one of its own, so that clients wait for the servers only.
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
