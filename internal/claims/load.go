package claims

import (
	"context"
	"sort"
	"strconv"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// This file lets servers take time: in the simulator a request is executed in no time at
// all, however many there are.

// load is what servers need for their work. They do one thing at a time, so that a crowd
// has to wait; all of it is given and none of it measured, and a figure has to say so.
type load struct {
	command   time.Duration // of the processor, for a command of Redis
	statement time.Duration // of the processor, for a statement of a database
	commit    time.Duration // of the disk, for a statement that has changed a row
}

// window is one thing that a server does one piece of at a time: its processor, its disk.
type window struct{ free time.Duration } // when, on the monotonic clock, which is the same for all clients here

// pass waits until all before it are done, and for its own work.
func (w *window) pass(env world.Env, takes time.Duration) {
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
	world.Redis
	env    world.Env
	server *server
}

func (r *loadedRedis) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	r.server.processor.pass(r.env, r.server.command)
	return r.Redis.Do(ctx, cmd)
}

type loadedSQL struct {
	world.SQL
	env    world.Env
	server *server
}

func (s *loadedSQL) Exec(ctx context.Context, stmt world.Stmt) world.SQLResult {
	s.server.processor.pass(s.env, s.server.statement)
	res := s.SQL.Exec(ctx, stmt)
	if res.Affected > 0 {
		s.server.disk.pass(s.env, s.server.commit)
	}
	return res
}

// under is a variant whose servers need time for their work. With locks apart each client
// has one of its own, so that nobody waits for anybody but the servers.
func under(v locks.Variant, given load, apart bool) locks.Variant {
	s, inner := &server{load: given}, v.New
	v.New = func(d locks.Deps) locks.Lock {
		if apart {
			d.Name += "-" + d.Owner
		}
		if d.Redis != nil {
			d.Redis = &loadedRedis{d.Redis, d.Env, s}
		}
		if d.SQL != nil {
			d.SQL = &loadedSQL{d.SQL, d.Env, s}
		}
		return inner(d)
	}
	return v
}

// crowdResult is what many clients get who all come at once.
type crowdResult struct {
	Acquired int
	Length   time.Duration // from the first wish to the last release
	P99      time.Duration // of the time from wish to lock
}

// perSecond is the rate of acquisitions, with one decimal.
func (c crowdResult) perSecond() string {
	ms := c.Length.Milliseconds()
	return Ratio((int64(c.Acquired)*10_000+ms/2)/ms, 10)
}

// slowerThanHalf reports whether a crowd gets a lock less than half as fast as another one.
func (c crowdResult) slowerThanHalf(other crowdResult) bool {
	return 2*c.Acquired*int(other.Length/time.Microsecond) < other.Acquired*int(c.Length/time.Microsecond)
}

// crowd lets many clients want one lock, for 5 ms of work each.
func (l *Lab) crowd(lock string, clients int) crowdResult {
	return l.crowdOf(Story{Lock: lock, Work: "5ms", Wait: "300s", Stagger: "7ms"}, clients, load{}, false)
}

// rush lets many clients take locks of their own, ten times each and one right after the other, on
// servers that need time for their work.
func (l *Lab) rush(lock string, clients int, given load) crowdResult {
	return l.crowdOf(Story{
		Lock: lock, Work: "0ms", Wait: "300s", Stagger: "0ms", Timeout: "60s",
		Workload: []string{"repeat: 10 times", "rest: 0ms"},
	}, clients, given, true)
}

func (l *Lab) crowdOf(s Story, clients int, given load, apart bool) crowdResult {
	p := l.Plan(s)
	p.Clients = nil
	for i := range clients {
		p.Clients = append(p.Clients, "c"+strconv.Itoa(i+1))
	}
	v, ok := locks.Lookup(p.Locks[0])
	if !ok {
		l.Fail("unknown lock %q", p.Locks[0])
	}
	r := l.play(p, under(v, given, apart), 1, false)[0]
	out := crowdResult{}
	var waited []time.Duration
	for _, o := range r.Rounds("") {
		out.Acquired++
		out.Length = max(out.Length, o.Done.Duration())
		waited = append(waited, o.Acquired.Sub(o.Waits))
	}
	if want := clients * p.Workload.Repeat; out.Acquired < want {
		l.Fail("%s: %d of %d times somebody got the lock", s.Lock, out.Acquired, want)
	}
	sort.Slice(waited, func(i, j int) bool { return waited[i] < waited[j] })
	out.P99 = waited[(len(waited)*99+99)/100-1]
	return out
}
