package redis

import "slices"

// A hash is a slice of fields in order of insertion, searched from the front, as
// small hashes are in Redis (listpack.c). The hashes of locks have one field per holder.

// fieldIndex returns the position of a field, or -1.
func (e *entry) fieldIndex(name string) int {
	return slices.IndexFunc(e.fields, func(f field) bool { return f.name == name })
}

// setField sets a field and reports whether it is new.
func (e *entry) setField(name string, v Arg) bool {
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
	if e != nil && e.kind != kind && kind != kindAny {
		return nil, errWrongType
	}
	return e, nil
}

// length is HLEN, LLEN and ZCARD.
func (s *Store) length(e *entry, _ []Arg) Reply { return Int(int64(len(e.fields))) }

// putField sets one field and tells the replicas.
func (s *Store) putField(e *entry, name string, v Arg) bool {
	added := e.setField(name, v)
	effect := s.emit(EffectHashSet, e)
	effect.Field, effect.Value = name, v
	return added
}

// hset is HSET key field value [field value ...]; the reply counts new fields.
func (s *Store) hset(e *entry, args []Arg) Reply {
	var added int64
	for i := 1; i < len(args); i += 2 {
		if s.putField(e, args[i].String(), args[i+1]) {
			added++
		}
	}
	return Int(added)
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
		if !e.delField(name) {
			continue
		}
		n++
		if len(e.fields) == 0 {
			s.delete(e)
			break
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
	s.putField(e, name, args[2])
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
	name, old := args[1].String(), int64(0)
	if i := e.fieldIndex(name); i >= 0 {
		var ok bool
		if old, ok = parseInt(e.fields[i].value); !ok {
			return Failed(errHashInteger)
		}
	}
	if addOverflows(old, by) {
		return Failed(errOverflow)
	}
	s.putField(e, name, Arg{Num: old + by, IsNum: true})
	return Int(old + by)
}
