package redis

import (
	"cmp"
	"math"
	"slices"

	"lockstep/internal/history"
)

// NextExpiry returns the first instant, in milliseconds of the server's wall
// clock, at which ExpireDue would drop something; false when it never would. A
// replica never drops anything by itself.
func (s *Store) NextExpiry() (atMS int64, ok bool) {
	first := int64(math.MaxInt64)
	for _, e := range s.live {
		if e.expireMS != noExpiry {
			first = min(first, e.expireMS)
		}
	}
	if s.replica || first == math.MaxInt64 {
		return 0, false
	}
	return first + 1, true
}

// ExpireDue is active expiry: a primary drops all keys past their time, in the
// order of their expiries (activeExpireCycle in expire.c samples keys at random;
// a simulation must not).
func (s *Store) ExpireDue(nowMS int64) {
	s.begin(nowMS, 0)
	if next, ok := s.NextExpiry(); !ok || nowMS < next {
		return
	}
	for _, e := range s.live {
		if e.expired(nowMS) {
			s.dying = append(s.dying, e)
		}
	}
	slices.SortFunc(s.dying, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.expireMS, b.expireMS), cmp.Compare(a.born, b.born))
	})
	for _, e := range s.dying {
		s.expire(e)
	}
	clear(s.dying)
	s.dying = s.dying[:0]
}

// expireUnit is how a command gives an expiry, by the name of SET's option for it;
// "" for no expiry.
type expireUnit string

const (
	unitEX   expireUnit = "EX"   // seconds from now
	unitPX   expireUnit = "PX"   // milliseconds from now
	unitEXAT expireUnit = "EXAT" // seconds since 1970
	unitPXAT expireUnit = "PXAT" // milliseconds since 1970
)

func (u expireUnit) seconds() bool  { return u == unitEX || u == unitEXAT }
func (u expireUnit) relative() bool { return u == unitEX || u == unitPX }

// absolute converts a time in this unit to milliseconds since 1970; false when that overflows.
func (u expireUnit) absolute(at, nowMS int64) (atMS int64, ok bool) {
	if u.seconds() {
		if at > math.MaxInt64/1000 || at < math.MinInt64/1000 {
			return 0, false
		}
		at *= 1000
	}
	if u.relative() {
		if at > math.MaxInt64-nowMS {
			return 0, false
		}
		at += nowMS
	}
	return at, true
}

// parseExpireOptions reads the options of EXPIRE (parseExtendedExpireArgumentsOrReply
// in expire.c).
func parseExpireOptions(args []Arg) (when options, err error) {
	for _, a := range args {
		bit := optionBits[optionWord(&a)]
		if bit == 0 || bit > optLT {
			return 0, ServerError("ERR Unsupported option " + a.String())
		}
		when |= bit
	}
	switch {
	case when.has(optNX) && when != optNX:
		return 0, errExpireNX
	case when.has(optGT) && when.has(optLT):
		return 0, errExpireGTLT
	}
	return when, nil
}

// allowExpiry reports whether the conditions let an expiry change; having none counts as
// infinite.
func (o options) allowExpiry(currentMS, atMS int64) bool {
	has := currentMS != noExpiry
	switch {
	case o.has(optNX) && has,
		o.has(optXX) && !has,
		o.has(optGT) && (!has || atMS <= currentMS),
		o.has(optLT) && has && atMS >= currentMS:
		return false
	}
	return true
}

// expire is EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT (expireGenericCommand in expire.c).
func expire(unit expireUnit) running {
	return func(s *Store, c *command, args []Arg) Reply {
		when, err := parseExpireOptions(args[2:])
		if err != nil {
			return Failed(err)
		}
		at, ok := parseInt(args[1])
		if !ok {
			return Failed(errNotInteger)
		}
		if at, ok = unit.absolute(at, s.nowMS); !ok {
			return Failed(badExpire(c))
		}
		e := s.lookup(args[0].String())
		switch {
		case e == nil || !when.allowExpiry(e.expireMS, at):
			return Int(0)
		case at <= s.nowMS: // checkAlreadyExpired: unlike on access, the very millisecond is too late
			s.delete(e)
			return Int(1)
		}
		return s.changeExpiry(e, at)
	}
}

// changeExpiry gives an entry another expiry, noExpiry for none, and tells the replicas.
func (s *Store) changeExpiry(e *entry, atMS int64) Reply {
	e.expireMS = atMS
	s.note(history.Extended, e, s.by)
	s.emit(EffectExpireAt, e)
	return Int(1)
}

// persist is PERSIST.
func (s *Store) persist(e *entry, _ []Arg) Reply {
	if e.expireMS == noExpiry {
		return Int(0)
	}
	return s.changeExpiry(e, noExpiry)
}

// timeToLive is TTL and PTTL: -1 without an expiry, else the time left, rounded to the
// nearest second for TTL; with an absolute unit it is EXPIRETIME and PEXPIRETIME, which
// answer the instant itself.
func timeToLive(unit expireUnit) acting {
	return func(s *Store, e *entry, _ []Arg) Reply {
		ms := e.expireMS
		switch {
		case ms == noExpiry:
			return Int(-1)
		case unit.relative():
			ms = e.ttl(s.nowMS)
		}
		if unit.seconds() {
			ms = int64((uint64(ms) + 500) / 1000)
		}
		return Int(ms)
	}
}
