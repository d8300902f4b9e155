package sim

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// machine is a model at work: requests go in, and what comes out is carried away. One server of a database has one,
// and all servers of a cluster together.
type machine struct {
	model   store.Model
	by      runner
	waiting []*call // requests that wait inside the model
	due     kernel.Timer
}

// runner is whose model it is.
type runner interface {
	server() *host  // that executes, or has done so last
	able() bool     // it can do now what is due
	answer(l *call) // sends an answer back the way that the request came
	replicate(effects []any)
}

// execute executes a request. One that has to wait is answered later.
func (m *machine) execute(l *call) {
	a, done := m.model.Exec(m.by.server().clock(), uint64(l.id), l.storeConn(), l.op)
	if !done {
		m.waiting = append(m.waiting, l)
		m.drain(l.executed)
		return
	}
	m.executed(l, a)
	out := m.changes(l.executed) // before the answer: a fault may wait for it, and changes more
	m.by.answer(l)
	m.carry(&out)
}

// executed records that a request was executed.
func (m *machine) executed(l *call, a store.Answer) {
	l.value, l.err, l.replied = a.Value, a.Err, a.Text
	l.executedOn(m.by.server())
}

// drain carries away what has come out of the model.
func (m *machine) drain(cause int32) {
	out := m.changes(cause)
	m.carry(&out)
}

// changes records what has become of entries, and returns what else has come out of the model.
func (m *machine) changes(cause int32) store.Output {
	out, h := m.model.Output(), m.by.server()
	for i := range out.Changes {
		h.w.recordChange(h, &out.Changes[i], cause)
	}
	// The model refills its buffers when a fault at an answer changes something.
	out.Answers, out.Pushes, out.Drops = slices.Clone(out.Answers), slices.Clone(out.Pushes), slices.Clone(out.Drops)
	return out
}

// carry passes on what has come out of the model.
func (m *machine) carry(out *store.Output) {
	w := m.by.server().w
	for _, late := range out.Answers {
		if l := takeCall(&m.waiting, late.ID); l != nil {
			m.executed(l, late.Answer)
			m.by.answer(l)
		}
	}
	for _, p := range out.Pushes {
		if cn := w.connOf(p.Conn); cn != nil {
			cn.push(p.Value)
		}
	}
	for _, d := range out.Drops {
		if cn := w.connOf(d); cn != nil {
			cn.close()
		}
	}
	m.by.replicate(out.Effects)
	m.arm()
}

// connOf finds an open connection; nil when it is closed.
func (w *World) connOf(c store.Conn) *conn {
	for _, h := range w.hosts {
		for _, cn := range h.conns {
			if cn.id == c.ID {
				return cn
			}
		}
	}
	return nil
}

// arm sets the timer for what the model has to do by itself.
func (m *machine) arm() {
	h := m.by.server()
	h.w.k.Cancel(m.due)
	m.due = kernel.Timer{}
	if at, ok := m.model.Due(); ok {
		wait := max(at-h.clock().Mono, 0)
		m.due = h.w.k.After(h.proc.Clock.TrueFor(wait), m, 0)
	}
}

// Fire lets the model do what is due. A cluster that cannot, since what runs out has to be agreed on like everything
// else, is armed again by its next leader.
func (m *machine) Fire(uint64) {
	m.due = kernel.Timer{}
	m.tick()
}

// tick lets the model do what is due, if it can.
func (m *machine) tick() {
	if m.by.able() {
		m.model.Tick(m.by.server().clock())
		m.drain(history.NoCause)
	}
}

// closed tells the model that a client's end of a connection is gone.
func (m *machine) closed(cn *conn) {
	m.waiting = withoutCallsOn(cn, m.waiting)
	m.model.Closed(m.by.server().clock(), cn.store())
	m.drain(history.NoCause)
}

// evictEntry drops the lock's entry.
func (m *machine) evictEntry() {
	h := m.by.server()
	store.Of(h.w.variant.Store).EvictFrom(m.model, h.clock(), h.w.entry.Key)
	m.drain(history.NoCause)
}
