// Package plan is a scenario with nothing left open: plain data that every world can play. A plan
// comes from a scenario file (package scenario) or is built by a test.
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
	Texts            // in English
	Chinese Texts    // "" for each that the file lacks
	File    string   // path of the scenario file, "" when there is none
	Slug    string   // file-system name: letters, digits and dashes only
	Changes []string // to the file, each as KEY=VALUE; nil for none
	Level   int      // 1 start here .. 3 subtle
	Remedy  string   // the scenario that shows what survives this one; "" for none

	// ScalePPM is the product of all Scaled factors, in millionths; 0 when it was not scaled.
	ScalePPM int64

	Locks    []string        // ids of lock variants
	Programs []locks.Variant // those of them that are programs of their own, outside the registry

	Lease    time.Duration // lease asked for; every lock rounds as its protocol demands
	Clients  []string      // names, at least one
	Workload Workload
	Own      map[string]Workload // of clients with a workload of their own; see WorkloadOf
	Network  Network
	// The servers of the stores; a run uses those of its lock's store.
	Redis     Redis
	Redlock   Redlock
	Clusters  [store.MaxOfTopology]Cluster // see Cluster
	Databases [store.MaxOfTopology]SQL     // see Database

	Clocks []Clock // in the order of the file
	Faults []faults.Fault
	Drawn  bool           // all faults were drawn at random
	Lines  []faults.Fault // listed faults that chance may leave out, for the header
	Chaos  *Chaos         // draws the faults of each run; nil when they are listed
	Vary   []Axis         // what a sweep varies, MostAxes at most; none in most files
	Expect []Expectation  // as in the file, those for EveryLock first

	Seed uint64 // the seed to play by default; 0 when the file has none
}

// Lock looks up a variant by its id, first among the programs of this plan. In a plan with several
// resources the id may name one of them.
func (p *Plan) Lock(id string) (locks.Variant, bool) {
	for _, v := range p.Programs {
		if v.ID == id {
			return v, true
		}
	}
	v, ok := locks.Lookup(id)
	return v, ok && (v.Resource == "" || slices.Contains(p.several(), v.Resource))
}

// Fault is the fault with that number; nil for none, or for one that is drawn in each run.
func (p *Plan) Fault(number int) *faults.Fault {
	return p.fault(func(f faults.Fault) bool { return f.Number == number })
}

// First is the first fault with a verb, or nil.
func (p *Plan) First(verb string) *faults.Fault {
	return p.fault(func(f faults.Fault) bool { return f.Verb.Name() == verb })
}

func (p *Plan) fault(is func(faults.Fault) bool) *faults.Fault {
	if i := slices.IndexFunc(p.Faults, is); i >= 0 {
		return &p.Faults[i]
	}
	return nil
}

// IsOpen reports whether package chaos has yet to draw some of the faults.
func (p *Plan) IsOpen() bool {
	return p.Chaos != nil || slices.ContainsFunc(p.Faults, func(f faults.Fault) bool { return f.Open != nil })
}

// WorkloadOf returns the workload of a client.
func (p *Plan) WorkloadOf(client string) Workload {
	if own, ok := p.Own[client]; ok {
		return own
	}
	return p.Workload
}

// Rounds returns the number of rounds of all clients together.
func (p *Plan) Rounds() (all int) {
	for _, name := range p.Clients {
		all += p.WorkloadOf(name).Repeat
	}
	return all
}

// Workload is what every client does.
type Workload struct {
	Repeat int           // how many rounds, at least 1
	Wait   time.Duration // how long to wait for the lock in each round; 0: a single attempt
	Work   Range         // length of the critical section
	Rest   Range         // between rounds
	// Arrivals is the time from the start of one round to the start of the next, which begins at
	// once when it is late; zero: the client rests between rounds instead.
	Arrivals Range
	Stagger  time.Duration // client i starts i*Stagger after the first
	Retry    time.Duration // between two attempts of a lock that spins, and after a failed one
	Fence    Fence
	// Nested is how often the client takes the lock again while it holds it.
	Nested int
	// Resource is what the client works on, and the key of its lock; see Plan.Resources.
	Resource string
	Renew    time.Duration // how often a watchdog renews; 0: as often as its design says
	// ReleaseAgain is the delay after which a client repeats, once, a release whose outcome is
	// unknown; 0: never.
	ReleaseAgain time.Duration
}

// Fence says what the resource checks, see WorkloadKeys.
type Fence string

// The modes of the fence.
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

// Clock is how the clocks of a node differ from true time.
type Clock struct {
	Node     string
	Offset   time.Duration // of the wall clock
	DriftPPM int64         // of both clocks, in millionths
}

// Default values, printed by `simulate explain FILE`.
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

// MaxHorizon bounds the true time of a run: sums of the longest durations would overflow, and a
// stored history reaches 73 years.
const MaxHorizon = 50 * 365 * 24 * time.Hour

// Horizon is the true time at which a world stops waiting for the clients, heals all faults and
// begins the final quiet period.
func (p *Plan) Horizon() time.Duration {
	h := p.horizonOf(&p.Workload)
	for _, w := range p.Own { // order: the longest
		h = max(h, p.horizonOf(&w))
	}
	h += time.Duration(len(p.Clients)) * p.Workload.Stagger
	for _, f := range p.Faults {
		h += f.Trigger.At + f.Trigger.After + f.End.For
	}
	return min(h+2*p.Lease, MaxHorizon)
}

// horizonOf returns how long a client plays at most, without faults.
func (p *Plan) horizonOf(w *Workload) time.Duration {
	waits, wait := time.Duration(1+w.Nested), w.Wait
	if w.TriesOnce() {
		wait = p.Network.Timeout
	}
	each := waits*wait + w.Work.Max + max(w.Rest.Max, w.Arrivals.Max)
	rounds := time.Duration(max(w.Repeat, 1))
	return rounds * min(each, MaxHorizon/rounds+1)
}

// TriesOnce reports whether a client makes a single attempt to get the lock in each round.
func (w *Workload) TriesOnce() bool { return w.Wait == 0 }

// MinEffect is the shortest duration that a client or server could notice: one message, a
// millisecond at most. A shorter fault has no effect.
func (p *Plan) MinEffect() time.Duration {
	return max(min(p.Network.Latency.Min, time.Millisecond), time.Microsecond)
}

// Scaled returns the plan with every duration multiplied by ppm / 1e6, for real servers. Drift and
// loss are rates and stay.
func (p Plan) Scaled(ppm int64) Plan {
	if ppm == 1_000_000 {
		return p
	}
	scale := func(d time.Duration) time.Duration { return scaled(d, ppm) }
	p.Settle() // settings derived from the lease are scaled, not derived from a shorter one
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
	p.Clocks = slices.Clone(p.Clocks)
	for i := range p.Clocks {
		p.Clocks[i].Offset = scale(p.Clocks[i].Offset)
	}
	p.Faults = slices.Clone(p.Faults)
	for i := range p.Faults {
		p.Faults[i] = p.Faults[i].Scaled(scale)
	}
	p.Chaos = p.Chaos.scaled(scale)
	p.Vary = scaledAxes(p.Vary, scale)
	return p
}

func scaled(d time.Duration, ppm int64) time.Duration {
	return time.Duration(int64(d) / 1_000_000 * ppm)
}

// scale multiplies the durations of some keys.
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
