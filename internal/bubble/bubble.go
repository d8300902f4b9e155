// Package bubble plays a plan with a lock that is a user's own Go code: unmodified, with its
// goroutines, timers and client library, in the virtual time of a testing/synctest bubble. The
// clients, servers, network and faults are those of package sim, so that a story means the same.
//
//	goroutines of the lock --bytes--> conn --request--> sim.Socket --> the simulated server
//
// One goroutine runs the kernel, which keeps pace with the bubble's time (kernel.Pacer). A world
// is made, played and closed inside one bubble.
//
// Go code cannot be stopped from outside. A pause stops a process where it interacts with the
// world: at its connections, and in the calls of its lock, which return after the pause. Its
// timers still fire, and all processes share one clock.
package bubble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/sim"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// Config configures a World.
type Config struct {
	Name    string // of the lock, in reports
	Servers Servers
	// Make makes the lock for one client at its first attempt, in a goroutine of its own. After
	// an error it is called again at the next attempt.
	Make func(*Client) (Lock, error)
	// Scripts are those that the servers know before the run.
	Scripts []*redis.Script
	// Watch, if not nil, is called at every moment that a client reaches before the quiet period.
	Watch func(m faults.Moment, at history.Instant)
	// Entry is the lock's entry; zero: the entry has the name of the lock.
	Entry store.Entry
	// Learn enables Notes.Held.
	Learn bool
	// On is the simulated world to play on. It keeps its buffers from bubble to bubble, so
	// the history of a run is valid until the next one.
	On *sim.World
}

// Servers are those behind a lock, with the connection of its client library to them.
type Servers struct {
	Store locks.Store
	Nodes int // number of independent servers, for a store of such
	Port  int // at which they listen
	// Dial connects a client to the server with that index; nil for the protocol of Redis.
	Dial  func(ctx context.Context, c *Client, server int) (net.Conn, error)
	Setup []ports.Request // statements that an SQL server executes before the run
	Wrong error           // why such servers are impossible, or nil
	// Set, if not nil, changes the servers of a plan.
	Set func(p *plan.Plan)
}

// World plays one plan, in one bubble.
type World struct {
	config  Config
	servers int // number of addresses

	sim   *sim.World
	clock *clock
	over  chan struct{}
	end   context.CancelFunc
	conns atomic.Int64 // number of connections so far

	clients []*Client
	scripts map[string]*redis.Script // that the run's servers may know, by their hash

	mu       sync.Mutex
	notes    Notes // Learned and Held are the kernel's
	panicked error // the first panic of the lock, or nil
}

// Notes are what a run has shown of the lock besides its history.
type Notes struct {
	Missed  []string        // commands that the models do not have
	Doubt   string          // the first doubt about how the lock uses its client library, or ""
	Refused error           // the first error of Acquire, or nil: of a context only if there is no other
	Learned []*redis.Script // scripts whose text was sent to the servers
	Held    []Held          // see Config.Learn
}

// New returns a world. It must be called inside a bubble.
func New(c Config) *World { return &World{config: c, sim: c.On} }

// Refuse returns an error if a plan cannot be played with a user's own code.
func Refuse(p *plan.Plan) error {
	for _, c := range p.Clocks {
		if slices.Contains(p.Clients, c.Node) {
			return fmt.Errorf("the clock of %s: the lock reads the clock of the bubble, which is everybody's", c.Node)
		}
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		name := f.Spec().Name
		if (name == "jump-clock" || name == "drift-clock") && !ofServer(p, f.Target) {
			return fmt.Errorf("fault %d (%s): the lock reads the clock of the bubble, which is everybody's", f.Number, f.Text)
		}
	}
	switch {
	case p.Redis.Cluster.Shards > 0:
		return fmt.Errorf("a Redis Cluster: there is no door to it for the lock's own client yet")
	case p.Redis.Failover.By == plan.BySentinel && p.Redis.Replicas > 0:
		return fmt.Errorf("sentinels: there is no door to them for the lock's own client yet")
	}
	return nil
}

