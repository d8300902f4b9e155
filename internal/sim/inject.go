package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
)

// injector implements faults.World.
type injector struct{ w *World }

var _ faults.World = injector{}

func (in injector) FaultBegan(fault int, node string) {
	in.note(history.FaultBegan, fault, node)
	in.w.begun++
	if in.w.startOrder.FaultBegins() {
		in.w.admit()
	}
}

func (in injector) FaultEnded(fault int, node string) { in.note(history.FaultEnded, fault, node) }

func (in injector) note(kind history.Kind, fault int, node string) {
	id := history.NodeID(0)
	if node != "" {
		id = in.w.hist.Node(in.Resolve(node))
	}
	in.w.recordBare(history.Event{
		Kind: kind, Node: id, Value: int64(fault), Cause: history.NoCause,
		Text: in.w.hist.Intern(in.w.plan.Fault(fault).Text),
	})
}

func (in injector) Resolve(node string) string {
	if node == faults.ThePrimary {
		return in.w.backend.primary().name
	}
	return node
}

func (in injector) process(node string) (*kernel.Proc, *client, *host) {
	name := in.Resolve(node)
	for _, c := range in.w.clients {
		if c.name == name {
			return c.proc, c, nil
		}
	}
	for _, h := range in.w.hosts {
		if h.name == name {
			return h.proc, nil, h
		}
	}
	panic(fmt.Sprintf("sim: a fault names %q, which is neither a client nor a server: the scenario's check should have refused it", node))
}

// actedOn notifies the engine that a fault has changed something for a process that runs: a server, or
// the client c, unless that has played all its rounds or contends for another lock than the run's.
func (in injector) actedOn(fault int, c *client) {
	if in.affects(c) {
		in.w.engine.Acted(fault)
	}
}

func (in injector) affects(c *client) bool {
	return c == nil || !c.done && !in.w.usesAnotherLock(c.node)
}

// acted notifies the engine of a late effect of a fault. In the quiet period, when no client plays, it
// does not count.
func (in injector) acted(fault int) {
	if !in.w.quiet {
		in.w.engine.Acted(fault)
	}
}

func (in injector) recordOf(kind history.Kind, p *kernel.Proc, value int64) {
	in.w.record(p, history.Event{
		Kind: kind, Node: in.w.hist.Node(p.Name()), Value: value, Cause: history.NoCause,
	})
}

func (in injector) Freeze(fault int, node string) {
	p, c, _ := in.process(node)
	if p.Frozen() && !p.Dead() {
		in.actedOn(fault, c)
		return
	}
	if c != nil && c.held && in.w.timing.StopTime > 0 {
		in.w.k.After(in.w.timing.StopTime, kernel.HandlerFunc(func() { in.freeze(fault, node) }), 0)
		return
	}
	in.freeze(fault, node)
}

func (in injector) freeze(fault int, node string) {
	p, c, h := in.process(node)
	if p.Dead() || p.Frozen() {
		return
	}
	p.Freeze()
	if c != nil {
		c.stop()
	}
	in.recordOf(history.Froze, p, int64(fault))
	in.actedOn(fault, c)
	if h != nil {
		in.w.backend.reachabilityChanged()
	}
}

func (in injector) Thaw(fault int, node string) {
	p, c, h := in.process(node)
	if p.Dead() || !p.Frozen() {
		return
	}
	in.recordOf(history.Thawed, p, int64(fault))
	if h != nil {
		h.thaw()
		return
	}
	c.thaw()
	in.w.engine.Observe(faults.Moment{Kind: faults.Wakes, Subject: c.name})
}

func (in injector) Crash(fault int, node string) {
	p, c, h := in.process(node)
	if p.Dead() {
		return
	}
	in.recordOf(history.Crashed, p, int64(fault))
	in.actedOn(fault, c)
	if h != nil {
		h.kill()
		return
	}
	c.kill()
}

func (in injector) LoseHost(fault int, node string) {
	p, c, _ := in.process(node)
	if p.Dead() {
		return
	}
	in.recordOf(history.Crashed, p, int64(fault))
	in.actedOn(fault, c)
	c.loseHost()
}

func (in injector) Restart(fault int, node string, down time.Duration) {
	name := in.Resolve(node)
	if _, c, _ := in.process(name); c != nil {
		if c.hostLost {
			return
		}
		in.w.playing++ // the run is not over while a client is to come back
		defer func() { in.w.k.After(down, kernel.HandlerFunc(in.w.leave), 0) }()
	}
	in.Crash(fault, name)
	if in.w.variant.Servers.RestartAfterLease {
		down = max(down, in.w.plan.Lease+in.w.plan.Lease/10)
	}
	in.w.k.After(down, kernel.HandlerFunc(func() {
		_, c, h := in.process(name)
		if h != nil {
			if h.proc.Dead() {
				h.revive()
				in.recordOf(history.Restarted, h.proc, int64(fault))
				in.acted(fault)
			}
			return
		}
		if c.proc.Dead() {
			in.w.reviveClient(c, fault)
			if !in.w.usesAnotherLock(c.node) {
				in.acted(fault)
			}
		}
	}), 0)
}

func (in injector) DelayCall(fault int, c faults.Call, h faults.Half, d time.Duration) {
	l := in.w.findCall(c.ID)
	if h == faults.RequestHalf {
		l.slowRequest.add(fault, d)
	} else {
		l.slowReply.add(fault, d)
	}
}

func (in injector) DropCall(fault int, c faults.Call, h faults.Half) {
	l := in.w.findCall(c.ID)
	if h == faults.RequestHalf {
		l.dropRequest = fault
	} else {
		l.dropReply = fault
	}
}

