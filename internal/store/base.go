package store

import "slices"

// Base is the common part of models; each embeds it.
type Base struct {
	Out  Output // since the last call of Output
	last Output
}

// Record adds a change to the output.
func (b *Base) Record(c Change) { b.Out.Changes = append(b.Out.Changes, c) }

// Late adds the answer to a request that has waited to the output.
func (b *Base) Late(id uint64, a Answer) { b.Out.Answers = append(b.Out.Answers, LateAnswer{id, a}) }

// Output implements Model, with two alternating sets of buffers.
func (b *Base) Output() Output {
	out := b.Out
	b.Out = Output{Changes: b.last.Changes[:0], Answers: b.last.Answers[:0], Pushes: b.last.Pushes[:0], Drops: b.last.Drops[:0]}
	b.last = out
	return out
}

// Closed implements Model for models where nothing depends on a connection.
func (*Base) Closed(Clock, Conn) {}

// First is the first element that satisfies a condition; the zero value if none does.
func First[T any](all []T, satisfies func(T) bool) (none T) {
	if i := slices.IndexFunc(all, satisfies); i >= 0 {
		return all[i]
	}
	return none
}

// Refused is the answer of a store that refuses a request.
func Refused(err error) Answer { return Answer{Err: err} }

// Evicter is a Model whose locks an operator cannot end by requests (see Store.Evict).
type Evicter interface {
	// Evict ends the hold of a lock, and reports whether there was one.
	Evict(now Clock, key string) bool
}

// EvictFrom ends the hold of a lock early in a model of this store, as an operator or the store
// itself would: it revokes a lease, kills a session, deletes a row. It reports whether there was
// one.
func (s *Store) EvictFrom(m Model, now Clock, key string) bool {
	if e, ok := m.(Evicter); ok {
		return e.Evict(now, key)
	}
	_, found, err := s.Evict(func(op Op) (any, error) {
		a, _ := m.Exec(now, 0, Conn{}, op)
		return a.Value, a.Err
	}, key)
	return found && err == nil
}
