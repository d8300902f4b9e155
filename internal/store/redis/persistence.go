package redis

import "sort"

// An append-only file is kept by the world: it holds the effects of all calls, and
// a restart plays them with Apply into an empty store that is a replica meanwhile.

// Dump appends to buf the effects that make an equal store out of an empty one, as
// a rewrite of the append-only file does after a full resync (CopyTo). Keys come in
// the order of their creation, so that equal expiries keep their order.
func (s *Store) Dump(buf []Effect) []Effect {
	oldest := append([]*entry(nil), s.live...)
	sort.Slice(oldest, func(i, j int) bool { return oldest[i].born < oldest[j].born })
	for _, e := range oldest {
		effect := Effect{Key: e.key, AtMS: e.expireMS, Owner: e.owner}
		if e.kind == kindString {
			effect.Value = e.str
			buf = append(buf, effect)
		}
		for i := range e.fields {
			effect.Kind = dumpKinds[e.kind]
			effect.Field, effect.Value = e.fields[i].name, e.fields[i].value
			buf = append(buf, effect)
		}
	}
	return buf
}

// dumpKinds is the effect that adds one field to an entry.
var dumpKinds = [...]EffectKind{
	kindString: EffectSet, kindHash: EffectHashSet, kindList: EffectPushRight, kindSortedSet: EffectScore,
}
