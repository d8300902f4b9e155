// Package sim is the simulated world: it plays a plan in virtual time, on models of the servers,
// and records the history. The same plan, lock and seed give the same history, byte for byte.
//
// Package kernel has time, tasks and processes, the packages of stores have the models. Here are
// the clients, the servers and the network between them.
package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
	"lockstep/internal/workload"
)

// Backend is the name of this world in histories and on the command line.
const Backend = history.Sim

// The limits of one run. A longer one is cut short: its history ends with history.CutShort, whose
// text is the reason.
const (
	MaxRecorded = 5_000_000  // events of its history
	longRun     = 500_000    // events after which there is room for all
	maxTexts    = 400 << 20  // bytes of the texts of its history
	maxSteps    = 20_000_000 // events of the kernel, of which most are recorded
)

// Epoch is the reading of every unskewed wall clock at true time 0.
var (
	Epoch   = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	epochMS = Epoch.UnixMilli()
)

// World plays runs one after the other and keeps its buffers between them. It must be used from one
// goroutine.
type World struct {
	// OmitText leaves the texts out of histories.
	OmitText bool

	// Scripts are a guest's scripts that Redis primaries have loaded before the run. Replicas have
	// not: since Redis 7.0 neither SCRIPT LOAD nor EVAL is replicated, nor are scripts part of a
	// resynchronization.
	Scripts []*redis.Script

	// Setup are a guest's statements that SQL servers have executed before the run.
	Setup []ports.Request

	// Entry is where a guest's lock keeps its entry; zero: under its name.
	Entry store.Entry

	// MaxBackToBackRequests, if not 0, cuts a run short once a client, other than a guest, has sent
	// that many requests in a row, each at the instant of the reply to the previous one.
	MaxBackToBackRequests int

	watch func(faults.Moment, history.Instant) // see Watch
	most  int                                  // events of a history
	pacer kernel.Pacer                         // of a guest's run; nil for any other

	k          *kernel.Kernel
	hist       *history.History
	plan       *plan.Plan
	timing     Timing
	seed       uint64
	engine     *faults.Engine
	clients    []*client
	startOrder workload.StartOrder
	probe      *client
	variant    locks.Variant
	backend    backend        // the servers
	hosts      []*host        // of the servers
	extraLag   lateness       // of replicas
	route      route          // of requests
	settings   store.Settings // of the store
	oneLane    bool           // a client has one connection to each server for all its requests
	network    network
	guarded    []*resource
	key        string // of the lock that the run is about
	otherLock  []bool // by NodeID: clients that contend for another lock; nil without any
	replies    replyTexts
	entry      store.Entry    // of the lock that the run is about
	entryText  history.TextID // the key of entry
	playing    int            // clients that have neither finished nor died, or will be restarted
	begun      int            // faults, in all runs
	quiet      bool
	spinning   *client // the first client to reach MaxBackToBackRequests, or nil
	spinningAt int     // how many events there were then
	leaderless int     // the fault that has left no server that could lead; 0 for none

	calls      []*call // all ever made
	freeCalls  []*call
	nextCall   int64
	nextConn   uint64
	stores     []*redis.Store // all ever made
	usedStores int            // how many belong to the current run
	arenas     arenas

	alwaysLook bool // the nodes of a Redis Cluster compare views even if nothing has changed; for tests
}

// arenas hold the parts of a run, for reuse by the next one.
type arenas struct {
	clients   kernel.Arena[client]
	procs     kernel.Arena[kernel.Proc]
	conns     kernel.Arena[conn]
	servers   kernel.Arena[redisServer]
	groups    kernel.Arena[redisGroup]
	resources kernel.Arena[resource]
	visits    kernel.Arena[visit]
}

func (a *arenas) reset() {
	a.clients.Reset()
	a.procs.Reset()
	a.conns.Reset()
	a.servers.Reset()
	a.groups.Reset()
	a.resources.Reset()
	a.visits.Reset()
}

// New returns a world.
func New() *World {
	return &World{k: kernel.New(), hist: history.New(history.Header{}), most: MaxRecorded}
}

// Reserve lowers the limit of MaxRecorded for the next runs.
func (w *World) Reserve(events int) { w.most = max(MaxRecorded-events, 0) }

