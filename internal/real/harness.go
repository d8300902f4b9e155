package real

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/servers"
	"lockstep/internal/workload"
)

// harness plays one run.
type harness struct {
	plan    *plan.Plan
	variant locks.Variant
	seed    uint64
	o       Options
	header  history.Header
	nodes   map[string]history.NodeID

	scratch       *osproc.Scratch
	reaper        *osproc.Reaper
	setupPriority setupPriority
	launcher      servers.Launcher // of the servers
	closeLauncher func() error     // nil when there is nothing to close
	group         *group
	store         store           // specific to the kind of servers
	clients       []*client       // of the plan; guarded by mu once the run has begun
	replaced      []*client       // dead; a new client has their name
	away          []chan struct{} // each closed when a client killed for a restart is back
	quiet         bool            // the final quiet period has begun, and no client is restarted; guarded by mu
	probe         *client
	resource      *resource
	journal       journal

	clocks clocks

	arrivalMu  sync.Mutex // guards startOrder and arrivals; taken after mu
	startOrder workload.StartOrder
	arrivals   []*client // by their numbers in startOrder

	zero  atomic.Int64 // true time 0 on osproc's clock; 0: not set yet
	epoch time.Time

	mu      sync.Mutex // serialises the engine and its actions
	engine  *faults.Engine
	timers  []*time.Timer
	stopped bool

	stop       chan struct{} // closed when the run ends
	background sync.WaitGroup
	fatal      chan error // holds the first error
}

func newHarness(p *plan.Plan, v locks.Variant, seed uint64, o Options) (*harness, error) {
	if o.Worker == "" {
		program, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("the program's own path is unknown, so no worker can be started: %w", err)
		}
		o.Worker = program
	}
	scratch, err := osproc.NewScratch()
	if err != nil {
		return nil, err
	}
	reaper, err := osproc.StartReaper(scratch)
	if err != nil {
		return nil, errors.Join(err, scratch.Remove())
	}
	h := &harness{
		plan: p, variant: v, seed: seed, o: o, scratch: scratch, reaper: reaper,
		nodes: map[string]history.NodeID{}, epoch: time.Now(),
		stop: make(chan struct{}), fatal: make(chan error, 1),
	}
	h.clocks.set(p.Clocks)
	h.header = p.HeaderOf(v.ID, plan.StoreOf(&v), seed, o.Backend, scaleOf(p, &o))
	for i, n := range h.header.Nodes {
		h.nodes[n.Name] = history.NodeID(i + 1)
	}
	h.resource = &resource{h: h, fence: p.Workload.Fence, read: map[*client]int{}}
	h.engine = faults.NewEngine(p.Faults, injector{h}, (*scheduler)(h))
	return h, nil
}

// now returns the true time; 0 before the run has begun.
func (h *harness) now() history.Instant {
	zero := h.zero.Load()
	if zero == 0 {
		return 0
	}
	return history.Instant(int64(osproc.Now()) - zero)
}

// fail ends the run with an error; only the first one counts.
func (h *harness) fail(err error) {
	select {
	case h.fatal <- err:
	default:
	}
}

// orDied is the error of a server that has died, instead of one that follows from its death:
// connections to it and other servers learn of that first.
func (h *harness) orDied(err error) error {
	if len(h.group.members) == 0 {
		return err
	}
	select {
	case died := <-h.fatal:
		return died
	case <-time.After(servers.DeathTime):
		return err
	}
}

