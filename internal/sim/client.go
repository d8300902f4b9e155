package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/workload"
)

// client is one client process: the ports of its lock (world.Env, world.Resource;
// those of the stores are in the files port_*.go) and the control of its workload.
type client struct {
	w            *World
	name         string
	key          string    // of the lock that it contends for
	guarded      *resource // by it
	node         history.NodeID
	proc         *kernel.Proc
	player       workload.Client
	play         func()
	ports        []redisPort // of its lock
	streams      streams
	random       rng.Rand // of the lock
	habits       rng.Rand // of the workload
	network      rng.Rand // latencies and losses of this client's links
	extendedWork workload.ExtendedWork
	lastRead     int32 // event of the read that the next write is based on
	begun        bool  // to play its rounds
	done         bool
	stands       bool       // see stand
	hostLost     bool       // its machine is gone with it, for good
	deadlines    []deadline // of replies, in their order
	timed        bool       // there is a timer for the first of them
	texts        commandTexts
	conns        []*conn         // open, by order of dialling
	lanes        []*lane         // see laneTo
	lives        int             // how often it was restarted
	knows        *host           // the primary that it last heard of
	epoch        int64           // of that news, where sentinels bring them
	member       int             // the server of a cluster that it talks to
	replied      history.Instant // when it had its last reply
	backToBack   int             // requests in a row, each sent at the instant of the previous reply

	part  faults.Part // of its lock
	guest guest
}

// newClient makes a client process in one of its lives, counted from 0. Each life
// has its own random numbers: a restarted process does not draw its old tokens.
func (w *World) newClient(name string, load plan.Workload, life int) *client {
	c := w.blankClient()
	*c = client{
		streams: c.streams.of(name, life),
		lives:   life,
		w:       w, name: name, node: w.hist.Node(name), key: cmp.Or(load.Resource, locks.Key),
		proc:      w.newProc(name, w.clockOf(name)),
		deadlines: slices.Grow(c.deadlines[:0], fewDeadlines),
		texts:     commandTexts{buffer: c.texts.buffer[:0]},
		play:      c.play,
		ports:     c.ports[:0],
		conns:     c.conns[:0],
		lanes:     c.lanes[:0],
		knows:     w.backend.primary(),
	}
	c.random.Seed(w.seed, c.streams.random)
	c.habits.Seed(w.seed, c.streams.habits)
	c.network.Seed(w.seed, c.streams.network)
	c.guarded = w.resourceOf(c.key)
	c.player = workload.Client{
		Env: c, Resource: c, Control: c, Plan: load, Timeout: w.plan.Network.Timeout, Rand: &c.habits,
		Lock: w.variant.New(w.deps(c, load)),
	}
	if c.play == nil {
		c.play = func() {
			c.player.Play()
			c.w.clientDone(c)
		}
	}
	return c
}

// streams are the ids of a client's streams of random numbers. Most clients are the same as in the previous run.
type streams struct {
	name                    string
	life                    int
	random, habits, network uint64
}

// of returns those of a client in one of its lives; s are those of any client.
func (s streams) of(name string, life int) streams {
	if s.name == name && s.life == life {
		return s
	}
	reborn := ""
	if life > 0 {
		reborn = fmt.Sprintf(", life %d", life+1)
	}
	return streams{
		name: name, life: life,
		random:  rng.ID("luck of ", name, reborn),
		habits:  rng.ID("habits of ", name, reborn),
		network: rng.ID("network of ", name),
	}
}

// blankClient returns an unused client, as its last user has left it. A guest's client is referenced by
// goroutines that are never unwound, so no other run gets it.
func (w *World) blankClient() *client {
	if w.pacer != nil {
		return &client{}
	}
	return w.madeClients.Next()
}

// newProc adds a process; see blankClient.
func (w *World) newProc(name string, c kernel.Clock) *kernel.Proc {
	if w.pacer != nil {
		return w.k.NewProc(name, c)
	}
	p := w.madeProcs.Next()
	w.k.Begin(p, name, c)
	return p
}

// Now implements world.Env.
func (c *client) Now() time.Time { return Epoch.Add(c.proc.Clock.Wall(c.w.k.Now())) }

