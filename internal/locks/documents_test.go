package locks

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/internal/store/redis"
)

// full is a server that always says that another client has the lock.
type full struct {
	redis.Port
	env   *hand
	tries int
	after func(tries int)
}

func (f *full) Do(context.Context, redis.Cmd) redis.Reply {
	f.tries++
	if f.after != nil {
		f.after(f.tries)
	}
	return redis.Reply{Kind: redis.ReplyBulk, Str: "-1"}
}

// The document's loop lasts for acquireTimeout on the wall clock, even if that clock is set or the
// context is cancelled.
func TestTheLoopOfTheDocumentGoesByTheWallClock(t *testing.T) {
	over, interrupt := context.WithCancel(context.Background())
	interrupt()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		set  time.Duration // by how much the clock is set ahead, after ten tries
		want time.Duration
	}{
		{"undisturbed", context.Background(), 0, 10 * time.Second},
		{"the clock is set ahead", context.Background(), 4 * time.Second, 6 * time.Second},
		{"the clock is set back", context.Background(), -4 * time.Second, 14 * time.Second},
		{"interrupted at once", over, 0, 10 * time.Second},
	} {
		env := &hand{mono: 3 * time.Second}
		server := &full{env: env, after: func(tries int) {
			if tries == 10 {
				env.wall = tt.set
			}
		}}
		d := Deps{Name: Key, Env: env, Redis: server, Lease: 5 * time.Second, Retry: 100 * time.Millisecond, Wait: 10 * time.Second}
		lease, err := luaSetEX(tt.ctx, &d)
		if lease != nil || !errors.Is(err, errTriedEnough) || env.mono-3*time.Second != tt.want {
			t.Errorf("%s: %v, %v after %v, want the end of the try after %v", tt.name, lease, err, env.mono-3*time.Second, tt.want)
		}
	}
}

// The documents compare the elapsed wall-clock time with the lease, without a margin for drift.
func TestAVoteByTheWallClock(t *testing.T) {
	for _, tt := range []struct {
		name      string
		took, set time.Duration
		held      bool
	}{
		{"there is no margin for drift", 10*time.Second - time.Millisecond, 0, true},
		{"the lease is over", 10 * time.Second, 0, false},
		{"the clock was set back meanwhile", 15 * time.Second, -12 * time.Second, true},
		{"the clock was set ahead meanwhile", time.Second, 12 * time.Second, false},
	} {
		q, env := asked(0, tt.took)
		for i, node := range q.Nodes {
			q.Nodes[i] = setting{node, env, tt.set}
		}
		if v := q.voteByWallClock(context.Background()); v.held != tt.held {
			t.Errorf("%s: held %t, want %t", tt.name, v.held, tt.held)
		}
	}
}

// setting is a node that sets the client's clock while it executes a command.
type setting struct {
	redis.Port
	env *hand
	by  time.Duration
}

func (s setting) Do(ctx context.Context, cmd redis.Cmd) redis.Reply {
	defer func() { s.env.wall = s.by }()
	return s.Port.Do(ctx, cmd)
}

// A client that does not check the result of WAIT takes 0 as a success, and only an error as a
// failure.
func TestSetWaitUncheckedTakesAnyNumber(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply redis.Reply
		sent  int // commands in all, the second attempt included
	}{
		{"no replica", redis.Int(0), 2},
		{"one replica", redis.Int(1), 2},
		{"an error", redis.Failed(redis.ServerError("UNBLOCKED")), 5}, // SET, WAIT, unlock, SET, WAIT
	} {
		env := &hand{}
		server := &scripted{env: env, answers: []answer{{0, ok}, {0, tt.reply}, {0, redis.Int(1)}, {0, ok}, {0, redis.Int(0)}}}
		d := Deps{Name: Key, Env: env, Redis: server, Lease: 10 * time.Second}
		_, err := setWaitUnchecked(context.Background(), &d)
		if tt.sent == 5 && err != nil { // the error is the caller's, who tries again
			_, err = setWaitUnchecked(context.Background(), &d)
		}
		if err != nil || len(server.got) != tt.sent {
			t.Errorf("%s: %v after %q, want %d commands", tt.name, err, server.got, tt.sent)
		}
	}
}
