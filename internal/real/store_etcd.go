package real

import (
	"context"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/images"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
	"lockstep/internal/world"
)

func init() {
	register(locks.StoreEtcd, kind{
		product: images.Etcd, find: findPrograms("etcd"),
		stagger: 30 * time.Millisecond,
		noClock: errMonotonic,
		make: func(g *group) store {
			return &etcd{cluster{group: g, leads: func(ctx context.Context, s *servers.Server) bool { return s.LeadsEtcd(ctx) }}}
		},
	})
}

// findPrograms looks for programs on PATH and where packages put them.
func findPrograms(names ...string) func(*Options) error {
	return func(*Options) error {
		for _, name := range names {
			if _, err := servers.Find(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// etcd is a cluster of etcd.
type etcd struct{ cluster }

// calmElection is the longest election timeout with which etcd still grants a lease of one
// second, which must be more than one and a half of it.
const calmElection = 600 * time.Millisecond

// start implements store. etcd has no election timeout below its own least one: a
// plan that was scaled down may ask for that. A story in which nothing befalls the servers
// has no election to wait for. There the members are in no hurry, since on a busy machine
// they would find each other silent, and elect.
func (e *etcd) start(ctx context.Context, names []string) error {
	election := e.h.plan.Etcd.Election
	if !befalls(e.h.plan.Faults, names) {
		election = max(election, calmElection)
	}
	all, err := servers.StartEtcd(ctx, servers.EtcdOptions{
		Members: len(names), Launcher: e.h.launcher, Election: election, Route: e.route,
	})
	if err != nil {
		return err
	}
	return e.started(ctx, names, all)
}

// befalls reports whether a fault touches a server, or a link to one.
func befalls(all []faults.Fault, servers []string) bool {
	groups := []string{faults.ThePrimary, faults.TheStore, faults.TheReplicas}
	return slices.ContainsFunc(all, func(f faults.Fault) bool {
		spec := f.Spec()
		return spec.Replica || spec.Promoter || slices.ContainsFunc(f.Names(), func(name string) bool {
			return slices.Contains(servers, name) || slices.Contains(groups, name)
		})
	})
}

// protocol implements store.
func (e *etcd) protocol() link.Protocol { return link.Etcd }

// evict implements store: an operator revokes the lease of the lock's key.
func (e *etcd) evict(*member) error {
	if !e.leader.up() {
		return nil
	}
	return e.evictSession(process(e.leader).Revoke)
}

// derive implements store.
func (e *etcd) derive(entries []entry) []entry {
	w := etcdWords
	if !overwritten(entries) {
		w.effect = func(c *command) effect {
			if c.name == "REVOKE" {
				return removesOwn
			}
			return etcdWords.effect(c)
		}
	}
	return deriveGrants(entries, w, e.h.lease(), e.evicted(sessionOwners(entries, "GRANT")))
}

// overwritten reports whether a client may have put the lock's key where somebody
// else's was: the key would then be bound to another lease, and the end of the first
// one would remove nothing.
func overwritten(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool {
		if e.Kind != history.Sent || e.command != "TXN" {
			return false
		}
		asked := world.ReadRequest(e.text)
		return asked.Says("PUT", locks.Key) && !asked.Says("create("+locks.Key+")", "=", "0")
	})
}