// setUp starts the servers, the links and the workers, and returns when all of
// them are ready.
func (h *harness) setUp(ctx context.Context) error {
	if err := h.openLauncher(ctx); err != nil {
		return err
	}
	opening, cancel := context.WithTimeoutCause(ctx, serversTime, fmt.Errorf("the servers were not ready after %v", serversTime))
	defer cancel()
	if err := h.open(opening); err != nil {
		return because(opening, err)
	}
	ctx, cancel = context.WithTimeoutCause(ctx, setUpTime, fmt.Errorf("the workers were not ready after %v: is the machine overloaded?", setUpTime))
	defer cancel()
	for _, name := range h.plan.Clients {
		c, err := h.newClient(name, h.plan.WorkloadOf(name), 0)
		if c != nil {
			h.clients = append(h.clients, c)
		}
		if err != nil {
			return err
		}
	}
	var err error
	if h.probe, err = h.newClient(plan.ProbeName, h.plan.Probe(), 0); err != nil {
		return err
	}
	for _, c := range append([]*client{h.probe}, h.clients...) {
		select {
		case <-c.ready:
		case err := <-h.fatal:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// because puts the end of a context before the error that it led to: a driver may only say that its
// connection is lost.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// allClients returns the clients of the plan, the probe, and those whose processes were
// replaced: their messages may still be on their way.
func (h *harness) allClients() []*client {
	all := slices.Concat(h.clients, h.replaced)
	if h.probe == nil {
		return all
	}
	return append(all, h.probe)
}

// lease returns the time to live that the lock asks for, 0 for one without.
func (h *harness) lease() time.Duration {
	if h.variant.LeaseUnit == 0 {
		return 0
	}
	return h.plan.Lease
}

// play lets the clients play, then heals and lets the probe try the lock.
func (h *harness) play(ctx context.Context) error {
	if err := h.setupPriority.open(); err != nil {
		return err
	}
	h.begin()
	horizon := time.NewTimer(h.plan.Horizon())
	defer horizon.Stop()
	if err := h.awaitAll(ctx, horizon.C); err != nil && !errors.Is(err, errTime) {
		return err
	}
	h.mu.Lock()
	h.quiet = true
	h.engine.Heal()
	h.record(history.Event{Kind: history.Healed}, "")
	h.mu.Unlock()
	h.probe.begin(h.now().Duration())
	patience := time.NewTimer(plan.ProbeFactor*h.plan.Lease + 2*h.plan.Network.Timeout + slack)
	defer patience.Stop()
	err := h.await(ctx, h.probe.over, patience.C)
	h.store.settle()
	if errors.Is(err, errTime) {
		return fmt.Errorf("the probe was not done %v after its patience: its worker hangs", slack)
	}
	return err
}

// awaitAll waits until all clients have ended.
func (h *harness) awaitAll(ctx context.Context, timeUp <-chan time.Time) error {
	for {
		over := h.playing()
		if over == nil {
			return nil
		}
		if err := h.await(ctx, over, timeUp); err != nil {
			return err
		}
	}
}

// playing returns a channel that is closed when a client has ended or is back; nil when all
// have ended.
func (h *harness) playing() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.Clone(h.away)
	for _, c := range h.clients {
		all = append(all, c.over)
	}
	for _, over := range all {
		select {
		case <-over:
		default:
			return over
		}
	}
	return nil
}

var errTime = errors.New("the time is up")

func (h *harness) await(ctx context.Context, over <-chan struct{}, timeUp <-chan time.Time) error {
	select {
	case <-over:
		select {
		case err := <-h.fatal: // the run failed
			return err
		default:
			return nil
		}
	case <-timeUp:
		return errTime
	case err := <-h.fatal:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin starts true time. It holds h.mu until the faults that wait for an instant
// are armed, so that no client can be ahead of them.
func (h *harness) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	zero := osproc.Now() + time.Millisecond // the clients are told before that
	h.epoch = time.Now().Add(time.Millisecond)
	h.zero.Store(int64(zero))
	k, _ := kindOf(h.variant.Store)
	stagger := max(h.plan.Workload.Stagger, k.stagger)
	h.arrivalMu.Lock()
	patience := max(h.plan.Network.Timeout, time.Second) // a client on a busy machine may take that long
	h.startOrder, h.arrivals = workload.NewStartOrder(len(h.clients), stagger, patience), slices.Clone(h.clients)
	h.arrivalMu.Unlock()
	h.admit()
	time.Sleep(zero - osproc.Now())
	h.engine.Start()
}

// admit starts the clients that are due, and schedules the next one.
func (h *harness) admit() {
	h.arrivalMu.Lock()
	defer h.arrivalMu.Unlock()
	for {
		next, from, ok := h.startOrder.Next()
		if !ok {
			return
		}
		now := max(h.now().Duration(), 0)
		if from > now {
			time.AfterFunc(from-now, h.admit) // an extra call does no harm
			return
		}
		h.startOrder.Begins(now)
		h.arrivals[next].begin(now)
	}
}

// saw tells startOrder of an event of a client.
func (h *harness) saw(client history.NodeID, kind history.Kind) {
	h.advance(func(order *workload.StartOrder) bool {
		return order.Observe(int(client)-1, kind, h.now().Duration()) // clients are the first nodes
	})
}

// advance changes startOrder, and admits clients if change reports that one is due.
func (h *harness) advance(change func(*workload.StartOrder) bool) {
	h.arrivalMu.Lock()
	due := change(&h.startOrder)
	h.arrivalMu.Unlock()
	if due {
		h.admit()
	}
}

// recordIneffectiveFaults records the faults that began and had no effect. The run is over, and
// partitions without an end are still in place.
func (h *harness) recordIneffectiveFaults(ended history.Instant) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.group.blocks {
		h.group.acted(&h.group.blocks[i])
	}
	for _, number := range h.engine.WithoutEffect(h.plan.MinEffect()) {
		h.recordAt(ended, entry{Event: history.Event{Kind: history.WithoutEffect, Value: int64(number)}})
	}
}

// observe notifies the engine of a moment; when it returns, the faults that waited for it
// have acted.
func (h *harness) observe(m faults.Moment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopped {
		h.engine.Observe(m)
	}
}

// tearDown kills everything that the run has started.
func (h *harness) tearDown() error {
	h.mu.Lock()
	h.stopped = true
	for _, t := range h.timers {
		t.Stop()
	}
	h.mu.Unlock()
	close(h.stop)
	var errs []error
	all := h.allClients()
	for _, c := range all {
		errs = append(errs, c.kill())
	}
	for _, c := range all {
		errs = append(errs, c.close())
		c.handOnProgram()
	}
	errs = append(errs, h.killPrograms())
	if h.group != nil {
		errs = append(errs, h.group.stop())
	}
	if h.closeLauncher != nil {
		errs = append(errs, h.closeLauncher())
	}
	h.background.Wait()
	err := errors.Join(append(errs, h.scratch.Remove())...)
	return errors.Join(err, h.reaper.End(err == nil))
}

// scheduler implements faults.Scheduler in true time, with h.mu held around each call.
type scheduler harness

// After implements faults.Scheduler; h.mu is held by the engine's caller.
func (s *scheduler) After(d time.Duration, f func()) {
	h := (*harness)(s)
	h.timers = append(h.timers, time.AfterFunc(d, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.stopped {
			f()
		}
	}))
}
