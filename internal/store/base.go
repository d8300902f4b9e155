package store

// Base is what the models of a quorum have in common; each embeds it.
type Base struct {
	Out  Output // what has come out since the last call of Output
	last Output
}

// Tell has a change come out.
func (b *Base) Tell(c Change) { b.Out.Changes = append(b.Out.Changes, c) }

// Late has the answer to a request come out that had to wait.
func (b *Base) Late(id uint64, a Answer) { b.Out.Answers = append(b.Out.Answers, LateAnswer{id, a}) }

// Output implements Model. Two sets of buffers take turns.
func (b *Base) Output() Output {
	out := b.Out
	b.Out = Output{Changes: b.last.Changes[:0], Answers: b.last.Answers[:0], Pushes: b.last.Pushes[:0], Drops: b.last.Drops[:0]}
	b.last = out
	return out
}

// Closed implements Model: nothing depends on a connection, unless a model says otherwise.
func (*Base) Closed(Clock, Conn) {}

// First is the first of a list of which something holds; the zero value when there is none.
func First[T any](all []T, holds func(T) bool) (none T) {
	for _, one := range all {
		if holds(one) {
			return one
		}
	}
	return none
}

// Refused is the answer of a store that refuses a request.
func Refused(err error) Answer { return Answer{Err: err, Text: err.Error()} }

// Evicter is a Model from which an operator can take what no request ends (see Store.Evict).
type Evicter interface {
	// Evict drops whatever holds the lock key, and reports whether there was anything.
	Evict(now Clock, key string) bool
}

// EvictFrom is an operator, or the store itself, dropping early whatever holds the lock key in a model of this store:
// a revoked lease, a killed session, a deleted row. It reports whether there was anything to drop.
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
