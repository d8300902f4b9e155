package redis

import (
	"slices"

	"lockstep/internal/world"
)

// A hash is a slice of fields in the order in which they were added, searched
// from the front, as small hashes are in Redis (listpack.c). The hashes of locks
// have one field per holder.

// fieldIndex returns the position of a field, or -1.
func (e *entry) fieldIndex(name string) int {
	for i := range e.fields {
		if e.fields[i].name == name {
			return i
		}
	}
	return -1
}

// setField sets a field and reports whether it is new.
func (e *entry) setField(name string, v world.Arg) bool {
	if i := e.fieldIndex(name); i >= 0 {
		e.fields[i].value = v
		return false
	}
	e.fields = append(e.fields, field{name, v})
	return true
}

// delField removes a field and reports whether there was one.
func (e *entry) delField(name string) bool {
	i := e.fieldIndex(name)
	if i < 0 {
		return false
	}
	e.fields = slices.Delete(e.fields, i, i+1)
	return true
}

// typed returns the entry at a key, nil when there is none, and refuses one of
// another type.
func (s *Store) typed(kind valueKind, key string) (e *entry, refused error) {
	e = s.lookup(key)
	if e != nil && e.kind != kind {
		return nil, errWrongType
	}
	return e, nil
}

// hash returns the hash at a key, nil when there is no key.
func (s *Store) hash(key string) (e *entry, refused error) { return s.typed(kindHash, key) }

// length is HLEN, LLEN and ZCARD.
func (s *Store) length(kind valueKind, args []world.Arg) world.Reply {
	e, refused := s.typed(kind, args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		return world.Int(0)
	}
	return world.Int(int64(len(e.fields)))
}

// putField sets one field and tells the replicas.
func (s *Store) putField(e *entry, name string, v world.Arg) bool {
	added := e.setField(name, v)
	effect := s.emit(EffectHashSet, e)
	effect.Field, effect.Value = name, v
	return added
}

// hset is HSET key field value [field value ...]; the reply counts new fields.
func (s *Store) hset(args []world.Arg) world.Reply {
	if len(args)%2 == 0 {
		return wrongNumber(opHSet)
	}
	key := args[0].String()
	e, refused := s.hash(key)
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		e = s.create(key, kindHash, noExpiry)
	}
	var added int64
	for i := 1; i < len(args); i += 2 {
		if s.putField(e, args[i].String(), args[i+1]) {
			added++
		}
	}
	return world.Int(added)
}

// hget is HGET.
func (s *Store) hget(args []world.Arg) world.Reply {
	e, refused := s.hash(args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		return world.Reply{}
	}
	i := e.fieldIndex(args[1].String())
	if i < 0 {
		return world.Reply{}
	}
	return world.Bulk(digits(&e.fields[i].value))
}

// hexists is HEXISTS.
func (s *Store) hexists(args []world.Arg) world.Reply {
	e, refused := s.hash(args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil || e.fieldIndex(args[1].String()) < 0 {
		return world.Int(0)
	}
	return world.Int(1)
}

// hdel is HDEL; a hash without fields does not exist, so the last one takes the
// key with it.
func (s *Store) hdel(args []world.Arg) world.Reply {
	e, refused := s.hash(args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		return world.Int(0)
	}
	var n int64
	for i := 1; i < len(args); i++ {
		name := args[i].String()
		if !e.delField(name) {
			continue
		}
		n++
		if len(e.fields) == 0 {
			s.delete(e)
			break
		}
		s.emit(EffectHashDel, e).Field = name
	}
	return world.Int(n)
}

// hsetnx is HSETNX.
func (s *Store) hsetnx(args []world.Arg) world.Reply {
	key, name := args[0].String(), args[1].String()
	e, refused := s.hash(key)
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		e = s.create(key, kindHash, noExpiry)
	} else if e.fieldIndex(name) >= 0 {
		return world.Int(0)
	}
	s.putField(e, name, args[2])
	return world.Int(1)
}

// hmget is HMGET key field [field ...].
func (s *Store) hmget(args []world.Arg) world.Reply {
	e, refused := s.hash(args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	values := make([]world.Reply, len(args)-1)
	for i := range values {
		if e == nil {
			continue
		}
		if at := e.fieldIndex(args[i+1].String()); at >= 0 {
			values[i] = world.Bulk(digits(&e.fields[at].value))
		}
	}
	return world.List(values)
}

// hlist is HKEYS and HVALS. Redis promises no order; see hgetall.
func (s *Store) hlist(op opcode, args []world.Arg) world.Reply {
	e, refused := s.hash(args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		return world.List(nil)
	}
	var list []world.Reply
	for i := range e.fields {
		text := e.fields[i].name
		if op == opHVals {
			text = digits(&e.fields[i].value)
		}
		list = append(list, world.Bulk(text))
	}
	return world.List(list)
}

// hincrby is HINCRBY (hincrbyCommand in t_hash.c). It keeps the time to live.
func (s *Store) hincrby(args []world.Arg) world.Reply {
	by, ok := parseInt(args[2])
	if !ok {
		return world.Failed(errNotInteger)
	}
	key, name := args[0].String(), args[1].String()
	e, refused := s.hash(key)
	if refused != nil {
		return world.Failed(refused)
	}
	var old int64
	if e != nil {
		if i := e.fieldIndex(name); i >= 0 {
			if old, ok = parseInt(e.fields[i].value); !ok {
				return world.Failed(errHashInteger)
			}
		}
	}
	if addOverflows(old, by) {
		return world.Failed(errOverflow)
	}
	if e == nil {
		e = s.create(key, kindHash, noExpiry)
	}
	s.putField(e, name, world.Arg{Num: old + by, IsNum: true})
	return world.Int(old + by)
}

// hgetall is HGETALL: names and values in turn. Redis promises no order; the
// model keeps that of insertion.
func (s *Store) hgetall(args []world.Arg) world.Reply {
	e, refused := s.hash(args[0].String())
	if refused != nil {
		return world.Failed(refused)
	}
	if e == nil {
		return world.List(nil)
	}
	list := make([]world.Reply, 0, 2*len(e.fields))
	for i := range e.fields {
		list = append(list, world.Bulk(e.fields[i].name), world.Bulk(digits(&e.fields[i].value)))
	}
	return world.List(list)
}
