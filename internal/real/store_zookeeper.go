package real

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/images"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
	"lockstep/internal/real/witness"
)

func init() {
	register(locks.StoreZooKeeper, kind{
		refuse: cannotEvictSession, product: images.ZooKeeper, find: findPrograms("java", "zookeeper.jar"),
		stagger: 100 * time.Millisecond,
		noClock: errMonotonic,
		make: func(g *group) store {
			return &zooKeeper{cluster: cluster{group: g, leads: func(ctx context.Context, s *servers.Server) bool { return s.LeadsZooKeeper(ctx) }}}
		},
	})
}

func cannotEvictSession(p *plan.Plan, _ *locks.Variant) error {
	for i := range p.Faults {
		if f := &p.Faults[i]; f.Spec().Name == "evict" {
			return fmt.Errorf("fault %d (%s): %w; play it in the simulator", f.Number, f.Text, errEvictSession)
		}
	}
	return nil
}

var errEvictSession = errors.New("nobody but its client can end a session of a real ZooKeeper")

// zooKeeper is an ensemble of ZooKeeper.
type zooKeeper struct {
	cluster
	onlyOwn bool // the servers' logs show that nobody has removed somebody else's node
}

// start implements store.
func (z *zooKeeper) start(ctx context.Context, names []string) error {
	all, err := servers.StartZooKeeper(ctx, servers.ZooKeeperOptions{
		Members: len(names), Launcher: z.h.launcher, Tick: z.h.plan.ZooKeeperTick(), SyncLimit: plan.SyncLimit, Route: z.route,
	})
	if err != nil {
		return err
	}
	return z.started(ctx, names, all)
}

// protocol implements store.
func (z *zooKeeper) protocol() link.Protocol { return link.ZooKeeper }

// settle implements store: it reads what the servers have agreed on. A majority of them
// has all of it; in a container nobody can read it, and doubts stay.
func (z *zooKeeper) settle() {
	var logs [][]witness.Transaction
	for _, m := range z.members {
		if log, err := witness.TransactionsOf(process(m).Dir); err == nil {
			logs = append(logs, log)
		}
	}
	below := "/" + locks.Key
	if z.h.variant.Program != nil {
		below = "" // wherever it has put its nodes
	}
	z.onlyOwn = 2*len(logs) > len(z.members) && witness.OnlyOwnRemoved(logs, below)
}

// derive implements store.
func (z *zooKeeper) derive(entries []entry) []entry {
	w := zkWords
	w.shows = ownerShown(sessionOwners(entries, "CONNECT"), "EXISTS")
	longest := 20 * z.h.plan.ZooKeeperTick() // that the servers grant a session
	out := deriveGrants(entries, w, min(z.h.lease(), longest), z.outside())
	if z.onlyOwn {
		out = slices.DeleteFunc(out, func(e entry) bool { return e.Kind == history.MayHaveRemoved })
	}
	return out
}

// evict implements store; a plan that asks for it was refused.
func (z *zooKeeper) evict(*member) error { return errEvictSession }
