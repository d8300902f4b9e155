package etcd

import (
	"errors"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// Errors of requests that etcd refuses before it looks at the data.
var (
	ErrDuplicateKey = errors.New("etcdserver: duplicate key given in txn request")
	ErrEmptyKey     = errors.New("etcdserver: key is not provided")
	ErrTooLong      = errors.New("etcdserver: too large lease TTL")
)

// do runs one operation by itself.
func (s *Store) do(now store.Clock, c store.Conn, op *world.EtcdOp) store.Answer {
	result, err := s.run(now, c, []world.EtcdOp{*op})
	if err != nil {
		return failed(err)
	}
	return store.Answer{Value: result, Text: result.Text()}
}

// txn runs one of the branches of a transaction.
func (s *Store) txn(now store.Clock, c store.Conn, t *world.EtcdTxn) store.Answer {
	for _, cmp := range t.If {
		if cmp.Key == "" {
			return failed(ErrEmptyKey)
		}
	}
	for _, ops := range [][]world.EtcdOp{t.Then, t.Else} {
		if err := check(ops); err != nil {
			return failed(err)
		}
	}
	succeeded := !slices.ContainsFunc(t.If, func(c world.EtcdCompare) bool { return !s.holds(c) })
	ops := t.Then
	if !succeeded {
		ops = t.Else
	}
	result, err := s.run(now, c, ops)
	if err != nil {
		return failed(err)
	}
	result.Succeeded = succeeded
	return store.Answer{Value: result, Text: result.TxnText()}
}

func failed(err error) store.Answer { return store.Answer{Err: err, Text: err.Error()} }

// check refuses a branch that would write a key twice.
func check(ops []world.EtcdOp) error {
	for i, op := range ops {
		if op.Key == "" {
			return ErrEmptyKey
		}
		if op.Kind != world.EtcdPut {
			continue
		}
		for k, other := range ops {
			twice := other.Kind == world.EtcdPut && other.Key == op.Key && k != i
			deleted := other.Kind == world.EtcdDelete &&
				(other.Key == op.Key || other.Prefix && strings.HasPrefix(op.Key, other.Key))
			if twice || deleted {
				return ErrDuplicateKey
			}
		}
	}
	return nil
}

// holds reports whether a comparison does.
func (s *Store) holds(c world.EtcdCompare) bool {
	e := s.get(c.Key)
	switch {
	case e == nil:
		return c.Revision == 0
	case c.Mod:
		return e.ModRevision == c.Revision
	default:
		return e.CreateRevision == c.Revision
	}
}

// run runs operations at one revision, all of them or none.
func (s *Store) run(now store.Clock, c store.Conn, ops []world.EtcdOp) (world.EtcdResult, error) {
	for i := range ops {
		switch op := &ops[i]; {
		case op.Key == "":
			return world.EtcdResult{}, ErrEmptyKey
		case op.Kind == world.EtcdPut && op.Lease != 0 && s.lease(op.Lease) == nil:
			return world.EtcdResult{}, world.ErrLeaseNotFound
		}
	}
	var responses []world.EtcdResponse
	before := len(s.past)
	for i := range ops {
		responses = append(responses, s.operate(&ops[i], c.Client))
	}
	s.commit(now, before, cause{kind: history.Removed, by: c.Client})
	return world.EtcdResult{Revision: s.revision, Responses: responses}, nil
}

// operate runs one operation at the revision that comes next.
func (s *Store) operate(op *world.EtcdOp, by history.NodeID) world.EtcdResponse {
	switch op.Kind {
	case world.EtcdPut:
		s.put(op, s.revision+1, by)
		return world.EtcdResponse{}
	case world.EtcdDelete:
		from, to := s.span(op.Key, op.Prefix)
		return world.EtcdResponse{Deleted: s.remove(from, to, s.revision+1)}
	default:
		return s.read(op)
	}
}

// read does a get. A limit cuts what is left after sorting and after the revisions that were asked
// for; the count is of all keys in the range (applierV3backend.Range).
func (s *Store) read(op *world.EtcdOp) world.EtcdResponse {
	from, to := s.span(op.Key, op.Prefix)
	out := world.EtcdResponse{Count: int64(to - from)}
	var one *entry
	n := to - from
	switch {
	case op.Prefix && op.MaxCreateRevision > 0:
		one, n = last(s.keys[from:to], op.MaxCreateRevision)
	case op.Prefix && op.FirstCreated:
		one = s.first(op.Key)
	default:
		for _, e := range s.keys[from:to] {
			out.KVs = append(out.KVs, e.EtcdKV)
		}
		return out
	}
	if one != nil {
		out.KVs, out.More = []world.EtcdKV{one.EtcdKV}, n > 1
	}
	return out
}

// first returns the key with that prefix that was created first, nil for none.
// Of keys of one transaction it is the first in the alphabet.
func (s *Store) first(prefix string) *entry {
	var found *entry
	from, to := s.span(prefix, true)
	for _, e := range s.keys[from:to] {
		if found == nil || e.CreateRevision < found.CreateRevision {
			found = e
		}
	}
	return found
}

// last returns the key that was created last, but not after a revision, and how many there are of these.
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
		return // what changes nothing has no revision of its own
	}
	s.revision++
	s.report(now, why)
}
