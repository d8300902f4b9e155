// Package real is the live world: it plays a plan with real servers as child
// processes, with clients that are processes of their own, and with every connection
// through a proxy that the faults tamper with.
//
//	worker A --link--+
//	worker B --link--+--> redis-1 --link--> redis-2 (replica)
//	worker C --link--+    (or etcd, ZooKeeper, Consul, MariaDB, PostgreSQL)
//	     |
//	     +--sockets--> harness: faults, guarded resource, history
//
// A pause is SIGSTOP, a crash is SIGKILL, a lost reply is dropped by a proxy.
// True time is the host's monotonic clock, which all processes share. Such a run
// cannot be replayed: the operating system decides the order of events. Only its
// outcome can be compared with the simulator.
//
// A program that calls Run starts itself again as a worker, so it must call
// WorkerMain first in main, and a test in TestMain.
package real

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/containers"
	"lockstep/internal/real/images"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/worker"
)

// WorkerMain plays a client and ends the process if it was started as a worker,
// or cleans up after a dead harness if it was started as a reaper; otherwise it
// returns at once.
func WorkerMain() {
	osproc.ReaperMain()
	containers.ReaperMain()
	worker.Main()
}

// Options configure a run.
type Options struct {
	// ScalePPM is the factor by which the durations were multiplied, in millionths, for a plan that
	// does not have it; 0 stands for 1000000.
	ScalePPM int64
	// Backend is where the servers run; ProcessBackend when empty.
	Backend string
	// Images are the container images to use instead of those that package images
	// chooses; nil for none.
	Images map[images.Product]string
	// Log, if not nil, gets the log of each server at the end of a run: some 256 KiB
	// at most, with a note at each omission.
	Log func(server string, text []byte)
	// Worker is the program to start as worker; this program when empty.
	Worker string
}

// Run plays one plan, already scaled, with one lock. The history is nil if the run
// could not be set up; it is returned with an error if the run was cut short, by the
// end of ctx or by the death of a process without a fault. No process and no
// directory is left when Run returns.
func Run(ctx context.Context, p *plan.Plan, lockID string, seed uint64, o Options) (*history.History, error) {
	o = *o.withDefaults()
	variant, err := check(p, lockID, &o)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h, err := newHarness(p, variant, seed, o)
	if err != nil {
		return nil, err
	}
	err = h.setUp(ctx)
	if err == nil {
		err = h.play(ctx)
	}
	ended := h.now()
	if err == nil {
		h.recordIneffectiveFaults(ended)
	}
	err = errors.Join(err, h.tearDown())
	if h.zero.Load() == 0 {
		return nil, err
	}
	return h.history(ended), err
}

// Player plays runs and keeps the logs of the latest one.
type Player struct {
	Options Options
	logs    map[string][]byte
}

// Play is Run.
func (p *Player) Play(ctx context.Context, pl *plan.Plan, lock string, seed uint64) (*history.History, error) {
	o := p.Options
	p.logs = map[string][]byte{}
	o.Log = func(server string, text []byte) { p.logs[server] = text }
	return Run(ctx, pl, lock, seed, o)
}

// Logs returns the logs of the last run's servers, by their names.
func (p *Player) Logs() map[string][]byte { return p.logs }

// Close does nothing: a run leaves nothing to close.
func (p *Player) Close() {}

// Refuse returns an error if this world cannot play a plan with a lock and these
// options on any machine.
func Refuse(p *plan.Plan, lockID string, o Options) error {
	_, err := refuse(p, lockID, o.withDefaults())
	return err
}

// NotBuilt returns an error if the servers of a lock have to be built on this machine and
// have not been.
func NotBuilt(p *plan.Plan, lockID string, o Options) error {
	variant, _ := p.Lock(lockID)
	program := builtProgram(variant.Store)
	if program == "" || o.withDefaults().Backend != ProcessBackend {
		return nil
	}
	_, err := programs.Find(program)
	return err
}

// scaleOf returns the factor by which the durations of a plan were multiplied, in millionths.
func scaleOf(p *plan.Plan, o *Options) int64 { return cmp.Or(p.ScalePPM, o.ScalePPM) }

func (o Options) withDefaults() *Options {
	if o.ScalePPM == 0 {
		o.ScalePPM = 1_000_000
	}
	if o.Backend == "" {
		o.Backend = ProcessBackend
	}
	return &o
}

// check refuses a plan that cannot be played, before anything is started.
func check(p *plan.Plan, lockID string, o *Options) (locks.Variant, error) {
	variant, err := refuse(p, lockID, o)
	if err != nil {
		return variant, err
	}
	if o.Backend != ProcessBackend {
		return variant, nil
	}
	return variant, findPrograms(&variant)
}

func refuse(p *plan.Plan, lockID string, o *Options) (locks.Variant, error) {
	variant, ok := p.Lock(lockID)
	if !ok {
		return variant, fmt.Errorf("unknown lock %q", lockID)
	}
	if err := variant.CheckLease(p.Lease); err != nil {
		return variant, err
	}
	if n := len(p.Resources()); n > 1 {
		return variant, fmt.Errorf("the clients work on %d resources, and on real servers a story has one: play it in the simulator", n)
	}
	if err := cmp.Or(checkServers(p, &variant), checkBackend(o, p, &variant), checkLibrary(p, &variant), checkProgram(p, &variant)); err != nil {
		return variant, err
	}
	if p.Network.Timeout <= 0 {
		return variant, errors.New("the plan's response timeout is not positive: a lost reply would never be noticed; set network.timeout")
	}
	if len(p.Clients) > mostClients {
		return variant, fmt.Errorf("%d clients would be as many processes, and %d are the most: play it in the simulator", len(p.Clients), mostClients)
	}
	for i := range p.Faults {
		if err := checkFault(p, &variant, &p.Faults[i]); err != nil {
			return variant, err
		}
	}
	return variant, nil
}

// mostClients bounds the clients of a run: each is a process with its own connections.
const mostClients = 100

// Times after which a part of a run counts as hung.
const (
	serversTime = 10 * time.Minute // for all servers; each has its own bounds
	setUpTime   = 90 * time.Second // for workers that connect to them
	// slack is added to durations of the plan, for processes that share a busy
	// machine.
	slack = 10 * time.Second
)
