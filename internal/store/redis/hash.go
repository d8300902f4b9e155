package redis

import (
	"slices"

	"lockstep/internal/history"
)

// A hash is a slice of fields in order of insertion, searched from the front, as
// small hashes are in Redis (listpack.c). The hashes of locks have one field per holder, or
// fields for the holder and the end of its lease, which the next one may overwrite. So a hash
// belongs to its owner as long as what the owner wrote stands. A client that changes it by HSET
// takes the entry over, as by SET. One that deletes or empties it ends the entry, and the next
// client to fill a field owns the hash. HINCRBY changes counters, which belong to no one.

// fieldIndex returns the position of a field, or -1.
func (e *entry) fieldIndex(name string) int {
	return slices.IndexFunc(e.fields, func(f field) bool { return f.name == name })
}

// setField sets a field.
func (e *entry) setField(f field) {
	if i := e.fieldIndex(f.name); i >= 0 {
		e.fields[i] = f
		return
	}
	e.fields = append(e.fields, f)
}

// delField removes a field and reports who wrote it, and whether there was one.
func (e *entry) delField(name string) (by history.NodeID, found bool) {
	i := e.fieldIndex(name)
	if i < 0 {
		return 0, false
	}
	by = e.fields[i].by
	e.fields = slices.Delete(e.fields, i, i+1)
	return by, true
}

// hand makes an entry another client's, with 0 no client's. As a change, that is the end of one
// entry and the beginning of another.
func (s *Store) hand(e *entry, owner history.NodeID, begins history.Kind) {
	if e.owner == owner {
		return
	}
	s.note(history.Removed, e, s.by)
	e.owner = owner
	s.note(begins, e, s.by)
}

// typed returns the entry at a key, nil when there is none, and refuses one of
// another type.
func (s *Store) typed(kind valueKind, key string) (e *entry, refused error) {
	e = s.lookup(key)
	if e != nil && e.kind != kind && kind != kindAny {
		return nil, errWrongType
	}
	return e, nil
}

// length is HLEN, LLEN and ZCARD.
func (s *Store) length(e *entry, _ []Arg) Reply { return Int(int64(len(e.fields))) }

// putField sets one field and tells the replicas.
func (s *Store) putField(e *entry, name string, v Arg) {
	e.setField(field{name, v, s.by})
	effect := s.emit(EffectHashSet, e)
	effect.Field, effect.Value = name, v
}

// writeField sets one field to what this client says, and so may change whose entry it is.
func (s *Store) writeField(e *entry, name string, v Arg) {
	old, is, owners := "", digits(&v), false
	if i := e.fieldIndex(name); i >= 0 {
		old, owners = digits(&e.fields[i].value), e.fields[i].by == e.owner
	}
	switch {
	case owners && old != "" && is == "":
		s.hand(e, 0, history.Granted)
	case owners && old != is, e.owner == 0 && old == "" && is != "":
		s.hand(e, s.by, history.Granted)
	}
	s.putField(e, name, v)
}

// hset is HSET key field value [field value ...]; the reply counts new fields.
func (s *Store) hset(e *entry, args []Arg) Reply {
	before := len(e.fields)
	for i := 1; i < len(args); i += 2 {
		s.writeField(e, args[i].String(), args[i+1])
	}
	return Int(int64(len(e.fields) - before))
}

// fieldReply is the value of a field as a reply; nil for no such field.
func (e *entry) fieldReply(name string) Reply {
	i := e.fieldIndex(name)
	if i < 0 {
		return Reply{}
	}
	return Bulk(digits(&e.fields[i].value))
}

// hget is HGET and ZSCORE.
func (s *Store) hget(e *entry, args []Arg) Reply { return e.fieldReply(args[1].String()) }

// hexists is HEXISTS.
func (s *Store) hexists(e *entry, args []Arg) Reply {
	if e.fieldIndex(args[1].String()) < 0 {
		return Int(0)
	}
	return Int(1)
}

// hdel is HDEL key field [field ...].
func (s *Store) hdel(e *entry, args []Arg) Reply {
	return s.removeFields(e, args[1:], EffectHashDel)
}

// removeFields removes fields of a hash or members of a sorted set, and counts those that
// were there. Neither exists when it is empty, so removing the last one deletes the key.
func (s *Store) removeFields(e *entry, names []Arg, effect EffectKind) Reply {
	var n int64
	for i := range names {
		name := names[i].String()
		by, found := e.delField(name)
		if !found {
			continue
		}
		n++
		if len(e.fields) == 0 {
			s.delete(e)
			break
		}
		if by == e.owner && effect == EffectHashDel {
			s.hand(e, 0, history.Granted)
		}
		s.emit(effect, e).Field = name
	}
	return Int(n)
}

// hsetnx is HSETNX.
func (s *Store) hsetnx(e *entry, args []Arg) Reply {
	name := args[1].String()
	if e.fieldIndex(name) >= 0 {
		return Int(0)
	}
	s.writeField(e, name, args[2])
	return Int(1)
}

// hmget is HMGET key field [field ...].
func (s *Store) hmget(_ *command, args []Arg) Reply {
	e, refused := s.typed(kindHash, args[0].String())
	if refused != nil {
		return Failed(refused)
	}
	values := make([]Reply, len(args)-1)
	for i := 0; e != nil && i < len(values); i++ {
		values[i] = e.fieldReply(args[i+1].String())
	}
	return List(values)
}

// listing is HKEYS, HVALS and HGETALL, where names and values alternate. Redis promises no
// order; the model keeps that of insertion.
func listing(names, values bool) acting {
	return func(_ *Store, e *entry, _ []Arg) Reply {
		list := make([]Reply, 0, 2*len(e.fields))
		for i := range e.fields {
			if names {
				list = append(list, Bulk(e.fields[i].name))
			}
			if values {
				list = append(list, Bulk(digits(&e.fields[i].value)))
			}
		}
		return List(list)
	}
}

// hincrby is HINCRBY (hincrbyCommand in t_hash.c). It keeps the time to live.
func (s *Store) hincrby(e *entry, args []Arg) Reply {
	by, _ := parseInt(args[2])
	name, old, put := args[1].String(), int64(0), s.writeField
	if i := e.fieldIndex(name); i >= 0 {
		put = s.putField
		var ok bool
		if old, ok = parseInt(e.fields[i].value); !ok {
			return Failed(errHashInteger)
		}
	}
	if addOverflows(old, by) {
		return Failed(errOverflow)
	}
	put(e, name, Arg{Num: old + by, IsNum: true})
	return Int(old + by)
}