// Close ends the world's coroutines. Another Play is possible.
func (w *World) Close() {
	w.k.Close()
	w.k = kernel.New()
}

// Again plays the run of a stored history again, no further than that goes.
func Again(ctx context.Context, p *plan.Plan, stored *history.History) (*history.History, error) {
	w := New()
	defer w.Close()
	n := len(stored.Events) - 1
	cut := n >= 0 && stored.Events[n].Kind == history.CutShort
	if cut {
		w.Reserve(MaxRecorded - n)
	}
	played, err := w.Play(ctx, p, stored.Header.Lock, stored.Header.Seed)
	if err == nil && cut {
		played.CutAt(min(n, len(played.Events)), stored.WhyCutShort())
	}
	return played, err
}

// Run is Play without a way to stop it.
func (w *World) Run(p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	return w.Play(context.Background(), p, lock, seed)
}

// Play plays one plan with one lock and returns its history, which is valid until the next Play.
// When ctx ends, the history so far is returned with its error. Any other error means that the run
// could not be set up, or a panic.
func (w *World) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	variant, ok := p.Lock(lock)
	if !ok {
		return nil, fmt.Errorf("unknown lock %q", lock)
	}
	if variant.Program != nil {
		return nil, variant.CheckSimulated()
	}
	return w.playVariant(ctx, p, variant, seed)
}

// playVariant is Play with a variant that need not be registered.
func (w *World) playVariant(ctx context.Context, p *plan.Plan, variant locks.Variant, seed uint64) (*history.History, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := variant.CheckSimulated(); err != nil {
		return nil, err
	}
	if err := variant.CheckLease(p.Lease); err != nil {
		return nil, err
	}
	if p.IsOpen() {
		return nil, errors.New("the faults of this plan have not been drawn: call chaos.Draw")
	}
	if err := w.setUp(p, variant, seed); err != nil {
		return nil, err
	}
	w.k.After(0, (*admitNext)(w), 0)
	w.k.After(p.Horizon(), (*quieter)(w), 0)
	w.engine.Start()
	if w.pacer != nil {
		w.k.KeepPace(w.pacer)
	}
	err := w.k.Run(maxSteps, func() error { return w.look(ctx) })
	w.k.Reset() // unwinds all tasks, before the history is read
	return w.ended(ctx, variant.ID, err)
}

// errTooLarge ends a run whose history has become too large.
var errTooLarge = errors.New("the history is too large")

// look returns why the run has to end, or nil.
func (w *World) look(ctx context.Context) error {
	if len(w.hist.Events) > w.most || w.hist.TextBytes() > maxTexts {
		return errTooLarge
	}
	w.hist.GrowOnce(longRun, MaxRecorded)
	return ctx.Err()
}

// ended returns the history of a run that has ended, with or without an error of the kernel.
// Whether it is cut short depends only on what was recorded, not on when a limit was checked.
func (w *World) ended(ctx context.Context, lock string, err error) (*history.History, error) {
	why, most := "", w.most
	switch {
	case len(w.hist.Events) > w.most && w.most < MaxRecorded:
		why = fmt.Sprintf("%d events are left of the %d that all locks of a run may have: play fewer locks at once", w.most, MaxRecorded)
	case len(w.hist.Events) > w.most:
		why = fmt.Sprintf("more than %d events: lower clients, repeat or wait", w.most)
	case errors.Is(err, errTooLarge):
		why = fmt.Sprintf("texts of more than %d MiB: lower clients, repeat or wait", maxTexts>>20)
	case errors.Is(err, kernel.ErrTooManyEvents):
		why = fmt.Sprintf("more than %d steps of the simulator: lower clients, repeat or wait", maxSteps)
	case err != nil && err == ctx.Err():
		return w.hist, err
	case err != nil:
		return nil, fmt.Errorf("%s, seed %d: %w", lock, w.seed, err)
	case w.spinning != nil:
		most = w.spinningAt
		why = fmt.Sprintf("%s has sent %d requests in a row without a rest", w.spinning.name, w.MaxBackToBackRequests)
	case w.leaderless > 0:
		most = len(w.hist.Events)
		why = fmt.Sprintf("fault %d has left no server that could lead: add servers, or write restart: the primary, down: 10s instead", w.leaderless)
	default:
		w.recordIneffectiveFaults()
		w.hist.Whole = true
		return w.hist, nil
	}
	w.hist.CutAt(min(most, len(w.hist.Events)), why)
	return w.hist, nil
}