// Mono implements world.Env.
func (c *client) Mono() time.Duration { return c.proc.Clock.Mono(c.w.k.Now()) }

// Sleep implements world.Env.
func (c *client) Sleep(ctx context.Context, d time.Duration) error { return c.w.k.Sleep(ctx, d) }

// Background implements world.Env.
func (c *client) Background() context.Context { return c.proc.Background() }

// WithTimeout implements world.Env.
func (c *client) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return c.w.k.WithTimeout(ctx, d)
}

// WithCancel implements world.Env.
func (c *client) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return c.w.k.WithCancel(ctx)
}

// Go implements world.Env.
func (c *client) Go(ctx context.Context, name string, f func(context.Context)) ports.Task {
	c.w.k.Enter()
	if c.w.timing.AnyOrder { // tasks that begin at one instant send at one instant, too
		later := time.Duration(c.network.Int64N(int64(time.Microsecond)))
		return c.w.k.Go(ctx, c.proc, name, func(ctx context.Context) {
			if c.w.k.Sleep(c.Background(), later) == nil {
				f(ctx)
			}
		})
	}
	return c.w.k.Go(ctx, c.proc, name, f)
}

// NewSignal implements world.Env.
func (c *client) NewSignal() ports.Signal { return c.w.k.NewSignal() }

// Rand implements world.Env.
func (c *client) Rand() ports.Rand { return &c.random }

// Crash implements world.Env.
func (c *client) Crash(string) {
	c.w.k.Enter()
	injector{c.w}.recordOf(history.Crashed, c.proc, 0) // no fault of the scenario
	c.kill()
	c.w.k.Enter() // unwinds this task
}

// Record implements workload.Control.
func (c *client) Record(kind history.Kind, token, value int64, text string) {
	c.w.k.Enter()
	c.part = workload.PartAfter(c.part, kind)
	c.extendedWork.Observe(kind)
	c.w.record(c.proc, history.Event{
		Kind: kind, Node: c.node, Token: token, Value: value,
		Text: c.w.hist.Intern(text), Cause: history.NoCause,
	})
}

// Reach implements workload.Control.
func (c *client) Reach(kind faults.MomentKind) {
	c.w.k.Enter()
	if c.w.engine.WantsKind(kind) {
		c.stand(faults.Moment{Kind: kind, Subject: c.name}, c.w.timing.FaultTime+c.w.timing.StopTime)
	}
}

// stand tells the engine of a moment at which a task of the client waits until the faults for which it is the
// time have come about, which takes d.
func (c *client) stand(m faults.Moment, d time.Duration) {
	begun := c.w.begun
	c.stands = true
	c.w.engine.Observe(m)
	c.stands = false
	c.w.k.Checkpoint()
	if c.w.begun > begun && d > 0 {
		_ = c.w.k.Sleep(c.Background(), d) // the background never ends
	}
}

// ExtraWork implements workload.Control.
func (c *client) ExtraWork() time.Duration {
	d, by := c.extendedWork.Take()
	for _, fault := range by {
		injector{c.w}.actedOn(fault, c)
	}
	return d
}

// latency draws how long one message of this client travels.
func (c *client) latency() time.Duration { return c.w.plan.Network.Latency.Draw(&c.network) }

// loses draws whether a message of this client gets lost.
func (c *client) loses() bool {
	ppm := c.w.plan.Network.LossPPM
	return ppm > 0 && c.network.Int64N(1_000_000) < ppm
}

// tryNext lets the client of a cluster talk to the next server from now on, after
// one has not answered.
func (c *client) tryNext(h *host) {
	if c.w.route.pick(c) == h {
		c.member++
	}
}

// spread sends the clients an operator's word of who is the primary. It reaches those beyond a
// partition from the new one when that heals: an operator stands beside it.
func (w *World) spread(primary *host) {
	for _, c := range w.clients {
		c.hear(primary)
	}
	w.probe.hear(primary)
}

func (c *client) hear(primary *host) {
	if c.knows != primary && !c.w.network.apart(c.node, primary.node) {
		c.knows = primary
	}
}
