package redis

import (
	"math"
	"strconv"

	"lockstep/internal/history"
)

// setOptions are the options of SET.
type setOptions struct {
	expiry            *Arg
	unit              expireUnit
	nx, xx, get, keep bool
	want              *Arg // the value of IFEQ or IFNE, which exclude nx and xx; nil without them
	differs           bool // IFNE
}

// parse reads the options of SET (parseExtendedStringArgumentsOrReply in
// t_string.c), with redis84 also IFEQ and IFNE. As in Redis, one unit may be given
// twice and the last counts.
func (o *setOptions) parse(args []Arg, redis84 bool) bool {
	for i := 0; i < len(args); i++ {
		switch word := optionWord(&args[i]); word {
		case "NX":
			o.nx = true
		case "XX":
			o.xx = true
		case "GET":
			o.get = true
		case "KEEPTTL":
			if o.unit != "" {
				return false
			}
			o.keep = true
		case "EX", "PX", "EXAT", "PXAT":
			unit := expireUnit(word)
			if i++; o.keep || o.unit != "" && o.unit != unit || i == len(args) {
				return false
			}
			o.unit, o.expiry = unit, &args[i]
		default:
			if i++; !redis84 || !isComparison(word) || o.want != nil || i == len(args) {
				return false
			}
			o.want, o.differs = &args[i], word == "IFNE"
		}
	}
	return !(o.nx && o.xx) && (o.want == nil || !o.nx && !o.xx)
}

// hold reports whether the conditions let the value be set.
func (o *setOptions) hold(e *entry) (bool, error) {
	if o.want != nil {
		return e.compare(*o.want, o.differs)
	}
	return !(o.nx && e != nil) && !(o.xx && e == nil), nil
}

// expireAt returns the absolute expiry that a command of the SET family gives
// (getExpireMillisecondsOrReply in t_string.c).
func (s *Store) expireAt(c *command, unit expireUnit, a *Arg) (atMS int64, refused error) {
	if unit == "" {
		return noExpiry, nil
	}
	at, ok := parseInt(*a)
	if !ok {
		return 0, errNotInteger
	}
	if atMS, ok = unit.absolute(at, s.nowMS); !ok || at <= 0 {
		return 0, badExpire(c)
	}
	return atMS, nil
}

// set is SET (setGenericCommand in t_string.c). In 7.0 an expiry in the past is
// no special case: the key is set and expires on the next access.
func (s *Store) set(c *command, args []Arg) Reply {
	var o setOptions
	if !o.parse(args[2:], s.Extensions&Redis84 != 0) {
		return Failed(errSyntax)
	}
	atMS, refused := s.expireAt(c, o.unit, o.expiry)
	if refused != nil {
		return Failed(refused)
	}
	key := args[0].String()
	e := s.lookup(key)
	reply := OK()
	if o.get {
		if reply = e.bulk(); reply.Err != nil {
			return reply
		}
	}
	holds, err := o.hold(e)
	switch {
	case err != nil:
		return Failed(err)
	case holds:
	case o.get:
		return reply
	default:
		return Reply{}
	}
	if o.keep && e != nil {
		atMS = e.expireMS
	}
	s.put(e, key, args[1], atMS)
	return reply
}

// put sets a key to a string with an expiry. Overwriting the entry of another
// client removes that entry: it no longer protects its owner.
func (s *Store) put(e *entry, key string, v Arg, atMS int64) {
	if e != nil && e.owner == s.by {
		e.becomeString()
		e.expireMS = atMS
		s.note(history.Extended, e, s.by)
	} else {
		if e != nil {
			s.note(history.Removed, e, s.by)
			s.remove(e)
		}
		e = s.create(key, kindString, atMS)
	}
	e.str = v
	s.emit(EffectSet, e).Value = v
}

// becomeString makes an entry of another type a string.
func (e *entry) becomeString() {
	if e.kind != kindString {
		clear(e.fields)
		e.fields, e.kind = e.fields[:0], kindString
	}
}

// setNX is SETNX.
func (s *Store) setNX(_ *command, args []Arg) Reply {
	key := args[0].String()
	if s.lookup(key) != nil {
		return Int(0)
	}
	s.put(nil, key, args[1], noExpiry)
	return Int(1)
}

