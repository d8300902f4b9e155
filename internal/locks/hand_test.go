package locks

import (
	"context"
	"slices"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// hand is a client's process with a manual clock: time passes only while it sleeps and while a
// command is executed.
type hand struct {
	ports.Env
	mono    time.Duration
	wall    time.Duration               // how far the wall clock was set ahead
	patient time.Duration               // of the latest WithTimeout
	slept   []time.Duration             // all sleeps, in their order
	started []func(ctx context.Context) // tasks, to be run by the test
}

func (h *hand) Mono() time.Duration         { return h.mono }
func (h *hand) Now() time.Time              { return time.UnixMilli(1_000_000).Add(h.mono + h.wall) }
func (h *hand) Background() context.Context { return context.Background() }
func (h *hand) Rand() ports.Rand            { return still{} }

func (h *hand) Sleep(ctx context.Context, d time.Duration) error {
	h.slept = append(h.slept, d)
	h.mono += d
	return ctx.Err()
}

func (h *hand) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

func (h *hand) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	h.patient = d
	return context.WithCancel(ctx)
}

func (h *hand) Go(_ context.Context, _ string, f func(ctx context.Context)) ports.Task {
	h.started = append(h.started, f)
	return nil
}

// still is randomness that never changes.
type still struct{}

func (still) Uint64() uint64     { return 0x5eed }
func (still) Int64N(int64) int64 { return 0 }

// answer is a server's reply after a delay.
type answer struct {
	after time.Duration
	reply redis.Reply
}

// scripted is a server that gives its answers one after the other; after the last one, requests
// time out.
type scripted struct {
	redis.Port
	env     *hand
	answers []answer
	got     []string // the names of the commands
}

