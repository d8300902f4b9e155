package redis

import (
	"cmp"
	"slices"
)

// The world keeps the append-only file: the effects of all calls. A restart applies
// them to an empty store, which is a replica meanwhile.

// Dump appends to buf the effects that make an equal store out of an empty one, as
// a rewrite of the append-only file does after a full resync (CopyTo). Keys are in
// order of creation, so that equal expiries keep their order.
func (s *Store) Dump(buf []Effect) []Effect {
	byAge := func(a, b *entry) int { return cmp.Compare(a.born, b.born) }
	for _, e := range slices.SortedFunc(slices.Values(s.live), byAge) {
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
