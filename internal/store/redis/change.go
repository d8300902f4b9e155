package redis

import "lockstep/internal/history"

// Change is one event in the life of an entry.
type Change struct {
	Key   string
	TTLms int64          // the time to live after the change, on the server's clock; -1 for none
	By    history.NodeID // whose command it was; 0: the server itself
	Owner history.NodeID // whose entry it is or was
	// Kind is history.Granted, Extended, Removed or Expired on a primary. A
	// replica reports Replicated instead of Granted, and CopyTo and Lose report
	// Forgotten.
	Kind history.Kind
}

// EffectKind is the kind of an effect; each names the command that Redis would send.
type EffectKind uint8

// The kinds of effects.
const (
	EffectSet        EffectKind = iota // SET Key Value [PXAT AtMS]: a new value and a new time to live
	EffectValue                        // SET Key Value KEEPTTL: only a new value, as after INCR
	EffectHashSet                      // HSET Key Field Value
	EffectHashDel                      // HDEL Key Field
	EffectExpireAt                     // PEXPIREAT Key AtMS, or PERSIST Key when AtMS is -1
	EffectDel                          // DEL Key
	EffectExpired                      // DEL Key, because the key was past its time
	EffectFlush                        // FLUSHALL
	EffectPushLeft                     // LPUSH Key Value
	EffectPushRight                    // RPUSH Key Value
	EffectPopLeft                      // LPOP Key
	EffectPopRight                     // RPOP Key
	EffectListRemove                   // LREM Key Value Field: Value is how many, Field the element
	EffectScore                        // ZADD Key Value Field: Value is the score, Field the member
	EffectUnscore                      // ZREM Key Field
)

// Effect is one change for replicas to apply. It has no pointers into the store, so it
// can be kept and copied.
type Effect struct {
	Key   string
	Field string
	Value Arg
	AtMS  int64          // absolute expiry on the primary's wall clock; -1 for none
	By    history.NodeID // whose command it was
	Owner history.NodeID // whose entry it is
	Kind  EffectKind
}

// note reports a change of an entry. A hash that is no client's is none.
func (s *Store) note(kind history.Kind, e *entry, by history.NodeID) {
	if e.owner == 0 {
		return
	}
	s.changes = append(s.changes, Change{
		Kind: kind, Key: e.key, By: by, Owner: e.owner, TTLms: e.ttl(s.nowMS),
	})
}

// ttl returns the time to live in milliseconds, at least 0; -1 for an entry that
// never expires.
func (e *entry) ttl(nowMS int64) int64 {
	if e.expireMS == noExpiry {
		return noExpiry
	}
	return max(e.expireMS-nowMS, 0)
}

// emit adds an effect for replicas.
func (s *Store) emit(kind EffectKind, e *entry) *Effect {
	s.effects = append(s.effects, Effect{
		Kind: kind, Key: e.key, AtMS: e.expireMS, By: s.by, Owner: e.owner,
	})
	return &s.effects[len(s.effects)-1]
}

// create makes an entry for the client of this call, and reports it.
func (s *Store) create(key string, kind valueKind, atMS int64) *entry {
	e := s.add(key, kind, s.by, atMS)
	s.note(history.Granted, e, s.by)
	return e
}

// expire drops an entry past its time. The primary sends a DEL for it
// (propagateDeletion in db.c).
func (s *Store) expire(e *entry) {
	s.note(history.Expired, e, 0)
	s.emit(EffectExpired, e).By = 0
	s.remove(e)
}

// delete drops an entry by a command.
func (s *Store) delete(e *entry) {
	s.note(history.Removed, e, s.by)
	s.emit(EffectDel, e)
	s.remove(e)
}

