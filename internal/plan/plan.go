// Package plan is a scenario with nothing left open: plain data that every
// world can play. A plan comes from a scenario file (package scenario) or is
// built by a test.
package plan

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/rng/spread"
	"lockstep/internal/store"
)

// Plan is one story, ready to be played with any of its locks.
type Plan struct {
	Name     string   // from the scenario's title
	Subtitle string   // what it is about in plain words, where the title says so only afterwards
	File     string   // path of the scenario file, "" when there is none
	Slug     string   // file-system name: letters, digits and dashes only
	Changes  []string // what was changed of the file, each as KEY=VALUE; nil when nothing was
	Level    int      // 1 start here .. 3 subtle
	Remedy   string   // the scenario that shows what survives this one; "" for none
	Story    string
	Question string
	Lesson   string
	Chinese  Prose // what the file says in Chinese, too; its texts are "" where it does not

	// ScalePPM is what Scaled has multiplied the durations by, in millionths; 0 when it has not.
	ScalePPM int64

	Locks    []string        // ids of lock variants
	Programs []locks.Variant // those of them that are programs of their own, which no registry has

	Lease    time.Duration // lease asked for; every lock rounds as its protocol demands
	Clients  []string      // names, at least one
	Workload Workload
	Own      map[string]Workload // of clients that do something else; see WorkloadOf
	Network  Network
	// What the stores are made of; a run uses the one of its lock's store.
	Redis     Redis
	Redlock   Redlock
	Clusters  [store.MaxOfTopology]Cluster // see Cluster
	Databases [store.MaxOfTopology]SQL     // see Database

	Clocks []Clock // in the order of the file
	Faults []faults.Fault
	Drawn  bool           // all faults were drawn at random
	Lines  []faults.Fault // of the list from which faults are drawn: those that need not have happened
	Chaos  *Chaos         // draws the faults of each run; nil when they are listed
	Vary   []Axis         // what a sweep varies, MostAxes at most; none in most files
	Expect []Expectation  // what the file says, that of EveryLock first

	Seed   uint64 // the seed to play unless another one is asked for; 0 when the file names none
	Origin string // where a file that was not written by hand comes from
}

// Lock returns the variant with that id, which is a program of this plan or registered. In a plan with
// several resources the id names one of them.
func (p *Plan) Lock(id string) (locks.Variant, bool) {
	for _, v := range p.Programs {
		if v.ID == id {
			return v, true
		}
	}
	v, ok := locks.Lookup(id)
	return v, ok && (v.Resource == "" || slices.Contains(p.several(), v.Resource))
}

// Fault returns the fault with that number, which the plan has to have.
func (p *Plan) Fault(number int) *faults.Fault {
	return &p.Faults[slices.IndexFunc(p.Faults, func(f faults.Fault) bool { return f.Number == number })]
}

// IsOpen reports whether something of the faults is yet to be drawn: see package chaos.
func (p *Plan) IsOpen() bool {
	return p.Chaos != nil || slices.ContainsFunc(p.Faults, func(f faults.Fault) bool { return f.Open != nil })
}

// WorkloadOf is what a client does.
func (p *Plan) WorkloadOf(client string) Workload {
	if own, ok := p.Own[client]; ok {
		return own
	}
	return p.Workload
}

// Rounds are those of all clients together.
func (p *Plan) Rounds() (all int) {
	for _, name := range p.Clients {
		all += p.WorkloadOf(name).Repeat
	}
	return all
}

// Workload is what every client does.
type Workload struct {
	Repeat int           // how many rounds, at least 1
	Wait   time.Duration // patience for the lock in each round; 0: it tries once
	Work   Range         // length of the critical section
	Rest   Range         // between rounds
	// Arrivals is how much later than the one before a round begins, late ones at once; zero: there
	// is a rest between rounds instead.
	Arrivals Range
	Stagger  time.Duration // client i starts i*Stagger after the first
	Retry    time.Duration // between two tries of a lock that spins, and after a try that failed
	Fence    Fence
	// Nested is how often the client takes the lock again while it holds it.
	Nested int
	// Resource is what the client works on, and the key of the lock that guards it; see Plan.Resources.
	Resource string
	Renew    time.Duration // how often a watchdog renews; 0: as often as its design says
	// ReleaseAgain is how much later a client repeats a release whose outcome it
	// does not know, once; 0: it does not.
	ReleaseAgain time.Duration
}

// Fence says what the resource checks.
type Fence string

// The modes of the fence. FenceWrites refuses a write whose token is lower than
// one seen in a write; FenceReadsAndWrites lets reads raise the mark too, which
// closes the gap between a stale read and an accepted write.
const (
	FenceNone           Fence = "none"
	FenceWrites         Fence = "writes"
	FenceReadsAndWrites Fence = "reads and writes"
)

// Range is a duration that is drawn each time.
type Range = spread.Range

// Network is how messages travel, in each direction.
type Network struct {
	Latency Range
	LossPPM int64         // share of commands that lose one half, in millionths
	Timeout time.Duration // how long a client waits for a reply
}

// Clock sets a node's clocks apart from true time.
type Clock struct {
	Node     string
	Offset   time.Duration // of the wall clock
	DriftPPM int64         // of both clocks, in millionths
}

