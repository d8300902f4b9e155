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

// measured are the libraries that are played.
var measuredIDs = []string{"bsm-redislock", "etcd-concurrency", "redsync", "rueidislock"}

// repeats reports whether one seed of a library is one history. That of etcd talks gRPC, some of whose choices
// follow no seed; which ones is unknown.
func repeats(lock string) bool { return bubble.Seeded() && lock != "etcd-concurrency" }

// played is a world in which a library is played by its own code, each run in a bubble of its own.
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

// one is held while a bubble is there: crypto/rand, and the seed of the runtime, are global.
var one sync.Mutex

// Play implements run.World. With a runtime that follows the seed, one seed is one history, the first of a
// process, too: TestOneSeedOneHistory sees to that, here and in package locktest.
func (w *played) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (h *history.History, err error) {
	if err := refuse(p, lock); err != nil {
		return nil, err
	}
	one.Lock()
	defer one.Unlock()
	// A world that keeps objects of another run does not allocate them in this bubble, which shifts all random draws.
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
		missed = b.Missed()
	})
	if err == nil && len(missed) > 0 {
		err = fmt.Errorf("%s has sent what the models do not have: %v", lock, missed)
	}
	return h, err
}

// refuse says why a library cannot be played in virtual time; nil when it can.
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

// scriptsOf are the scripts that servers know of a library that is in use.
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

// scripts are those of all libraries: each stays compiled from run to run.
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

// variants are the libraries as rows.
func variants(ids ...string) (out []locks.Variant) {
	for _, v := range locks.All() {
		if slices.Contains(ids, v.ID) {
			out = append(out, v)
		}
	}
	return out
}