func (in injector) SlowWork(fault int, client string, d time.Duration) {
	_, c, _ := in.process(client)
	c.extendedWork.Add(fault, d)
}

func (in injector) FailOver(fault int) {
	b := in.w.backend
	old := b.primary()
	in.Crash(fault, old.name)
	if after, ok := b.operator(); ok {
		in.w.k.After(after, kernel.HandlerFunc(func() {
			if b.primary() == old {
				b.promote()
			}
		}), 0)
	}
	if in.w.abandoned() {
		in.w.leaderless = fault
		in.w.k.Halt()
	}
}

// abandoned reports whether random or repeated faults have left no server that could lead: the rest
// of the run says nothing about the lock. Where single planned faults do so, the run goes on.
func (w *World) abandoned() bool {
	again := slices.ContainsFunc(w.plan.Faults, func(f faults.Fault) bool {
		return f.Spec().Promoter && (f.Drawn > 0 || f.Repeats())
	})
	if !again || w.plan.RestartsServers() {
		return false
	}
	store, dead := plan.StoreOf(&w.variant), 0
	for _, h := range w.hosts[:len(w.plan.Servers(store))] {
		if h.proc.Dead() {
			dead++
		}
	}
	return dead > w.plan.Spare(store)
}

func (in injector) Promote(fault int) {
	in.watch(fault, in.w.backend.promote, history.Promoted)
}

// watch calls do, and reports that the fault has acted if that records an event of one of the
// kinds.
func (in injector) watch(fault int, do func(), kinds ...history.Kind) {
	before := len(in.w.hist.Events)
	do()
	for _, e := range in.w.hist.Events[before:] {
		if slices.Contains(kinds, e.Kind) {
			in.w.engine.Acted(fault)
		}
	}
}

func (in injector) Evict(fault int, server string) {
	from := in.w.hosts
	if server != "" || !in.w.independent() {
		_, _, h := in.process(cmp.Or(server, faults.ThePrimary))
		if h == nil {
			return // a client has no entries
		}
		from = []*host{h}
	}
	in.watch(fault, func() {
		for _, h := range from {
			h.serv.evict()
		}
	}, history.Removed, history.Expired, history.Forgotten)
}

func (in injector) Lag(fault int, by time.Duration) { in.w.extraLag = lateness{[]int{fault}, by} }

func (in injector) Partition(fault int, from, to []string, both bool) {
	in.w.network.partition(fault, in.nodes(from), in.nodes(to), both)
}

func (in injector) HealPartition(fault int) { in.w.network.heal(fault) }

// nodes resolves the words for groups.
func (in injector) nodes(names []string) []history.NodeID {
	var ids []history.NodeID
	add := func(role history.Role, but string) {
		for i, n := range in.w.hist.Header.Nodes {
			if n.Role == role && n.Name != but {
				ids = append(ids, history.NodeID(i+1))
			}
		}
	}
	for _, name := range names {
		switch name {
		case faults.TheStore:
			add(history.RoleStore, "")
		case faults.TheReplicas:
			add(history.RoleStore, in.w.backend.primary().name)
		case faults.Sentinels:
			add(history.RoleSentinel, "")
		default:
			ids = append(ids, in.w.hist.Node(in.Resolve(name)))
		}
	}
	return ids
}

func (in injector) JumpClock(fault int, node string, by time.Duration) {
	p, _, _ := in.process(node)
	p.Clock.Offset += by
	in.recordOf(history.ClockChanged, p, int64(by))
	in.clockChanged(fault, node, by, 0)
}

// DriftClock implements faults.World. Running timers keep their duration.
func (in injector) DriftClock(fault int, node string, ppm int64) {
	p, _, _ := in.process(node)
	p.Clock.SetDrift(in.w.k.Now(), in.w.clockOf(p.Name()).DriftPPM+ppm)
	in.clockChanged(fault, node, 0, ppm)
}

// clockChanged tells the engine and the server, whose step forward may end a lease at once.
func (in injector) clockChanged(fault int, node string, by time.Duration, ppm int64) {
	p, c, h := in.process(node)
	if h != nil {
		in.watch(fault, h.serv.clockChanged, history.Expired)
	}
	if !in.affects(c) {
		fault = 0
	}
	in.w.engine.ClockChanged(faults.ClockChange{Fault: fault, Node: p.Name(), At: in.w.k.Now().Duration(), By: by, PPM: ppm})
}

// loseHost ends a client process together with its machine: nothing closes its connections,
// and what did not get through is not sent again.
func (c *client) loseHost() {
	c.proc.Kill()
	c.stop()
	c.hostLost = true
	for _, cn := range c.conns {
		cn.broken = true // at this end only: the server is not told
	}
	c.conns = nil
	c.w.network.forget(c.node)
	c.w.clientDone(c)
}

// kill ends a client process; its operating system closes its connections.
func (c *client) kill() {
	c.proc.Kill()
	c.stop()
	for len(c.conns) > 0 {
		c.conns[0].hangUp()
	}
	c.w.clientDone(c)
}

// reviveClient restarts a dead client, which begins its workload again and remembers nothing.
func (w *World) reviveClient(old *client, fault int) {
	c := w.newClient(old.name, w.plan.WorkloadOf(old.name), old.lives+1)
	c.proc.Clock = old.proc.Clock
	c.member = old.member
	w.clients[slices.Index(w.clients, old)] = c
	injector{w}.recordOf(history.Restarted, c.proc, int64(fault))
	if w.quiet {
		return
	}
	w.playing++
	w.k.At(w.k.Now(), (*starter)(c), 0)
}
