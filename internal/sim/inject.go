package sim

import (
	"fmt"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/sim/kernel"
)

// lockKey is the name of the lock's entry in the stores.
const lockKey = locks.Key

// injector does to this world what the verbs of the faults ask for.
type injector struct{ w *World }

var _ faults.World = injector{}

// FaultBegan implements faults.World.
func (in injector) FaultBegan(fault int, node string) { in.note(history.FaultBegan, fault, node) }

// FaultEnded implements faults.World.
func (in injector) FaultEnded(fault int, node string) { in.note(history.FaultEnded, fault, node) }

func (in injector) note(kind history.Kind, fault int, node string) {
	id := history.NodeID(0)
	if node != "" {
		id = in.w.hist.Node(in.nodeName(node))
	}
	in.w.recordBare(history.Event{
		Kind: kind, Node: id, Value: int64(fault), Cause: history.NoCause,
		Text: in.w.hist.Intern(in.w.plan.Faults[fault-1].Text),
	})
}

// nodeName resolves "the primary", which only the world knows.
func (in injector) nodeName(node string) string {
	if node == faults.ThePrimary {
		return in.w.redis.primary.name
	}
	return node
}

// process finds a client or a server.
func (in injector) process(node string) (*kernel.Proc, *client, *server) {
	name := in.nodeName(node)
	for _, c := range in.w.clients {
		if c.name == name {
			return c.proc, c, nil
		}
	}
	for _, s := range in.w.redis.servers {
		if s.name == name {
			return s.proc, nil, s
		}
	}
	panic(fmt.Sprintf("sim: a fault names %q, which is neither a client nor a server: the scenario's check should have refused it", node))
}

func (in injector) recordProc(kind history.Kind, p *kernel.Proc, fault int) {
	in.w.record(p, history.Event{
		Kind: kind, Node: in.w.hist.Node(p.Name()), Value: int64(fault), Cause: history.NoCause,
	})
}

// Freeze implements faults.World.
func (in injector) Freeze(fault int, node string) {
	p, _, _ := in.process(node)
	if p.Dead() || p.Frozen() {
		return
	}
	p.Freeze()
	in.recordProc(history.Froze, p, fault)
}

// Thaw implements faults.World.
func (in injector) Thaw(fault int, node string) {
	p, c, s := in.process(node)
	if p.Dead() || !p.Frozen() {
		return
	}
	p.Thaw()
	in.recordProc(history.Thawed, p, fault)
	if s != nil {
		s.thawed()
	}
	if c != nil {
		in.w.engine.Observe(faults.Moment{Kind: faults.Wakes, Subject: c.name})
	}
}

// Crash implements faults.World.
func (in injector) Crash(fault int, node string) {
	p, c, s := in.process(node)
	if p.Dead() {
		return
	}
	p.Kill()
	in.recordProc(history.Crashed, p, fault)
	if c != nil {
		in.w.clientDone(c)
	}
	if s != nil {
		s.die()
	}
}

// DelayCall implements faults.World.
func (in injector) DelayCall(_ int, c faults.Call, h faults.Half, d time.Duration) {
	l := in.w.redis.find(c.ID)
	if h == faults.Request {
		l.slowRequest += d
	} else {
		l.slowReply += d
	}
}

// DropCall implements faults.World.
func (in injector) DropCall(fault int, c faults.Call, h faults.Half) {
	l := in.w.redis.find(c.ID)
	if h == faults.Request {
		l.dropRequest = fault
	} else {
		l.dropReply = fault
	}
}

// SlowWork implements faults.World.
func (in injector) SlowWork(_ int, client string, d time.Duration) {
	_, c, _ := in.process(client)
	c.extra += d
}

// FailOver implements faults.World.
func (in injector) FailOver(fault int) {
	g := in.w.redis
	old := g.primary
	in.Crash(fault, old.name)
	in.w.k.After(g.set.Failover.After, kernel.HandlerFunc(func() {
		for _, s := range g.servers {
			if !s.proc.Dead() && g.primary == old {
				s.promote()
			}
		}
	}), 0, 0)
}
