package redis

import "slices"

// A list is a slice of fields without names, head first. The queues of locks
// have one element per waiting client.

// push adds an element at one end.
func (e *entry) push(left bool, v Arg) {
	at := len(e.fields)
	if left {
		at = 0
	}
	e.fields = slices.Insert(e.fields, at, field{value: v})
}

// pop removes an element from one end of a list that has one.
func (e *entry) pop(left bool) Arg {
	at := len(e.fields) - 1
	if left {
		at = 0
	}
	v := e.fields[at].value
	e.fields = slices.Delete(e.fields, at, at+1)
	return v
}

// removeElements removes the first count elements that are equal to v, the last
// ones when count is negative, all when it is 0. It returns how many it removed.
func (e *entry) removeElements(v *Arg, count int64) (removed int64) {
	fromTail, most := count < 0, max(count, -count) // the smallest count has no opposite and means all
	matches := func(f field) bool {
		if most > 0 && removed == most || !sameText(&f.value, v) {
			return false
		}
		removed++
		return true
	}
	if fromTail {
		slices.Reverse(e.fields)
	}
	e.fields = slices.DeleteFunc(e.fields, matches)
	if fromTail {
		slices.Reverse(e.fields)
	}
	return removed
}

// push is LPUSH and RPUSH key element [element ...].
func push(effect EffectKind) acting {
	return func(s *Store, e *entry, args []Arg) Reply {
		for i := 1; i < len(args); i++ {
			e.push(effect == EffectPushLeft, args[i])
			s.emit(effect, e).Value = args[i]
		}
		return Int(int64(len(e.fields)))
	}
}

// pop is LPOP and RPOP key [count] (popGenericCommand in t_list.c). A list without elements
// does not exist, so removing the last one deletes the key.
func pop(effect EffectKind) running {
	return func(s *Store, c *command, args []Arg) Reply {
		count, ok := int64(1), true
		switch len(args) {
		case 1:
		case 2:
			if count, ok = parseInt(args[1]); !ok || count < 0 {
				return Failed(errNotPositive)
			}
		default:
			return wrongNumber(c)
		}
		e, refused := s.typed(kindList, args[0].String())
		switch {
		case refused != nil:
			return Failed(refused)
		case e == nil:
			return Reply{}
		}
		var popped []Reply
		for left := min(count, int64(len(e.fields))); left > 0; left-- {
			popped = append(popped, Bulk(e.pop(effect == EffectPopLeft).String()))
			if len(e.fields) == 0 {
				s.delete(e)
			} else {
				s.emit(effect, e)
			}
		}
		if len(args) == 1 {
			return popped[0]
		}
		return List(popped)
	}
}

// lindex is LINDEX key position; a negative one counts from the tail.
func (s *Store) lindex(e *entry, args []Arg) Reply {
	at, ok := parseInt(args[1])
	if !ok {
		return Failed(errNotInteger)
	}
	if at < 0 {
		at += int64(len(e.fields))
	}
	if at < 0 || at >= int64(len(e.fields)) {
		return Reply{}
	}
	return Bulk(digits(&e.fields[at].value))
}

// lrange is LRANGE key first last, both included.
func (s *Store) lrange(e *entry, args []Arg) Reply {
	first, _ := parseInt(args[1])
	last, _ := parseInt(args[2])
	var elements []Reply
	from, to := span(first, last, len(e.fields))
	for i := from; i < to; i++ {
		elements = append(elements, Bulk(digits(&e.fields[i].value)))
	}
	return List(elements)
}

// lrem is LREM key count element; see removeElements.
func (s *Store) lrem(e *entry, args []Arg) Reply {
	count, _ := parseInt(args[1])
	removed := e.removeElements(&args[2], count)
	switch {
	case removed == 0:
	case len(e.fields) == 0:
		s.delete(e)
	default:
		effect := s.emit(EffectListRemove, e)
		effect.Field, effect.Value = args[2].String(), Arg{Num: count, IsNum: true}
	}
	return Int(removed)
}
