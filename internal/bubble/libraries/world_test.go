package libraries_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"lockstep/internal/bubble"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
	"lockstep/internal/store/etcd/door"
	"lockstep/internal/store/redis"
)

// measured are the libraries that are measured.
var measuredIDs = []string{"bsm-redislock", "etcd-concurrency", "redsync", "rueidislock"}

// played is a world that plays a library's own code, each run in a bubble of its own.
type played struct {
	t       *testing.T
	on      *sim.World // of the last run
	reserve int        // see sim.World.Reserve
	watch   func(faults.Moment, history.Instant)
	timing  sim.Timing
}

var _ explore.World = (*played)(nil)

func inBubbles(t *testing.T) run.Factory {
	return func() run.World { return &played{t: t, on: sim.New()} }
}

// Watch implements explore.World.
func (w *played) Watch(f func(faults.Moment, history.Instant)) { w.watch = f }

// SetTiming implements explore.World.
func (w *played) SetTiming(t sim.Timing) { w.timing = t }

// Serves implements explore.World.
func (w *played) Serves() bool { return w.on.Serves() }

// Close implements run.World.
func (w *played) Close() { w.on.Close() }

// one is held during a bubble: crypto/rand and the seed of the runtime are global.
var one sync.Mutex

// Play implements run.World. With the seeded runtime, one seed is one history, even for the first
// run of a process: TestOneSeedOneHistory checks that, here and in package locktest.
func (w *played) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (h *history.History, err error) {
	if err := refuse(p, lock); err != nil {
		return nil, err
	}
	one.Lock()
	defer one.Unlock()
	// A reused world would not allocate its objects in this bubble, which shifts all random draws.
	w.on.Close()
	w.on = sim.New()
	w.on.Reserve(w.reserve)
	w.on.SetTiming(w.timing)
	library, _ := libraries.Lookup(lock)
	variant, _ := locks.Lookup(lock)
	defer bubble.SeedRuntime(seed)()
	defer func() {
		if stuck := recover(); stuck != nil {
			err = fmt.Errorf("%s: %v", lock, stuck)
		}
	}()
	var missed []string
	synctest.Test(w.t, func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		b := bubble.New(bubble.Config{
			Name: lock, Servers: serversOf(variant.Store), Make: maker(&library), Scripts: scriptsOf(&library), Watch: w.watch, On: w.on,
		})
		defer b.Close()
		h, err = b.Play(ctx, p, "", seed)
		missed = b.Notes().Missed
	})
	if err == nil && len(missed) > 0 {
		err = fmt.Errorf("%s has sent what the models do not have: %v", lock, missed)
	}
	return h, err
}

// refuse returns the reason why a library cannot be played in virtual time, or nil.
func refuse(p *plan.Plan, lock string) error {
	library, ok := libraries.Lookup(lock)
	if !ok {
		return fmt.Errorf("%s is no library", lock)
	}
	for i := range p.Faults {
		if f := &p.Faults[i]; f.Spec().Name == "evict" && library.OwnKeys {
			return fmt.Errorf("fault %d (%s): %s has keys of its own, which an operator does not find", f.Number, f.Text, lock)
		}
	}
	return bubble.Refuse(p)
}

func serversOf(s locks.Store) bubble.Servers {
	switch s {
	case locks.StoreEtcd:
		return bubble.Servers{Store: s, Port: 2379, Dial: door.Dial}
	default:
		return bubble.Servers{Store: s, Port: 6379}
	}
}

// scriptsOf returns the scripts that the servers of a library in use know.
func scriptsOf(l *libraries.Library) []*redis.Script {
	if s, ok := scripts[l.ID]; ok {
		return s
	}
	var out []*redis.Script
	for _, text := range l.Texts {
		sum := sha1.Sum([]byte(text))
		name := l.Scripts[hex.EncodeToString(sum[:])]
		out = append(out, &redis.Script{Name: name, Source: text, Owner: l.Owners[name]})
	}
	scripts[l.ID] = out
	return out
}

// scripts has the scripts of all libraries, which stay compiled from run to run.
var scripts = map[string][]*redis.Script{}

// maker makes the locks of a library for clients in a bubble.
func maker(l *libraries.Library) func(*bubble.Client) (bubble.Lock, error) {
	return func(c *bubble.Client) (bubble.Lock, error) {
		lock, err := l.New(libraries.Deps{
			Deps:  c.Settings(),
			Addrs: c.Addresses(), Dial: c.Dial, Cleanup: c.Cleanup,
		})
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (bubble.Lease, error) {
			lease, err := lock.Acquire(ctx)
			if err != nil {
				return bubble.Lease{}, err
			}
			out := bubble.Lease{Release: lease.Release, Token: lease.Token()}
			if lost := lease.Lost(); lost != nil {
				out.Lost = lost.Done()
			}
			return out, nil
		}, nil
	}
}

// variants returns the libraries as rows.
func variants(ids ...string) (out []locks.Variant) {
	for _, v := range locks.All() {
		if slices.Contains(ids, v.ID) {
			out = append(out, v)
		}
	}
	return out
}