// Apply applies one effect of the primary on a replica, whose own wall clock
// shows nowMS. The clock only affects the reported TTL: a primary's stream is
// applied even to keys that are past their time here (expireIfNeeded in db.c
// leaves the link to the primary alone).
func (s *Store) Apply(nowMS int64, eff *Effect) {
	s.begin(nowMS, eff.By)
	e := s.find(eff.Key)
	switch eff.Kind {
	case EffectFlush:
		s.forgetAll(history.Removed)
	case EffectSet:
		s.applySet(e, eff)
	case EffectValue:
		if e == nil || e.kind != kindString {
			s.applySet(e, eff)
			return
		}
		e.str = eff.Value
	case EffectHashSet:
		e = s.ofKind(e, kindHash, eff)
		e.setField(field{eff.Field, eff.Value, eff.By})
		s.hand(e, eff.Owner, history.Replicated)
	case EffectPushLeft, EffectPushRight:
		s.ofKind(e, kindList, eff).push(eff.Kind == EffectPushLeft, eff.Value)
	case EffectScore:
		s.ofKind(e, kindSortedSet, eff).setScore(eff.Field, eff.Value.Num)
	default:
		if e != nil {
			s.applyTo(e, eff)
		}
	}
}

// applyTo applies the effects that make no entry.
func (s *Store) applyTo(e *entry, eff *Effect) {
	switch eff.Kind {
	case EffectExpireAt:
		e.expireMS = eff.AtMS
		s.note(history.Extended, e, eff.By)
	case EffectDel:
		s.note(history.Removed, e, eff.By)
		s.remove(e)
	case EffectExpired:
		s.note(history.Expired, e, eff.By)
		s.remove(e)
	case EffectPopLeft, EffectPopRight:
		e.pop(eff.Kind == EffectPopLeft)
	case EffectListRemove:
		e.removeElements(&Arg{Text: eff.Field}, eff.Value.Num)
	case EffectHashDel, EffectUnscore:
		e.delField(eff.Field)
		s.hand(e, eff.Owner, history.Replicated)
	}
}

// applySet is SET on a replica: the same owner's entry is extended, another
// owner's is replaced.
func (s *Store) applySet(e *entry, eff *Effect) {
	if e != nil && e.owner == eff.Owner {
		e.becomeString()
		e.str = eff.Value
		e.expireMS = eff.AtMS
		s.note(history.Extended, e, eff.By)
		return
	}
	s.applyNew(e, kindString, eff).str = eff.Value
}

// ofKind returns the entry, or a new one if there is none of that kind.
func (s *Store) ofKind(e *entry, kind valueKind, eff *Effect) *entry {
	if e != nil && e.kind == kind {
		return e
	}
	return s.applyNew(e, kind, eff)
}

// applyNew makes an entry on a replica, in place of old unless that is nil.
func (s *Store) applyNew(old *entry, kind valueKind, eff *Effect) *entry {
	if old != nil {
		s.note(history.Removed, old, eff.By)
		s.remove(old)
	}
	e := s.add(eff.Key, kind, eff.Owner, eff.AtMS)
	s.note(history.Replicated, e, eff.By)
	return e
}

// forgetAll drops all entries and reports each as a change of that kind.
func (s *Store) forgetAll(kind history.Kind) {
	for _, e := range s.live {
		s.note(kind, e, s.by)
	}
	s.drop()
}

// Lose empties the store as a restart without persistence does, and reports each
// entry as Forgotten.
func (s *Store) Lose(nowMS int64) {
	s.begin(nowMS, 0)
	s.forgetAll(history.Forgotten)
}

// CopyTo makes the keys of dst equal to those of s: a full resync of a replica,
// or a restart from persisted data. It leaves dst's role alone. dst reports the
// entries that it lost as Forgotten and those that are new to it as Replicated; one
// with the same key and owner as before is neither. nowMS is dst's own wall clock.
func (s *Store) CopyTo(dst *Store, nowMS int64) {
	if s == dst {
		panic("redis: a store cannot be copied to itself")
	}
	dst.begin(nowMS, 0)
	for _, old := range dst.live {
		if e := s.find(old.key); e == nil || e.owner != old.owner {
			dst.note(history.Forgotten, old, 0)
		}
	}
	for _, e := range s.live {
		if old := dst.find(e.key); old == nil || old.owner != e.owner {
			dst.note(history.Replicated, e, 0)
		}
	}
	dst.drop()
	for _, e := range s.live {
		c := dst.add(e.key, e.kind, e.owner, e.expireMS)
		c.str = e.str
		c.fields = append(c.fields, e.fields...)
	}
}