// recordIneffectiveFaults records the faults that have begun and changed nothing.
func (w *World) recordIneffectiveFaults() {
	w.network.stillBlocked()
	for _, number := range w.engine.WithoutEffect(w.plan.MinEffect()) {
		w.hist.Add(history.Event{At: w.hist.End(), Kind: history.WithoutEffect, Value: int64(number), Cause: history.NoCause})
	}
}

// Run plays one plan in a world of its own.
func Run(p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	w := New()
	defer w.Close()
	return w.Run(p, lock, seed)
}

// PlayVariant plays one plan in a world of its own, with a variant that need not be registered.
func PlayVariant(ctx context.Context, p *plan.Plan, v locks.Variant, seed uint64) (*history.History, error) {
	w := New()
	defer w.Close()
	return w.playVariant(ctx, p, v, seed)
}

func (w *World) setUp(p *plan.Plan, v locks.Variant, seed uint64) error {
	w.k.Reset()
	w.plan, w.variant, w.seed, w.quiet = p, v, seed, false
	w.spinning, w.leaderless = nil, 0
	w.key, w.guarded = p.Resources()[0], w.guarded[:0]
	if v.Resource != "" {
		w.key = v.Resource
	}
	if w.engine == nil {
		w.engine = &faults.Engine{}
	}
	w.engine.Reset(p.Faults, injector{w}, scheduler{w.k})
	if w.watch != nil {
		w.engine.Watch = func(m faults.Moment) { w.watch(m, w.k.Now()) }
	}
	name := Backend
	if w.pacer != nil {
		name = history.Bubble
	}
	w.hist.OmitText = w.OmitText
	w.hist.Reset(p.HeaderOf(v.ID, plan.StoreOf(&v), seed, name, 1_000_000))
	w.replies.reset(w.hist)
	w.entry = v.Entry
	w.entry.Key = w.key
	if w.pacer != nil && w.Entry.Key != "" {
		w.entry = w.Entry
	}
	w.entryText = w.hist.Intern(w.entry.Key)
	w.network.reset(w)
	w.resetCalls()
	w.usedStores = 0
	w.hosts, w.extraLag = w.hosts[:0], lateness{}
	w.arenas.reset()

	if err := w.startServers(); err != nil {
		return err
	}
	w.clients = w.clients[:0]
	for i, name := range p.Clients {
		c := w.newClient(name, p.WorkloadOf(name), 0)
		c.member = i
		w.clients = append(w.clients, c)
	}
	w.findOtherLocks()
	w.startOrder = workload.NewStartOrder(len(w.clients), p.Workload.Stagger, p.Network.Timeout)
	probe := p.Probe()
	probe.Wait, probe.Resource = cmp.Or(w.timing.ProbeWait, probe.Wait), w.key
	w.probe = w.newClient(plan.ProbeName, probe, 0)
	w.playing = len(w.clients)
	return nil
}

func (w *World) clockOf(node string) kernel.Clock {
	for _, c := range w.plan.Clocks {
		if c.Node == node {
			return kernel.Clock{Offset: c.Offset, DriftPPM: c.DriftPPM}
		}
	}
	return kernel.Clock{}
}

// record adds an event, at this instant, of a node with a process.
func (w *World) record(p *kernel.Proc, e history.Event) int32 {
	e.At = w.k.Now()
	e.Clock = int64(p.Clock.Wall(e.At))
	if w.startOrder.Observe(int(e.Node)-1, e.Kind, e.At.Duration()) { // clients are the first nodes
		w.admit()
	}
	return w.add(e)
}

// recordBare adds an event, at this instant, of a node without a clock.
func (w *World) recordBare(e history.Event) int32 {
	e.At = w.k.Now()
	return w.add(e)
}

// scheduler implements faults.Scheduler by the kernel's time.
type scheduler struct{ k *kernel.Kernel }

func (s scheduler) After(d time.Duration, f func()) {
	s.k.After(d, kernel.HandlerFunc(f), 0)
}
