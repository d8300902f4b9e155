package claims

import (
	"context"
	"strconv"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// parallelRedlock is Redlock as libraries send it: to all nodes at once instead of
// one after the other. It is here for its costs, and otherwise like redlock.
type parallelRedlock struct {
	locks.Deps
	locks int // taken so far, for the tokens
}

func newParallelRedlock(d locks.Deps) locks.Lock { return &parallelRedlock{Deps: d} }

// compareAndDelete is the usual script.
var compareAndDelete = &world.Script{Name: "unlock", Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`}

func (l *parallelRedlock) Acquire(ctx context.Context) (locks.Lease, error) {
	for {
		l.locks++
		token := l.Owner + "-" + strconv.Itoa(l.locks)
		began := l.Env.Mono()
		agreed := l.all(ctx, world.Set(l.Name, token).PX(l.Lease).NX(), world.Reply.IsOK)
		if left := l.Lease - (l.Env.Mono() - began) - l.Lease/100; agreed > len(l.Nodes)/2 && left > 0 {
			return &parallelLease{l, token}, nil
		}
		l.unlock(token)
		if err := l.Env.Sleep(ctx, time.Duration(1+l.Env.Rand().Int64N(2*int64(l.Retry)))); err != nil {
			return nil, err
		}
	}
}

// all sends a command to all nodes at once, waits for all of them, and counts the
// replies that are as they should be.
func (l *parallelRedlock) all(ctx context.Context, cmd world.Cmd, good func(world.Reply) bool) int {
	replies := make([]world.Reply, len(l.Nodes))
	tasks := make([]world.Task, len(l.Nodes))
	for i, node := range l.Nodes {
		tasks[i] = l.Env.Go(ctx, "node", func(ctx context.Context) {
			ctx, cancel := l.Env.WithTimeout(ctx, l.Lease/200)
			defer cancel()
			replies[i] = node.Do(ctx, cmd)
		})
	}
	n := 0
	for i, task := range tasks {
		if task.Join(ctx) == nil && good(replies[i]) {
			n++
		}
	}
	return n
}

func (l *parallelRedlock) unlock(token string) int {
	return l.all(l.Env.Background(), world.Eval(compareAndDelete, l.Name).Text(token),
		func(r world.Reply) bool { return r.IsInt(1) })
}

type parallelLease struct {
	lock  *parallelRedlock
	token string
}

func (l *parallelLease) Release(context.Context) error {
	if l.lock.unlock(l.token) == 0 {
		return locks.ErrNotHeld
	}
	return nil
}

func (l *parallelLease) Lost() context.Context { return nil }
func (l *parallelLease) Token() int64          { return 0 }