// setEX is SETEX and PSETEX: key, time to live, value.
func setEX(unit expireUnit) running {
	return func(s *Store, c *command, args []Arg) Reply {
		atMS, refused := s.expireAt(c, unit, &args[1])
		if refused != nil {
			return Failed(refused)
		}
		key := args[0].String()
		s.put(s.lookup(key), key, args[2], atMS)
		return OK()
	}
}

// bulk is the entry's string as a reply; nil for no entry.
func (e *entry) bulk() Reply {
	if e == nil {
		return Reply{}
	}
	if e.kind != kindString {
		return Failed(errWrongType)
	}
	return Bulk(digits(&e.str))
}

// digits returns the text of a value. That of a number is formatted once and kept.
func digits(v *Arg) string {
	if v.IsNum && v.Text == "" {
		v.Text = strconv.FormatInt(v.Num, 10)
	}
	return v.Text
}

// get is GET.
func (s *Store) get(e *entry, _ []Arg) Reply { return e.bulk() }

// getSet is GETSET.
func (s *Store) getSet(_ *command, args []Arg) Reply {
	key := args[0].String()
	e := s.lookup(key)
	reply := e.bulk()
	if reply.Err == nil {
		s.put(e, key, args[1], noExpiry)
	}
	return reply
}

// getDel is GETDEL.
func (s *Store) getDel(e *entry, _ []Arg) Reply {
	reply := e.bulk()
	s.delete(e)
	return reply
}

// getRange is GETRANGE key start end: a part of a string, both ends included,
// negative numbers counted from its end.
func (s *Store) getRange(e *entry, args []Arg) Reply {
	first, _ := parseInt(args[1])
	last, _ := parseInt(args[2])
	text := digits(&e.str)
	size := int64(len(text))
	if last < 0 && (first >= 0 || first <= last) {
		last = max(last+size, 0) - size // unlike LRANGE: at least the first byte
	}
	from, to := span(first, last, len(text))
	return Bulk(text[from:to])
}

// strLen is STRLEN.
func (s *Store) strLen(e *entry, _ []Arg) Reply {
	return Int(int64(len(digits(&e.str))))
}

// mget is MGET; a key of another type counts as missing.
func (s *Store) mget(_ *command, args []Arg) Reply {
	values := make([]Reply, len(args))
	for i := range args {
		if e := s.lookup(args[i].String()); e != nil && e.kind == kindString {
			values[i] = e.bulk()
		}
	}
	return List(values)
}

// mset is MSET key value [key value ...].
func (s *Store) mset(_ *command, args []Arg) Reply {
	for i := 0; i < len(args); i += 2 {
		key := args[i].String()
		s.put(s.lookup(key), key, args[i+1], noExpiry)
	}
	return OK()
}

// msetNX is MSETNX, which sets all keys or none.
func (s *Store) msetNX(c *command, args []Arg) Reply {
	for i := 0; i < len(args); i += 2 {
		if s.lookup(args[i].String()) != nil {
			return Int(0)
		}
	}
	s.mset(c, args)
	return Int(1)
}

// increment is INCR and INCRBY, with -1 DECR and DECRBY.
func increment(sign int64) running {
	return func(s *Store, _ *command, args []Arg) Reply {
		by := int64(1)
		if len(args) == 2 {
			var ok bool
			if by, ok = parseInt(args[1]); !ok {
				return Failed(errNotInteger)
			}
		}
		if sign < 0 && by == math.MinInt64 {
			return Failed(errDecrOverflow)
		}
		return s.addTo(args[0].String(), sign*by)
	}
}

// addTo adds to the number at a key, and keeps the time to live.
func (s *Store) addTo(key string, by int64) Reply {
	e, refused := s.typed(kindString, key)
	if refused != nil {
		return Failed(refused)
	}
	var old int64
	if e != nil {
		var ok bool
		if old, ok = parseInt(e.str); !ok {
			return Failed(errNotInteger)
		}
	}
	if addOverflows(old, by) {
		return Failed(errOverflow)
	}
	kind := EffectValue
	if e == nil {
		e = s.create(key, kindString, noExpiry)
		kind = EffectSet
	}
	e.str = Arg{Num: old + by, IsNum: true}
	s.emit(kind, e).Value = e.str
	return Int(old + by)
}
