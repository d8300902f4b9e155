package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/redis"
)

// quorum is one client of several independent primaries: it asks them one after the other,
// as the documents do, and follows the majority.
type quorum struct{ *Deps }

// majority is how many nodes have to agree: N/2+1.
func (q quorum) majority() int { return len(q.Nodes)/2 + 1 }

// NodeTimeout is how long a client of several primaries waits for one of them. The documents want
// it far below the lease, 5 to 50 ms for 10 s; it is a part of the lease because scaled runs scale
// all their times. Below 5 ms it would measure the client's scheduler rather than the node.
func NodeTimeout(lease time.Duration) time.Duration { return max(lease/200, 5*time.Millisecond) }

// drift is by how much the clocks of client and nodes may come apart during a
// lease: 1 % of it and 2 ms more, as in the Redis documentation.
func (q quorum) drift() time.Duration { return q.Lease/100 + 2*time.Millisecond }

// ask sends one command to one node; a dead node costs no more than NodeTimeout.
func (q quorum) ask(ctx context.Context, node redis.Port, cmd redis.Cmd) redis.Reply {
	ctx, cancel := q.Env.WithTimeout(ctx, NodeTimeout(q.Lease))
	defer cancel()
	return node.Do(ctx, cmd)
}

// poll sends one command to every node in turn and returns those that said OK.
func (q quorum) poll(ctx context.Context, cmd redis.Cmd) (agreed []redis.Port) {
	for _, node := range q.Nodes {
		if q.ask(ctx, node, cmd).IsOK() {
			agreed = append(agreed, node)
		}
	}
	return agreed
}

// vote is the outcome of one attempt to lock the nodes.
type vote struct {
	token string
	nodes []redis.Port  // those that said OK
	held  bool          // a majority did, and time is left
	until time.Duration // the end of the validity on the client's monotonic clock
}

// vote asks every node for the lock, with a token that no other attempt has: a
// release that is still on its way must not hit the entry of the next attempt.
func (q quorum) vote(ctx context.Context) vote {
	v := vote{token: newToken(q.Env)}
	create := redis.Set(q.Name, v.token).PX(q.Lease).NX()
	t1 := q.Env.Mono()
	v.nodes = q.poll(ctx, create)
	t2 := q.Env.Mono()
	validity := q.Lease - (t2 - t1) - q.drift()
	v.held = len(v.nodes) >= q.majority() && validity > 0
	v.until = t2 + validity
	return v
}

// acquire votes, in the way of its design, until the lock is held or ctx ends, or once. on are the
// nodes that it cleans up after a vote that was lost, and those that it releases the lock on.
func (q quorum) acquire(
	ctx context.Context, voted func(context.Context) vote, on func(vote) []redis.Port,
) (Lease, error) {
	v, err := q.win(ctx, voted, on)
	if err != nil {
		return nil, err
	}
	return q.unlocks(v.token, on(v)), nil
}

func (q quorum) all(vote) []redis.Port { return q.Nodes }
func agreed(v vote) []redis.Port       { return v.nodes }

// win is acquire for a design with a lease of its own.
func (q quorum) win(
	ctx context.Context, voted func(context.Context) vote, on func(vote) []redis.Port,
) (vote, error) {
	for {
		v := voted(ctx)
		if v.held {
			return v, nil
		}
		// Not in ctx, which may be over by now; what stays behind ends with its lease.
		_ = q.unlock(q.Env.Background(), v.token, on(v))
		if q.Once {
			return v, ErrTaken
		}
		if err := q.Env.Sleep(ctx, q.randomDelay()); err != nil {
			return v, err
		}
	}
}

// randomDelay keeps contenders from splitting the nodes among them again and
// again. On average it is as long as a spinning lock waits.
func (q quorum) randomDelay() time.Duration {
	return time.Duration(1 + q.Env.Rand().Int64N(max(2*int64(q.Retry), 1)))
}

// unlock deletes the token's keys on the given nodes, one after the other.
func (q quorum) unlock(ctx context.Context, token string, nodes []redis.Port) error {
	outcomes := make([]error, len(nodes))
	remove := redis.Eval(unlockScript, q.Name).Text(token)
	for i, node := range nodes {
		outcomes[i] = removed(q.ask(ctx, node, remove))
	}
	return q.released(outcomes)
}

// unlocks releases the lock on the nodes that its design names.
func (q quorum) unlocks(token string, nodes []redis.Port) ReleaseFunc {
	return func(ctx context.Context) error { return q.unlock(ctx, token, nodes) }
}

// released sums up the answers of the nodes that were asked to remove an entry. nil: a majority of
// all nodes has removed one; ErrNotHeld: so few of them still had one that they were no majority;
// else the error of a node whose answer would have decided it.
func (q quorum) released(outcomes []error) error {
	done, gone := 0, 0
	var failed error
	for _, err := range outcomes {
		switch {
		case err == nil:
			done++
		case errors.Is(err, ErrNotHeld):
			gone++
		default:
			failed = err
		}
	}
	switch {
	case done >= q.majority():
		return nil
	case gone > len(outcomes)-q.majority():
		return ErrNotHeld
	default:
		return failed
	}
}
