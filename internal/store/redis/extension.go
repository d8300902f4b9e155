package redis

import "math"

// Extensions are sets of commands that Redis 7.0 does not have. A server without one
// answers its commands with "unknown command" or "syntax error", as the real one does.
type Extensions uint8

const (
	// TairString is the module of that name: CAS key old new [EX|PX|EXAT|PXAT n]
	// and CAD key value, on strings.
	TairString Extensions = 1 << iota
	// Redis84 is compare-and-set of Redis 8.4: SET key value IFEQ|IFNE old, and
	// DELEX key [IFEQ|IFNE value]. Conditions on digests are not modelled.
	Redis84
)

// cas is CAS of TairString: 1 when the value was replaced, 0 when it differs, -1
// when there is no key. Without an expiry the key has none afterwards, whatever it
// had before (tairstring.c). The module takes any bad option or expiry for a
// syntax error, and replicates a SET and a PEXPIREAT.
func (s *Store) cas(_ *command, args []Arg) Reply {
	atMS, ok := s.casExpiry(args[3:])
	if !ok {
		return Failed(errSyntax)
	}
	key := args[0].String()
	e := s.lookup(key)
	if e == nil {
		return Int(-1)
	}
	holds, err := e.compare(args[1], false)
	switch {
	case err != nil:
		return Failed(err)
	case !holds:
		return Int(0)
	}
	s.put(e, key, args[2], atMS)
	if atMS != noExpiry {
		set := &s.effects[len(s.effects)-1]
		set.AtMS = noExpiry
		expire := *set
		expire.Kind, expire.AtMS, expire.Value = EffectExpireAt, atMS, Arg{}
		s.effects = append(s.effects, expire)
	}
	return Int(1)
}

// casExpiry reads the options of CAS: one expiry at most. An instant that has
// passed counts as now.
func (s *Store) casExpiry(args []Arg) (atMS int64, ok bool) {
	if len(args) == 0 {
		return noExpiry, true
	}
	unit := expireUnit(optionWord(&args[0]))
	if unit == "KEEPTTL" {
		// The module accepts it, but the call that sets the value first deletes the key
		// with its expiry (RM_StringSet in module.c), so there may be nothing left to keep.
		unmodelled("CAS with KEEPTTL")
	}
	if len(args) != 2 {
		return 0, false
	}
	at, ok := parseInt(args[1])
	if !ok || at <= 0 {
		return 0, false
	}
	if unit.seconds() {
		if at > math.MaxInt64/1000 {
			return 0, false // overflows in the module
		}
		at *= 1000
	}
	switch unit {
	case unitEX, unitPX:
		return s.nowMS + min(at, math.MaxInt64-s.nowMS), true
	case unitEXAT, unitPXAT:
		return max(at, s.nowMS), true
	}
	return 0, false
}

// cad is CAD of TairString: 1 when the key was deleted, 0 when its value differs.
func (s *Store) cad(e *entry, args []Arg) Reply { return s.deleteIf(e, args[1], false) }

// delEx is DELEX of Redis 8.4: 1 when the key was deleted, else 0. Without a
// condition it is DEL of one key.
func (s *Store) delEx(c *command, args []Arg) Reply {
	switch len(args) {
	case 1:
		return s.del(c, args)
	case 3:
	default:
		return wrongNumber(c)
	}
	word := optionWord(&args[1])
	if !isComparison(word) {
		return Failed(errSyntax)
	}
	e := s.lookup(args[0].String())
	if e == nil {
		return Int(0)
	}
	return s.deleteIf(e, args[2], word == "IFNE")
}

// deleteIf deletes an entry when its value equals another one, or differs from it.
func (s *Store) deleteIf(e *entry, v Arg, differs bool) Reply {
	holds, err := e.compare(v, differs)
	switch {
	case err != nil:
		return Failed(err)
	case !holds:
		return Int(0)
	}
	s.delete(e)
	return Int(1)
}

// isComparison reports whether an option is a condition on the value, as of Redis 8.4.
func isComparison(word string) bool {
	switch word {
	case "IFEQ", "IFNE":
		return true
	case "IFDEQ", "IFDNE":
		unmodelled("digests of values: " + word)
	}
	return false
}

// compare reports whether the value of a string equals another one, or whether it
// differs. A missing key equals nothing and differs from everything.
func (e *entry) compare(v Arg, differs bool) (holds bool, err error) {
	if e == nil {
		return differs, nil
	}
	if e.kind != kindString {
		return false, errWrongType
	}
	return sameText(&e.str, &v) != differs, nil
}
