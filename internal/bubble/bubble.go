// Package bubble plays a plan with a lock that is a user's own Go code: unmodified, with its
// goroutines, timers and client library, in the virtual time of a testing/synctest bubble. It
// talks to the simulated world: the same clients, servers, network and faults as in package
// sim, so that the same stories mean the same.
//
//	goroutines of the lock --bytes--> conn --request--> sim.Socket --> the simulated server
//
// One goroutine runs the kernel, which keeps pace with the bubble's time (kernel.Pacer). A world
// is made, played and closed inside of one bubble.
//
// A process cannot be stopped from outside in the middle of its code. A pause stops it where it
// touches the world: its connections, and the calls of its lock, which return when it is over. Its
// timers go on and fire, and its clock is shared by all.
package bubble

import (
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

// Config says what is played.
type Config struct {
	Name    string // of the lock, in reports
	Servers Servers
	// Make makes the lock for one client at its first attempt, in a goroutine of its own. After
	// an error it is called again at the next attempt.
	Make func(*Client) (Lock, error)
	// Scripts are those that the servers have seen before the run.
	Scripts []*redis.Script
	// Watch, if not nil, is told of every moment that a client reaches until all is healed.
	Watch func(m faults.Moment, at history.Instant)
	// Entry is where the lock keeps its entry; the zero one: under the name of the lock.
	Entry store.Entry
	// Learn has World.Held tell what the servers keep of those who hold the lock.
	Learn bool
	// On is the simulated world to be played on. It keeps its buffers from bubble to bubble, so
	// the history of a run is good until the next one.
	On *sim.World
}

// Servers are those behind a lock, and how its client library gets to them.
type Servers struct {
	Store locks.Store
	Nodes int // of a store of independent servers
	Port  int // at which they listen
	// Dial connects a client to the server with that index; nil where they speak the protocol of Redis.
	Dial  func(ctx context.Context, c *Client, server int) (net.Conn, error)
	Setup []ports.Request // statements that an SQL server has executed before the run
	Wrong error           // why there can be no such servers, or nil
	// Pools: the client's library keeps timers in a pool of its process (sync.Pool), and one of another bubble
	// would end the program. They are dropped before each run.
	Pools bool
	// Set, if not nil, changes what a plan says of the servers.
	Set func(p *plan.Plan)
}

// World plays one plan, in one bubble.
type World struct {
	config  Config
	servers int // addresses

	sim   *sim.World
	clock *clock
	over  chan struct{}
	end   context.CancelFunc
	conns atomic.Int64

	clients []*Client
	scripts map[string]*redis.Script // that the run's servers can know, by their hash
	learned []*redis.Script          // of these, those that are new

	held []Held // see Config.Learn

	mu       sync.Mutex
	missed   []string // commands without a model
	panicked error    // the first panic of the lock; nil while there is none
	refused  error    // the first error of Acquire, of those that are not only the end of its context if there are any
}

// New returns a world. It must be called inside of a bubble.
func New(c Config) *World {
	return &World{config: c, sim: c.On}
}

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

// dropPools empties every sync.Pool: what is in one survives a single collection.
func dropPools() {
	runtime.GC()
	runtime.GC()
}

// ofServer reports whether a target of a fault is a server, and not the client that is the user's code.
func ofServer(p *plan.Plan, target string) bool {
	switch target {
	case faults.TheHolder, faults.NextHolder, faults.ThatClient:
		return false
	}
	return !slices.Contains(p.Clients, target)
}

// Play plays one plan, whose lock is that of the config, whatever it is called. See run.World.
func (w *World) Play(ctx context.Context, p *plan.Plan, _ string, seed uint64) (*history.History, error) {
	if err := Refuse(p); err != nil {
		return nil, err
	}
	if w.config.Servers.Pools {
		dropPools()
	}
	playing.Add(1)
	defer playing.Add(-1)
	life, end := context.WithCancel(context.Background())
	w.clock, w.over, w.end, w.clients = newClock(), make(chan struct{}), end, nil
	variant := locks.Variant{ID: w.config.Name, Store: w.config.Servers.Store, New: func(d locks.Deps) locks.Lock {
		c := &Client{world: w, deps: d, door: sim.GuestOf(d.Env), gate: gate{over: w.over}}
		c.door.Bind(&c.gate)
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

// untilPanic is a context from outside of the bubble, that has ended, too, when the lock has panicked.
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

// panics ends the run for a panic of the lock. What runs after it is not by design.
func (w *World) panics(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.panicked == nil {
		w.panicked = err
	}
}

// settling is how much time the goroutines of a lock have to end when their run is over.
const settling = 10 * time.Second

// stop ends what is left of a run: no connection works any more, every context ends, and the
// clean-ups are called.
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

// Missed returns the commands that the lock has sent and that the models do not have.
func (w *World) Missed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.missed)
}

func (w *World) misses(command string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.missed, command) {
		w.missed = append(w.missed, command)
	}
}

// Refused returns the first error of Acquire, if possible one that says more than that the time was over;
// nil if there was none.
func (w *World) Refused() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused
}

func (w *World) refuses(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == nil || ofContext(w.refused) && !ofContext(err) {
		w.refused = err
	}
}

// ofContext reports whether an error is that of a context which has ended.
func ofContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Learned returns the scripts that the last run's servers have been sent the text of.
func (w *World) Learned() []*redis.Script { return slices.Clone(w.learned) }

// connected returns the number of a new connection.
func (w *World) connected() int64 { return w.conns.Add(1) }
