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

// client is one client process: the ports of its lock and the control of its workload.
type client struct {
	w            *World
	name         string
	key          string    // of the lock that it contends for
	guarded      *resource // by that lock
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
	lastRead     int32 // the event of the read that the next write is based on
	begun        bool  // it plays, or has played
	done         bool
	held         bool       // see reach
	hostLost     bool       // its machine was lost with it
	deadlines    []deadline // of replies, by time
	timed        bool       // the first deadline has a timer
	texts        commandTexts
	conns        []*conn         // open, by order of dialling
	lanes        []*lane         // see laneTo
	lives        int             // how often it was restarted
	knows        *host           // the primary, as far as it knows
	epoch        int64           // of that knowledge, if sentinels gave it
	member       int             // the server of a cluster that it talks to
	replied      history.Instant // when it received its last reply
	backToBack   int             // requests in a row, each sent at the instant of the previous reply

	part  faults.Part // of its lock
	guest guest
}

// newClient makes a client process in one of its lives, counted from 0. Each life has its own
// random numbers, so that a restarted process does not draw its old tokens.
func (w *World) newClient(name string, load plan.Workload, life int) *client {
	c := w.arenas.clients.Next()
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

// streams are the ids of a client's streams of random numbers, kept since most clients are the same
// in the next run.
type streams struct {
	name                    string
	life                    int
	random, habits, network uint64
}

// of returns the streams of a client in one of its lives; s may be those of any client.
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

func (w *World) newProc(name string, c kernel.Clock) *kernel.Proc {
	p := w.arenas.procs.Next()
	w.k.Begin(p, name, c)
	return p
}

var (
	_ ports.Env        = (*client)(nil)
	_ ports.Resource   = (*client)(nil)
	_ workload.Control = (*client)(nil)
)

func (c *client) Now() time.Time { return Epoch.Add(c.proc.Clock.Wall(c.w.k.Now())) }

func (c *client) Mono() time.Duration { return c.proc.Clock.Mono(c.w.k.Now()) }

func (c *client) Sleep(ctx context.Context, d time.Duration) error { return c.w.k.Sleep(ctx, d) }

func (c *client) Background() context.Context { return c.proc.Background() }

func (c *client) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return c.w.k.WithTimeout(ctx, d)
}

func (c *client) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return c.w.k.WithCancel(ctx)
}

func (c *client) Go(ctx context.Context, name string, f func(context.Context)) ports.Task {
	c.w.k.Enter()
	if c.w.timing.AnyOrder { // else tasks that begin at one instant send at one instant, in order
		later := time.Duration(c.network.Int64N(int64(time.Microsecond)))
		return c.w.k.Go(ctx, c.proc, name, func(ctx context.Context) {
			if c.w.k.Sleep(c.Background(), later) == nil {
				f(ctx)
			}
		})
	}
	return c.w.k.Go(ctx, c.proc, name, f)
}

func (c *client) NewSignal() ports.Signal { return c.w.k.NewSignal() }

func (c *client) Rand() ports.Rand { return &c.random }

func (c *client) Crash(string) {
	c.w.k.Enter()
	injector{c.w}.recordOf(history.Crashed, c.proc, 0) // no fault of the scenario
	c.kill()
	c.w.k.Enter() // unwinds this task
}

func (c *client) Record(kind history.Kind, token, value int64, text string) {
	c.w.k.Enter()
	c.part = workload.PartAfter(c.part, kind)
	c.extendedWork.Observe(kind)
	c.w.record(c.proc, history.Event{
		Kind: kind, Node: c.node, Token: token, Value: value,
		Text: c.w.hist.Intern(text), Cause: history.NoCause,
	})
}

func (c *client) Reach(kind faults.MomentKind) {
	c.w.k.Enter()
	if c.w.engine.WantsKind(kind) {
		c.reach(faults.Moment{Kind: kind, Subject: c.name}, c.w.timing.FaultTime+c.w.timing.StopTime)
	}
}

// reach reports a moment to the engine. If a fault begins at it, the task waits for d.
func (c *client) reach(m faults.Moment, d time.Duration) {
	begun := c.w.begun
	c.held = true
	c.w.engine.Observe(m)
	c.held = false
	c.w.k.Checkpoint()
	if c.w.begun > begun && d > 0 {
		_ = c.w.k.Sleep(c.Background(), d) // the background never ends
	}
}

func (c *client) ExtraWork() time.Duration {
	d, by := c.extendedWork.Take()
	for _, fault := range by {
		injector{c.w}.actedOn(fault, c)
	}
	return d
}

func (c *client) latency() time.Duration { return c.w.plan.Network.Latency.Draw(&c.network) }

func (c *client) loses() bool {
	ppm := c.w.plan.Network.LossPPM
	return ppm > 0 && c.network.Int64N(1_000_000) < ppm
}

// tryNext makes the client of a cluster talk to the next server, after h has not answered.
func (c *client) tryNext(h *host) {
	if c.w.route.pick(c) == h {
		c.member++
	}
}

// announcePrimary lets an operator tell the clients which server is the primary. The operator is on
// that server's side: clients that a partition separates from it learn it after the heal.
func (w *World) announcePrimary(primary *host) {
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
