package real

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/internal/real/servers"
)

// launchAll starts the primary and its replicas, each of which reaches the others by
// links of its own.
func (d *database) launchAll(ctx context.Context, names []string) error {
	pristine := ""
	if len(names) > 1 {
		d.mesh = newMesh(d.group, names)
		var err error
		if pristine, err = d.h.scratch.Fresh("pristine"); err != nil {
			return err
		}
	}
	for i, name := range names {
		l := launching{name: name, idle: d.set.IdleTimeout}
		if d.mesh != nil {
			l.replication = &servers.Replication{Number: i + 1, Pristine: pristine}
		}
		if i > 0 {
			l.upstream = d.mesh.way(name, names[0])
		}
		s, addr, err := d.launch(ctx, d.h, l)
		if err != nil {
			return err
		}
		d.add(name, addr, s)
		if d.mesh != nil {
			if err := d.mesh.join(name, addr); err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitReplicas returns when the replicas have what the primary has. Only from then on
// are they late.
func (d *database) awaitReplicas(ctx context.Context) error {
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

// between implements store.
func (d *database) between() []way { return d.mesh.ways() }

// replicas implements store.
func (d *database) replicas() int { return len(d.members) - 1 }

// slower implements store. What is on its way already keeps its order.
func (d *database) slower(by time.Duration) {
	d.lag = d.set.Lag + by
	d.reachabilityChanged()
}

// reachabilityChanged implements store.
func (d *database) reachabilityChanged() {
	if d.mesh != nil {
		d.mesh.apply(d.lag)
		d.spread()
	}
}

// died implements store. What the replicas have not received by then is lost with
// their primary.
func (d *database) died(m *member) {
	if d.mesh != nil {
		d.mesh.died(m.name)
	}
}

// restart implements store: a database forgets no row. A server that is not the one
// that clients are told of comes back as a replica of that one, with nothing but its rows.
func (d *database) restart(ctx context.Context, m *member) (empty bool, err error) {
	if d.mesh == nil {
		return false, databaseOf(m).Relaunch(ctx)
	}
	d.h.mu.Lock()
	leader := d.leader
	d.mesh.returns(m.name)
	d.reachabilityChanged()
	d.h.mu.Unlock()
	if m != leader {
		return false, databaseOf(m).Rejoin(ctx, d.mesh.way(m.name, leader.name))
	}
	if err := databaseOf(m).Relaunch(ctx); err != nil {
		return false, err
	}
	return false, d.follow(ctx, m, nil)
}

// follow makes all replicas that run follow a primary, but for the one before it.
func (d *database) follow(ctx context.Context, primary, old *member) error {
	d.h.mu.Lock()
	var others []*member
	for _, m := range d.members {
		if m != primary && m != old && m.up() {
			others = append(others, m)
		}
	}
	d.h.mu.Unlock()
	var errs []error
	for _, m := range others {
		errs = append(errs, d.unlessDown(m, databaseOf(m).Follow(ctx, d.mesh.way(m.name, primary.name))))
	}
	return errors.Join(errs...)
}

// unlessDown is an error of something that an operator did on a server; nil when the
// server does not run any more, which says why.
func (d *database) unlessDown(m *member, err error) error {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	if !m.up() || d.h.stopped {
		return nil
	}
	return err
}

// failOver implements store: the primary dies now, and an operator promotes a replica
// later. Nobody takes the place of a primary without replicas.
func (d *database) failOver(fault int) { d.operatorFailsOver(fault, d.set.Failover.After) }

// promote implements store: it makes the first running replica the primary, and leads
// to it the clients that hear of it. That takes a database a while, in which what they
// send to it waits. An old primary that runs goes on, for those who do not hear.
func (d *database) promote(fault int) error {
	old, heir := d.leader, d.heir(d.members)
	if heir == nil {
		return nil
	}
	heir.starts = true
	d.promoted(heir, fault)
	d.apply()
	life := heir.lives
	d.h.background.Go(func() {
		if err := d.unlessDown(heir, d.inherit(heir, life, old)); err != nil {
			d.h.fail(fmt.Errorf("fault %d: %s could not be promoted: %w", fault, heir.name, err))
		}
	})
	return nil
}

// inherit makes a replica in that life of its the primary, which the other replicas
// follow from then on. It is called without h.mu.
func (d *database) inherit(heir *member, life int, old *member) error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	err := databaseOf(heir).Promote(ctx)
	d.h.mu.Lock()
	if heir.lives == life { // else it has died and come back meanwhile
		heir.starts = false
		d.apply()
	}
	d.h.mu.Unlock()
	if err != nil {
		return err
	}
	return d.follow(ctx, heir, old)
}

// close implements store.
func (d *database) close() error {
	if d.mesh == nil {
		return nil
	}
	return d.mesh.close()
}