// pools says that every sync.Pool is emptied before each run.
var pools atomic.Bool

// DropPools says that a client library may keep timers in a sync.Pool, where a timer of another bubble
// would end the program. go-redis does so when it waits for one of few connections.
func DropPools() { pools.Store(true) }

// ofServer reports whether the target of a fault is a server and not a client.
func ofServer(p *plan.Plan, target string) bool {
	words := []string{faults.TheHolder, faults.NextHolder, faults.ThatClient}
	return !slices.Contains(words, target) && !slices.Contains(p.Clients, target)
}

// Play plays one plan with the lock of the config. See run.World.
func (w *World) Play(ctx context.Context, p *plan.Plan, _ string, seed uint64) (*history.History, error) {
	if err := Refuse(p); err != nil {
		return nil, err
	}
	if pools.Load() { // their contents survive a single collection
		runtime.GC()
		runtime.GC()
	}
	playing.Add(1)
	defer playing.Add(-1)
	life, end := context.WithCancel(context.Background())
	w.clock, w.over, w.end, w.clients = newClock(), make(chan struct{}), end, nil
	variant := locks.Variant{ID: w.config.Name, Store: w.config.Servers.Store, New: func(d locks.Deps) locks.Lock {
		c := &Client{world: w, deps: d, guest: sim.GuestOf(d.Env), gate: gate{over: w.over}}
		c.guest.Bind(&c.gate)
		w.clients = append(w.clients, c)
		return &lock{client: c, make: w.config.Make, life: life}
	}}
	variant.Servers.Nodes = w.config.Servers.Nodes
	w.servers = 1
	if variant.Kind().Topology != store.Replicated { // a client knows all of them
		w.servers = len(p.Servers(plan.StoreOf(&variant)))
	}
	w.sim.Setup = w.config.Servers.Setup
	w.sim.Scripts, w.scripts = w.config.Scripts, map[string]*redis.Script{}
	for _, s := range w.config.Scripts {
		w.scripts[hashOf(s.Source)] = s
	}
	w.sim.Entry = w.config.Entry
	watch := w.config.Watch
	if w.config.Learn {
		watch = w.learns(watch)
	}
	w.sim.Watch(watch)
	h, err := w.sim.PlayGuest(untilPanic{ctx, w}, p, variant, seed, w.clock)
	w.stop()
	if w.panicked != nil {
		return nil, w.panicked
	}
	return h, err
}

// untilPanic is a context that also ends when the lock panics. Its parent is from outside the
// bubble.
type untilPanic struct {
	context.Context
	world *World
}

// Err implements context.Context.
func (u untilPanic) Err() error {
	u.world.mu.Lock()
	defer u.world.mu.Unlock()
	if u.world.panicked != nil {
		return context.Canceled
	}
	return u.Context.Err()
}

// panics ends the run after a panic of the lock.
func (w *World) panics(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.panicked == nil {
		w.panicked = err
	}
}

// settling is the time that the goroutines of a lock have to end after their run.
const settling = 10 * time.Second

// stop ends a run: it breaks all connections, ends all contexts and calls the clean-ups.
func (w *World) stop() {
	w.clock.stop()
	close(w.over)
	w.end()
	for _, c := range w.clients {
		c.end()
	}
	synctest.Wait()
	time.Sleep(settling)
}

// Close implements run.World.
func (w *World) Close() { w.sim.Close() }

// Notes returns what the last run has shown.
func (w *World) Notes() Notes {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.notes
}

func (w *World) misses(command string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.notes.Missed, command) {
		w.notes.Missed = append(w.notes.Missed, command)
	}
}

func (w *World) doubts(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes.Doubt = cmp.Or(w.notes.Doubt, why)
}

func (w *World) refuses(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notes.Refused == nil || ofContext(w.notes.Refused) && !ofContext(err) {
		w.notes.Refused = err
	}
}

// ofContext reports whether an error is that of an ended context.
func ofContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