// Default values, spelled out by `simulate explain FILE`.
const (
	DefaultLease   = 10 * time.Second
	DefaultWait    = 60 * time.Second
	DefaultTimeout = 3 * time.Second
	DefaultStagger = 50 * time.Millisecond
	DefaultRetry   = 100 * time.Millisecond // chosen here; no source specifies it
)

// Default returns a plan with every default filled in: one round, three clients.
func Default() Plan {
	p := Plan{
		Level:   1,
		Lease:   DefaultLease,
		Clients: []string{"A", "B", "C"},
		Workload: Workload{
			Repeat:  1,
			Wait:    DefaultWait,
			Work:    Range{Min: 2 * time.Second, Max: 3 * time.Second},
			Rest:    spread.Fixed(100 * time.Millisecond),
			Stagger: DefaultStagger,
			Retry:   DefaultRetry,
			Fence:   FenceNone,

			Resource: locks.Key,
		},
		Network: Network{
			Latency: Range{Min: time.Millisecond, Max: 2 * time.Millisecond},
			Timeout: DefaultTimeout,
		},
		Redis:   Redis{Failover: RedisFailover{defaultFailover, DefaultDownAfter, DefaultElection}, Persistence: PersistNone, MinReplicasMaxLag: DefaultMinReplicasMaxLag},
		Redlock: Redlock{Nodes: DefaultRedlockNodes, Persistence: PersistNone},
	}
	for _, s := range store.All() {
		switch {
		case s.Topology == store.Quorum:
			c := p.Cluster(s.ID)
			*c = Cluster{Nodes: DefaultClusterNodes, Election: cmp.Or(s.Election, DefaultElection)}
			for i := range s.Settings {
				c.Settings[i] = s.Settings[i].Default
			}
		case s.IsDatabase():
			*p.Database(s.ID) = SQL{Failover: defaultFailover, IdleTimeout: s.Idle}
		}
	}
	return p
}

// ProbeFactor times the lease is how long the lock may stay unavailable in the
// final quiet period before progress counts as broken.
const ProbeFactor = 10

// Horizon is the true time at which a world stops waiting for the clients,
// heals all faults and begins the final quiet period.
func (p *Plan) Horizon() time.Duration {
	h := p.horizonOf(&p.Workload)
	for _, w := range p.Own { // order: the longest
		h = max(h, p.horizonOf(&w))
	}
	h += time.Duration(len(p.Clients)) * p.Workload.Stagger
	for _, f := range p.Faults {
		h += f.Trigger.At + f.Trigger.After + f.End.For
	}
	return h + 2*p.Lease
}

// horizonOf is how long a client plays at most, without faults.
func (p *Plan) horizonOf(w *Workload) time.Duration {
	waits, wait := time.Duration(1+w.Nested), w.Wait
	if w.TriesOnce() {
		wait = p.Network.Timeout
	}
	return time.Duration(w.Repeat) * (waits*wait + w.Work.Max + max(w.Rest.Max, w.Arrivals.Max))
}

// TriesOnce reports whether a client asks for the lock once, and goes on without it.
func (w *Workload) TriesOnce() bool { return w.Wait == 0 }

// MinEffect is the shortest time that a client or server could notice: a message takes that
// long, a millisecond at most. A fault that lasts less has no effect.
func (p *Plan) MinEffect() time.Duration {
	return max(min(p.Network.Latency.Min, time.Millisecond), time.Microsecond)
}

// Scaled returns the plan with every duration multiplied by ppm / 1e6, for real
// servers. Drift and loss are rates and stay.
func (p Plan) Scaled(ppm int64) Plan {
	if ppm == 1_000_000 {
		return p
	}
	scale := func(d time.Duration) time.Duration { return scaled(d, ppm) }
	p.Settle() // what follows from the lease is scaled, and follows from no shorter one
	p.ScalePPM = cmp.Or(p.ScalePPM, 1_000_000) * ppm / 1_000_000
	p.Lease = scale(p.Lease)
	for _, section := range append([]Section{WorkloadKeys, NetworkKeys}, ServerKeys...) {
		p.scale(section.Keys, scale)
	}
	own := map[string]Workload{}
	for name, w := range p.Own { // order: each client on its own
		of := Plan{Workload: w}
		of.scale(WorkloadKeys.Keys, scale)
		own[name] = of.Workload
	}
	p.Own = own
	clocks := make([]Clock, len(p.Clocks))
	for i, c := range p.Clocks {
		c.Offset = scale(c.Offset)
		clocks[i] = c
	}
	p.Clocks = clocks
	list := make([]faults.Fault, len(p.Faults))
	for i, f := range p.Faults {
		list[i] = f.Scaled(scale)
	}
	p.Faults = list
	p.Chaos = p.Chaos.scaled(scale)
	p.Vary = scaledAxes(p.Vary, scale)
	return p
}

func scaled(d time.Duration, ppm int64) time.Duration {
	return time.Duration(int64(d) / 1_000_000 * ppm)
}

// scale multiplies the durations that are kept under some keys.
func (p *Plan) scale(keys []Key, by func(time.Duration) time.Duration) {
	for i := range keys {
		k := &keys[i]
		if k.Keys != nil {
			p.scale(k.Keys, by)
			continue
		}
		switch at := k.At(p).(type) {
		case *time.Duration:
			*at = by(*at)
		case *Range:
			*at = at.Map(by)
		}
	}
}