func (s *scripted) Do(_ context.Context, cmd redis.Cmd) redis.Reply {
	name := cmd.Name()
	if cmd.Script != nil {
		name = cmd.Script.Name
	}
	s.got = append(s.got, name)
	if len(s.answers) == 0 {
		s.env.mono += s.env.patient
		return redis.Failed(ports.ErrTimeout)
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	s.env.mono += next.after
	return next.reply
}

// Dial gives a connection to the same server.
func (s *scripted) Dial(context.Context) (redis.Conn, error) { return scriptedConn{s}, nil }

type scriptedConn struct{ *scripted }

func (scriptedConn) Close() {}

var (
	ok    = redis.Reply{Kind: redis.ReplyStatus, Str: "OK"}
	taken = redis.Reply{} // nil: another client has it
)

// asked is a client that begins a vote at an instant, and its five nodes, which all say OK, the
// first one after some time.
func asked(at, took time.Duration) (quorum, *hand) {
	env := &hand{mono: at}
	q := quorum{&Deps{Name: Key, Env: env, Lease: 10 * time.Second}}
	for i := range 5 {
		reply := answer{reply: ok}
		if i == 0 {
			reply.after = took
		}
		q.Nodes = append(q.Nodes, &scripted{env: env, answers: []answer{reply}})
	}
	return q, env
}

// A vote is valid for the lease minus its duration and the drift of the clocks (a hundredth of the
// lease and 2 ms), and lost when that is not positive.
func TestAVoteCountsTheDrift(t *testing.T) {
	const worth = 10*time.Second - 102*time.Millisecond
	for _, tt := range []struct {
		took time.Duration
		held bool
	}{
		{time.Second, true}, {worth - 1, true}, {worth, false}, {worth + 1, false},
		{10*time.Second - 1, false}, {10 * time.Second, false},
	} {
		q, _ := asked(7*time.Second, tt.took)
		v := q.vote(context.Background())
		if v.held != tt.held || v.until != 7*time.Second+worth {
			t.Errorf("a vote of %v: held %t until %v, want %t until %v", tt.took, v.held, v.until, tt.held, 7*time.Second+worth)
		}
	}
}

// A node whose reply was lost may have the entry, so a lost vote is undone on all nodes.
func TestALostVoteIsUndoneOnAllNodes(t *testing.T) {
	env := &hand{}
	d := Deps{Name: Key, Env: env, Lease: 10 * time.Second, Retry: time.Millisecond}
	var nodes []*scripted
	for i := range 5 {
		first := answer{reply: ok}
		if i >= 2 {
			first = answer{reply: redis.Failed(ports.ErrTimeout)}
		}
		n := &scripted{env: env, answers: []answer{first, {reply: redis.Int(1)}, {reply: ok}}}
		nodes, d.Nodes = append(nodes, n), append(d.Nodes, n)
	}
	must.Get(redlock(context.Background(), &d))(t)
	for i, n := range nodes {
		if want := []string{"SET", "unlock", "SET"}; !slices.Equal(n.got, want) {
			t.Errorf("node %d was sent %q, want %q", i+1, n.got, want)
		}
	}
}

// Like a vote, an extension counts from before it was sent.
func TestAnExtensionCountsFromItsRequest(t *testing.T) {
	env := &hand{}
	q := quorum{&Deps{Name: Key, Env: env, Lease: 9 * time.Second}}
	for range 5 {
		q.Nodes = append(q.Nodes, &scripted{env: env, answers: []answer{
			{100 * time.Millisecond, redis.Int(1)},
			{0, redis.Failed(ports.ErrConnection)}, {0, redis.Failed(ports.ErrConnection)}, {0, redis.Failed(ports.ErrConnection)},
		}})
	}
	q.extendUntilLost(context.Background(), vote{token: "t", until: 8 * time.Second})
	// Sent at 3 s; a hundredth of 9 s and 2 ms are for the drift.
	if want := 3*time.Second + 9*time.Second - 92*time.Millisecond; env.mono != want {
		t.Errorf("it is over at %v, want %v", env.mono, want)
	}
}

// The client cannot know when the server executed SET, so the lease counts from when the successful
// SET was sent.
func TestALeaseCountsFromItsRequest(t *testing.T) {
	env := &hand{mono: 5 * time.Second}
	server := &scripted{env: env, answers: []answer{{2 * time.Second, taken}, {2 * time.Second, ok}}}
	d := Deps{Name: Key, Env: env, Redis: server, Lease: 10 * time.Second, Retry: time.Second}
	var counted time.Duration
	_, err := setNXPX(context.Background(), &d, func(_ string, sent time.Duration) Lease {
		counted = sent
		return ReleaseFunc(nil)
	})
	if want := 8 * time.Second; err != nil || counted != want { // 2 s for the first, and 1 s of rest
		t.Errorf("counted from %v, want %v (%v)", counted, want, err)
	}
}

// The holder stops a tenth of the lease before its end. A reply that arrives later does not acquire
// the lock.
func TestSelfFenceStopsATenthBeforeTheEnd(t *testing.T) {
	env := &hand{}
	server := &scripted{env: env, answers: []answer{{9 * time.Second, ok}, {2 * time.Second, ok}}}
	d := Deps{Name: Key, Env: env, Redis: server, Lease: 10 * time.Second}
	lease := must.Get(selfFence(context.Background(), &d))(t)
	if len(server.got) != 2 || env.mono != 11*time.Second {
		t.Errorf("held at %v after %q, want the second SET at 11 s", env.mono, server.got)
	}
	env.started[0](context.Background())
	if want := 9*time.Second + 9*time.Second; env.mono != want || lease.Lost().Err() == nil {
		t.Errorf("at %v the lock is lost: %t, want at %v", env.mono, lease.Lost().Err() != nil, want)
	}
}

// watched runs a watchdog until it gives up. The lease is 9 s, and its SET was sent at 0.
func watched(answers ...answer) (*hand, *watchdog) {
	env := &hand{}
	d := &Deps{Name: Key, Env: env, Redis: &scripted{env: env, answers: answers}, Lease: 9 * time.Second}
	w := renewedBy(d, redis.Eval(renewScript, Key), 0, nil)
	env.started[0](context.Background())
	return env, w
}

// A renewal that was sent at 3 s and answered at 5 s lasts until 12 s.
func TestARenewalCountsFromItsRequest(t *testing.T) {
	env, w := watched(answer{2 * time.Second, redis.Int(1)})
	if want := 12 * time.Second; env.mono != want || w.lost.Err() == nil {
		t.Errorf("lost at %v: %t, want at %v", env.mono, w.lost.Err() != nil, want)
	}
}

// slowOnce is a process that stands still for 20 s in its first sleep.
type slowOnce struct{ *hand }

func (s slowOnce) Sleep(ctx context.Context, d time.Duration) error {
	if len(s.slept) == 0 {
		s.mono += 20 * time.Second
	}
	return s.hand.Sleep(ctx, d)
}

// After a pause the watchdog asks the store; a lease that still exists is not lost.
func TestTheWatchdogAsksAfterAPause(t *testing.T) {
	for _, tt := range []struct {
		name string
		says int64
		lost time.Duration
	}{
		{"the store has it", 1, 32 * time.Second}, // renewed at 23 s, for 9 s
		{"the store no longer has it", 0, 23 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := &hand{}
			d := &Deps{
				Name: Key, Env: slowOnce{env}, Lease: 9 * time.Second,
				Redis: &scripted{env: env, answers: []answer{{0, redis.Int(tt.says)}}},
			}
			w := renewedBy(d, redis.Eval(renewScript, Key), 0, nil)
			env.started[0](context.Background())
			if env.mono != tt.lost || w.lost.Err() == nil {
				t.Errorf("lost at %v: %t, want at %v", env.mono, w.lost.Err() != nil, tt.lost)
			}
		})
	}
}

// A lock that waits for a replica is acquired when one has confirmed it; otherwise it is undone.
func TestSetWaitNeedsAConfirmation(t *testing.T) {
	env := &hand{}
	server := &scripted{env: env, answers: []answer{
		{0, ok}, {0, redis.Int(0)}, {0, redis.Int(1)}, // SET, WAIT: no replica, unlock
		{0, ok}, {0, redis.Int(1)},
	}}
	d := Deps{Name: Key, Env: env, Redis: server, Lease: 10 * time.Second}
	must.Get(setWait(context.Background(), &d))(t)
	if want := []string{"SET", "WAIT", "unlock", "SET", "WAIT"}; !slices.Equal(server.got, want) {
		t.Errorf("sent %q, want %q", server.got, want)
	}
}

// A lock that is held twice is renewed until its second release.
func TestTheLastReleaseEndsTheRenewals(t *testing.T) {
	r := &redissonSynced{holds: 2, renewing: true}
	for release, want := range []bool{true, false, false} {
		if r.cancelRenewal(); r.renewing != want {
			t.Errorf("after release %d it is renewed: %t", release+1, r.renewing)
		}
	}
}
