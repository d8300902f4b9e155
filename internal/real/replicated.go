package real

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/proto"
	stores "lockstep/internal/store"
)

// replicated is a server, with its replicas if any, of a store whose live half is in the store's own folder.
type replicated struct {
	*group
	d    *livestore.Driver
	set  plan.SQL
	mesh *mesh // nil for a server that is alone
	lag  time.Duration
}

// databaseOf is the process of a server.
func databaseOf(m *member) livestore.Database { return m.Running.(livestore.Database) }

// start implements store. What the locks need, such as tables, exists before any client starts, on replicas as well.
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

// prepare has the primary execute what the locks expect.
func (d *replicated) prepare(ctx context.Context) (err error) {
	client, err := d.d.Connect(livestore.Client{
		Endpoints: []string{databaseOf(d.leader).Endpoint(d.leader.addr)}, Timeout: operatorTime, Dial: (&net.Dialer{}).DialContext,
	})
	if err != nil {
		return err
	}
	if c, ok := client.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
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
	pristine := ""
	if len(names) > 1 {
		d.mesh = newMesh(d.group, names)
		var err error
		if pristine, err = d.h.scratch.Fresh("pristine"); err != nil {
			return err
		}
	}
	for i, name := range names {
		one := livestore.Single{Name: name, Launcher: d.h.launcher, Clock: touchesClock(d.h.plan, name), Idle: d.set.IdleTimeout}
		if d.mesh != nil {
			one.Replication = &livestore.Replication{Number: i + 1, Pristine: pristine}
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

// derive implements store. A replica that takes over may not have what its primary had.
func (d *replicated) derive(entries []entry) []entry {
	return deriveGrants(entries, traits{shared: d.mesh == nil}, d.h.lease(), d.outside())
}

// evict implements store.
func (d *replicated) evict(m *member) error {
	if m == nil {
		m = d.leader
	}
	if !m.up() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	entry := d.h.variant.Entry
	entry.Key = locks.Key
	c := &command{server: m.node, op: history.Op{Name: "evict"}, sent: d.h.now(), answered: true, releasing: true, answer: history.Number(0)}
	found, err := databaseOf(m).Evict(ctx, entry)
	if err != nil {
		return err
	}
	c.done, c.refused = d.h.now(), !found
	if found {
		c.answer = history.Number(1)
	}
	d.evictions = append(d.evictions, c)
	return nil
}

// awaitReplicas returns when the replicas have caught up with the primary. Their lag
// begins only then.
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

// between implements store.
func (d *replicated) between() []way { return d.mesh.ways() }

// replicas implements store.
func (d *replicated) replicas() int { return len(d.members) - 1 }

// slower implements store. What is on its way already keeps its order.
func (d *replicated) slower(by time.Duration) {
	d.lag = d.set.Lag + by
	d.reachabilityChanged()
}

// reachabilityChanged implements store.
func (d *replicated) reachabilityChanged() {
	if d.mesh != nil {
		d.mesh.apply(d.lag)
		d.spread()
	}
}

// died implements store. What the replicas have not received by then is lost with
// their primary.
func (d *replicated) died(m *member) {
	if d.mesh != nil {
		d.mesh.died(m.name)
	}
}

// restart implements store: a database forgets no row. A server that is not the
// clients' primary comes back as a replica of the primary, with only the primary's rows.
func (d *replicated) restart(ctx context.Context, m *member) (empty bool, err error) {
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
func (d *replicated) follow(ctx context.Context, primary, old *member) error {
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

// promote implements store: it makes the first running replica the primary, and leads
// to it the clients that hear of it. That takes a database a while, during which
// their requests wait. An old primary that runs goes on serving clients that have not heard.
func (d *replicated) promote(fault int) error {
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

// inherit promotes a replica, unless it has been restarted since that life; the other
// replicas then follow it. It is called without h.mu.
func (d *replicated) inherit(heir *member, life int, old *member) error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	err := databaseOf(heir).Promote(ctx)
	d.h.mu.Lock()
	if heir.lives == life { // else it has been restarted meanwhile
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
func (d *replicated) close() error {
	if d.mesh == nil {
		return nil
	}
	return d.mesh.close()
}
