package claims

import (
	"context"
	"strconv"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// acceptance decides whether a majority that took so long to ask still counts.
type acceptance func(elapsed, lease time.Duration) bool

func acceptAlways(_, _ time.Duration) bool           { return true }
func acceptWithin(elapsed, lease time.Duration) bool { return elapsed < lease }

// acceptWithMargin leaves 1 % of the lease and 2 ms for clocks that come apart, as the
// Redis documentation of Redlock does.
func acceptWithMargin(elapsed, lease time.Duration) bool {
	return elapsed < lease-lease/100-2*time.Millisecond
}

// voting is Redlock with a choice: it asks all nodes in turn, believes a majority
// that its acceptance accepts, and gives back on all nodes.
type voting struct {
	locks.Deps
	accept acceptance
}

var votingUnlock = &world.Script{Name: "unlock", Source: `if redis.call('get', KEYS[1]) == ARGV[1] then
	return redis.call('del', KEYS[1])
end
return 0`}

func (l *voting) Acquire(ctx context.Context) (locks.Lease, error) {
	for {
		lease := &votingLease{l, strconv.FormatUint(l.Env.Rand().Uint64(), 16)}
		create := world.Set(l.Name, lease.token).PX(l.Lease).NX()
		start := l.Env.Mono()
		votes := 0
		for _, node := range l.Nodes {
			if l.ask(ctx, node, create).IsOK() {
				votes++
			}
		}
		if votes > len(l.Nodes)/2 && l.accept(l.Env.Mono()-start, l.Lease) {
			return lease, nil
		}
		_ = lease.Release(l.Env.Background()) // what stays behind ends with its lease
		if err := l.Env.Sleep(ctx, time.Duration(1+l.Env.Rand().Int64N(2*int64(l.Retry)))); err != nil {
			return nil, err
		}
	}
}

// ask waits for one node no longer than a small part of the lease.
func (l *voting) ask(ctx context.Context, node world.Redis, cmd world.Cmd) world.Reply {
	ctx, cancel := l.Env.WithTimeout(ctx, l.Lease/200)
	defer cancel()
	return node.Do(ctx, cmd)
}

type votingLease struct {
	*voting
	token string
}

func (h *votingLease) Release(ctx context.Context) error {
	removed := 0
	for _, node := range h.Nodes {
		if h.ask(ctx, node, world.Eval(votingUnlock, h.Name).Text(h.token)).IsInt(1) {
			removed++
		}
	}
	if removed <= len(h.Nodes)/2 {
		return locks.ErrNotHeld
	}
	return nil
}

func (*votingLease) Lost() context.Context { return nil }
func (*votingLease) Token() int64          { return 0 }
