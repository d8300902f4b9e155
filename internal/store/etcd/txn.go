package etcd

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Errors of requests that etcd refuses before it looks at the data.
var (
	ErrDuplicateKey = errors.New("etcdserver: duplicate key given in txn request")
	ErrEmptyKey     = errors.New("etcdserver: key is not provided")
	ErrTooLong      = errors.New("etcdserver: too large lease TTL")
)

// do runs one operation by itself.
func (s *Store) do(now store.Clock, c store.Conn, op *Op) store.Answer {
	result, err := s.run(now, c, []Op{*op})
	if err != nil {
		return store.Refused(err)
	}
	return store.Answer{Value: result}
}

// txn runs one of the branches of a transaction.
func (s *Store) txn(now store.Clock, c store.Conn, t *Txn) store.Answer {
	if slices.ContainsFunc(t.If, func(c Compare) bool { return c.Key == "" }) {
		return store.Refused(ErrEmptyKey)
	}
	for _, ops := range [][]Op{t.Then, t.Else} {
		if err := check(ops); err != nil {
			return store.Refused(err)
		}
	}
	succeeded := !slices.ContainsFunc(t.If, func(c Compare) bool { return !s.holds(c) })
	ops := t.Then
	if !succeeded {
		ops = t.Else
	}
	result, err := s.run(now, c, ops)
	if err != nil {
		return store.Refused(err)
	}
	result.Succeeded = succeeded
	return store.Answer{Value: result}
}

// check refuses a branch that would write a key twice.
func check(ops []Op) error {
	for i, op := range ops {
		if op.Key == "" {
			return ErrEmptyKey
		}
		if op.Kind != Put {
			continue
		}
		for k, other := range ops {
			twice := other.Kind == Put && other.Key == op.Key && k != i
			deleted := other.Kind == Delete &&
				(other.Key == op.Key || other.Prefix && strings.HasPrefix(op.Key, other.Key))
			if twice || deleted {
				return ErrDuplicateKey
			}
		}
	}
	return nil
}

// holds reports whether a comparison does.
func (s *Store) holds(c Compare) bool {
	e := s.get(c.Key)
	switch {
	case c.ByValue:
		return e != nil && e.Value == c.Value
	case e == nil:
		return c.Revision == 0
	case c.Mod:
		return e.ModRevision == c.Revision
	default:
		return e.CreateRevision == c.Revision
	}
}

// run runs operations at one revision, all of them or none.
func (s *Store) run(now store.Clock, c store.Conn, ops []Op) (Result, error) {
	for i := range ops {
		switch op := &ops[i]; {
		case op.Key == "":
			return Result{}, ErrEmptyKey
		case op.Kind == Put && op.Lease != 0 && s.lease(op.Lease) == nil:
			return Result{}, ErrLeaseNotFound
		}
	}
	var responses []Response
	before := len(s.past)
	for i := range ops {
		responses = append(responses, s.operate(&ops[i], c.Client))
	}
	s.commit(now, before, cause{kind: history.Removed, by: c.Client})
	return Result{Revision: s.revision, Responses: responses}, nil
}

// operate runs one operation at the revision that comes next.
func (s *Store) operate(op *Op, by history.NodeID) Response {
	switch op.Kind {
	case Put:
		s.put(op, s.revision+1, by)
		return Response{}
	case Delete:
		from, to := s.span(op.Key, op.Prefix)
		return Response{Deleted: s.remove(from, to, s.revision+1)}
	default:
		return s.read(op)
	}
}

// read does a get. A limit cuts what is left after sorting and after the revisions that were asked
// for; the count is of all keys in the range (applierV3backend.Range).
func (s *Store) read(op *Op) Response {
	from, to := s.span(op.Key, op.Prefix)
	out := Response{Count: int64(to - from)}
	var one *entry
	n := to - from
	switch {
	case op.Prefix && op.MaxCreateRevision > 0:
		one, n = last(s.keys[from:to], op.MaxCreateRevision)
	case op.Prefix && op.FirstCreated:
		one = s.first(op.Key)
	default:
		for _, e := range s.keys[from:to] {
			out.KVs = append(out.KVs, e.KV)
		}
		return out
	}
	if one != nil {
		out.KVs, out.More = []KV{one.KV}, n > 1
	}
	return out
}

// first returns the key with that prefix that was created first, nil for none.
// Of keys of one transaction it is the first in the alphabet.
func (s *Store) first(prefix string) *entry {
	from, to := s.span(prefix, true)
	if from == to {
		return nil
	}
	return slices.MinFunc(s.keys[from:to], func(a, b *entry) int {
		return cmp.Compare(a.CreateRevision, b.CreateRevision)
	})
}

// last returns the key that was created last, up to a revision, and how many were created up to it.
func last(keys []*entry, upTo int64) (found *entry, n int) {
	for _, e := range keys {
		if e.CreateRevision > upTo {
			continue
		}
		n++
		if found == nil || e.CreateRevision > found.CreateRevision {
			found = e
		}
	}
	return found, n
}

// commit ends a step that may have changed keys, which are in past[before:].
func (s *Store) commit(now store.Clock, before int, why cause) {
	if len(s.past) == before {
		return // without changes there is no new revision
	}
	s.revision++
	s.report(now, why)
}
