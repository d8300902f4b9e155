package real

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/proto"
	stores "lockstep/internal/store"
)

// replicated is a server and its replicas, if any, of a store whose live half is in the store's own
// folder.
type replicated struct {
	*group
	d    *livestore.Driver
	set  plan.SQL
	mesh *mesh // nil for a single server
}

// databaseOf returns the process of a server.
func databaseOf(m *member) livestore.Database { return m.Running.(livestore.Database) }

// start implements store. Before any client starts, all servers have the tables that locks need.
func (d *replicated) start(ctx context.Context, names []string) error {
	if err := d.launchAll(ctx, names); err != nil {
		return err
	}
	if err := d.setClocks(d.members); err != nil {
		return err
	}
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.awaitReplicas(ctx)
}

// prepare executes the requests on the primary that locks depend on.
func (d *replicated) prepare(ctx context.Context) (err error) {
	client, err := d.d.Operator(databaseOf(d.leader).Endpoint(d.leader.addr))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	for _, r := range stores.Of(d.d.Store).Prepared(locks.Key) {
		if _, err := client.Do(ctx, 0, r); err != nil {
			return fmt.Errorf("%s did not do %s: %w", d.leader.name, ports.RequestText(r), err)
		}
	}
	return nil
}

// launchAll starts the primary and its replicas, each of which reaches the others by
// links of its own.
func (d *replicated) launchAll(ctx context.Context, names []string) error {
	if len(names) > 1 {
		d.mesh = newMesh(d.group, names)
	}
	for i, name := range names {
		one := livestore.Single{Name: name, Launcher: d.h.launcher, Clock: touchesClock(d.h.plan, name), Idle: d.set.IdleTimeout}
		if d.mesh != nil {
			one.Replication = &livestore.Replication{Number: i + 1}
		}
		if i > 0 {
			one.Replication.Upstream = d.mesh.way(name, names[0])
		}
		s, err := d.d.Launch(ctx, one)
		if err != nil {
			return err
		}
		d.add(name, s.Listens(), s)
		if d.mesh != nil {
			if err := d.mesh.join(name, s.Listens()); err != nil {
				return err
			}
		}
	}
	return nil
}

// protocol implements store.
func (d *replicated) protocol() link.Protocol { return d.d.Protocol }

// endpoint implements store.
func (d *replicated) endpoint(m *member, addr string) string { return databaseOf(m).Endpoint(addr) }

// brief implements store.
func (d *replicated) brief(start *proto.Start) { start.IdleTimeout = d.set.IdleTimeout }

// derive implements store. A promoted replica may lack entries of its primary.
func (d *replicated) derive(entries []entry) []entry {
	return deriveGrants(entries, traits{shared: d.mesh == nil}, d.h.lease(), d.interference())
}

// evict implements store.
func (d *replicated) evict(m *member) error {
	if m == nil {
		m = d.leader
	}
	entry := d.h.variant.Entry
	entry.Key = locks.Key
	return d.eviction(m, command{}, func(ctx context.Context) (session string, found bool, err error) {
		found, err = databaseOf(m).Evict(ctx, entry)
		return "", found, err
	})
}

// awaitReplicas returns when the replicas have caught up with the primary. Their lag
// begins then.
func (d *replicated) awaitReplicas(ctx context.Context) error {
	for _, m := range d.members {
		if m == d.leader {
			continue
		}
		if err := databaseOf(m).InStep(ctx, d.leader.addr); err != nil {
			return err
		}
	}
	d.lag = d.set.Lag
	return nil
}

// replicas implements store.
func (d *replicated) replicas() int { return len(d.members) - 1 }

// reachabilityChanged implements store.
func (d *replicated) reachabilityChanged() {
	if d.mesh != nil {
		d.mesh.apply(d.lag + d.extraLag)
		d.spread()
	}
}

// restart implements store: a database loses no row. A server that is not the
// clients' primary comes back as a replica of it, with only the primary's rows.
func (d *replicated) restart(ctx context.Context, m *member) (empty bool, err error) {
	if d.mesh == nil {
		return false, databaseOf(m).Relaunch(ctx)
	}
	d.h.mu.Lock()
	leader := d.leader
	d.h.mu.Unlock()
	if m != leader {
		return false, d.comesBack(m, func() error { return databaseOf(m).Rejoin(ctx, d.mesh.way(m.name, leader.name)) })
	}
	if err := d.comesBack(m, func() error { return databaseOf(m).Relaunch(ctx) }); err != nil {
		return false, err
	}
	return false, d.follow(ctx, m, nil)
}

// follow makes all running replicas follow a primary, except for the previous primary.
func (d *replicated) follow(ctx context.Context, primary, old *member) error {
	d.h.mu.Lock()
	others := slices.DeleteFunc(slices.Clone(d.members), func(m *member) bool { return m == primary || m == old || !m.up() })
	d.h.mu.Unlock()
	var errs []error
	for _, m := range others {
		errs = append(errs, d.unlessDown(m, databaseOf(m).Follow(ctx, d.mesh.way(m.name, primary.name))))
	}
	return errors.Join(errs...)
}

// unlessDown returns the error of an operator's command; nil when the server is down,
// which explains the error.
func (d *replicated) unlessDown(m *member, err error) error {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	if !m.up() || d.h.stopped {
		return nil
	}
	return err
}

// failOver implements store: the primary dies now, and an operator promotes a replica
// later. A primary without replicas is not replaced.
func (d *replicated) failOver(fault int) { d.operatorFailsOver(fault, d.set.Failover.After) }

// promote implements store: it makes the first running replica the primary, and directs
// reachable clients to it. While the database changes its role, their requests wait. An old
// primary that runs continues to serve the other clients.
func (d *replicated) promote(fault int) error {
	old := d.leader
	first := slices.IndexFunc(d.members, func(m *member) bool { return m != old && m.up() })
	if first < 0 {
		return nil
	}
	successor := d.members[first]
	successor.starts = true
	d.promoted(successor, fault)
	d.apply()
	life := successor.lives
	d.h.background.Go(func() {
		if err := d.unlessDown(successor, d.promoteInPlaceOf(successor, life, old)); err != nil {
			d.h.fail(fmt.Errorf("fault %d: %s could not be promoted: %w", fault, successor.name, err))
		}
	})
	return nil
}

// promoteInPlaceOf promotes a replica, unless it has been restarted since that life; the other
// replicas then follow it. It is called without h.mu.
func (d *replicated) promoteInPlaceOf(successor *member, life int, old *member) error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	err := databaseOf(successor).Promote(ctx)
	d.h.mu.Lock()
	if successor.lives == life {
		successor.starts = false
		d.apply()
	}
	d.h.mu.Unlock()
	if err != nil {
		return err
	}
	return d.follow(ctx, successor, old)
}
