package sim

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// machine runs a model: it feeds requests, and delivers the output. Each server of a database has
// one, the servers of a cluster share one.
type machine struct {
	model   store.Model
	by      runner
	waiting []*call // requests that wait inside the model
	due     kernel.Timer
}

// runner has the servers of a machine.
type runner interface {
	server() *host  // that executes, or was the last to do so
	able() bool     // whether due work can be done now
	answer(l *call) // sends an answer
	// inform does something on one of the servers, once that server knows of the latest step.
	inform(h *host, do func())
	replicate(effects []any)
}

// execute executes a request. One that blocks is answered later.
func (m *machine) execute(l *call) {
	a, done := m.model.Exec(m.by.server().clock(), uint64(l.id), l.storeConn(), l.op)
	if !done {
		l.kept = true
		m.waiting = append(m.waiting, l)
		m.drain(l.executed)
		return
	}
	m.executed(l, a)
	out := m.changes(l.executed) // before the answer: a fault may wait for it, and changes more
	m.by.answer(l)
	m.carry(&out)
}

func (m *machine) executed(l *call, a store.Answer) {
	l.value, l.err, l.kept = a.Value, a.Err, false
	l.executedOn(m.by.server())
}

// drain records and delivers the output of the model.
func (m *machine) drain(cause int32) {
	out := m.changes(cause)
	m.carry(&out)
}

// changes records the changes of entries, and returns the output of the model.
func (m *machine) changes(cause int32) store.Output {
	out, h := m.model.Output(), m.by.server()
	for i := range out.Changes {
		h.w.recordChange(h, &out.Changes[i], cause)
	}
	// The model reuses its buffers, and a fault at an answer may change something.
	out.Answers, out.Pushes, out.Drops = slices.Clone(out.Answers), slices.Clone(out.Pushes), slices.Clone(out.Drops)
	return out
}

// carry delivers the output of the model.
func (m *machine) carry(out *store.Output) {
	w := m.by.server().w
	for _, late := range out.Answers {
		for _, l := range take(&m.waiting, func(l *call) bool { return uint64(l.id) == late.ID }) {
			m.executed(l, late.Answer)
			m.by.answer(l)
		}
	}
	for _, p := range out.Pushes {
		if cn := w.connOf(p.Conn); cn != nil {
			m.by.inform(cn.host, func() { cn.push(p.Value) })
		}
	}
	for _, d := range out.Drops {
		if cn := w.connOf(d); cn != nil {
			m.by.inform(cn.host, cn.close)
		}
	}
	m.by.replicate(out.Effects)
	m.arm()
}

// connOf returns an open connection, or nil.
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

// arm sets the timer for the next expiry of the model.
func (m *machine) arm() {
	h := m.by.server()
	h.w.k.Cancel(m.due)
	m.due = kernel.Timer{}
	if at, ok := m.model.Due(); ok {
		wait := max(at-h.clock().Mono, 0)
		m.due = h.w.k.After(h.proc.Clock.TrueFor(wait), m, 0)
	}
}

// Fire: something is due. A cluster without a majority is armed again by its next leader.
func (m *machine) Fire(uint64) {
	m.due = kernel.Timer{}
	m.tick()
}

// tick lets the model do its due work, if it can.
func (m *machine) tick() {
	if m.by.able() {
		m.model.Tick(m.by.server().clock())
		m.drain(history.NoCause)
	}
}

// closed tells the model that a client has closed a connection.
func (m *machine) closed(cn *conn) {
	for _, l := range take(&m.waiting, func(l *call) bool { return l.conn == cn }) {
		l.unref()
	}
	m.model.Closed(m.by.server().clock(), cn.store())
	m.drain(history.NoCause)
}

func (m *machine) evictEntry() {
	h := m.by.server()
	store.Of(h.w.variant.Store).EvictFrom(m.model, h.clock(), h.w.entry.Key)
	m.drain(history.NoCause)
}
