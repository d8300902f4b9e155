package redis

import (
	"math"
	"sort"

	"lockstep/internal/history"
)

// NextExpiry returns the first instant, in milliseconds of the server's wall
// clock, at which ExpireDue would drop something; false when it never would. A
// replica never drops anything by itself.
func (s *Store) NextExpiry() (atMS int64, ok bool) {
	if s.replica {
		return 0, false
	}
	if s.nextStale {
		s.nextMS = noExpiry
		for _, e := range s.live {
			if e.expireMS != noExpiry && (s.nextMS == noExpiry || e.expireMS < s.nextMS) {
				s.nextMS = e.expireMS
			}
		}
		s.nextStale = false
	}
	if s.nextMS == noExpiry || s.nextMS == math.MaxInt64 {
		return 0, false
	}
	return s.nextMS + 1, true
}

// ExpireDue is active expiry: a primary drops all keys whose time is up, in the
// order of their expiries (activeExpireCycle in expire.c samples keys at random;
// a simulation must not).
func (s *Store) ExpireDue(nowMS int64) {
	s.begin(nowMS, 0)
	if next, ok := s.NextExpiry(); !ok || nowMS < next {
		return
	}
	s.dying = s.dying[:0]
	for _, e := range s.live {
		if e.expired(nowMS) {
			s.dying = append(s.dying, e)
		}
	}
	if len(s.dying) > 1 {
		sort.Slice(s.dying, func(i, j int) bool {
			a, b := s.dying[i], s.dying[j]
			if a.expireMS != b.expireMS {
				return a.expireMS < b.expireMS
			}
			return a.born < b.born
		})
	}
	for i, e := range s.dying {
		s.expire(e)
		s.dying[i] = nil
	}
}

// expireWhen are the conditions of EXPIRE and its relatives.
type expireWhen uint8

const (
	expireNX expireWhen = 1 << iota // only without an expiry
	expireXX                        // only with an expiry
	expireGT                        // only to a later one; no expiry counts as infinite
	expireLT                        // only to an earlier one
)

var expireWhens = map[string]expireWhen{"NX": expireNX, "XX": expireXX, "GT": expireGT, "LT": expireLT}

// parseExpireWhen reads the options of EXPIRE (parseExtendedExpireArgumentsOrReply
// in expire.c).
func parseExpireWhen(args []Arg) (when expireWhen, err error) {
	for _, a := range args {
		bit, known := expireWhens[optionWord(&a)]
		if !known {
			return 0, ServerError("ERR Unsupported option " + a.String())
		}
		when |= bit
	}
	if when&expireNX != 0 && when != expireNX {
		return 0, errExpireNX
	}
	if when&expireGT != 0 && when&expireLT != 0 {
		return 0, errExpireGTLT
	}
	return when, nil
}

// allows reports whether the conditions let the expiry change.
func (when expireWhen) allows(currentMS, atMS int64) bool {
	has := currentMS != noExpiry
	switch {
	case when&expireNX != 0 && has,
		when&expireXX != 0 && !has,
		when&expireGT != 0 && (!has || atMS <= currentMS),
		when&expireLT != 0 && has && atMS >= currentMS:
		return false
	}
	return true
}

// expire is EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT.
func expire(unit expireUnit) running {
	return func(s *Store, c *command, args []Arg) Reply { return s.expireKey(c, unit, args) }
}

// expireKey is expireGenericCommand of expire.c.
func (s *Store) expireKey(c *command, unit expireUnit, args []Arg) Reply {
	when, err := parseExpireWhen(args[2:])
	if err != nil {
		return Failed(err)
	}
	at, ok := parseInt(args[1])
	if !ok {
		return Failed(errNotInteger)
	}
	if unit == unitEX || unit == unitEXAT {
		if at > math.MaxInt64/1000 || at < math.MinInt64/1000 {
			return Failed(badExpire(c))
		}
		at *= 1000
	}
	if unit == unitEX || unit == unitPX {
		if at > math.MaxInt64-s.nowMS {
			return Failed(badExpire(c))
		}
		at += s.nowMS
	}
	e := s.lookup(args[0].String())
	if e == nil || !when.allows(e.expireMS, at) {
		return Int(0)
	}
	if at <= s.nowMS { // checkAlreadyExpired: unlike access, the very millisecond is too late
		s.delete(e)
		return Int(1)
	}
	s.setExpiry(e, at)
	s.note(history.Extended, e, s.by)
	s.emit(EffectExpireAt, e)
	return Int(1)
}

// persist is PERSIST.
func (s *Store) persist(_ *command, args []Arg) Reply {
	e := s.lookup(args[0].String())
	if e == nil || e.expireMS == noExpiry {
		return Int(0)
	}
	s.setExpiry(e, noExpiry)
	s.note(history.Extended, e, s.by)
	s.emit(EffectExpireAt, e)
	return Int(1)
}

// timeToLive is TTL and PTTL: -2 without a key, -1 without an expiry, else the time left, in
// seconds rounded to the nearest one; with an absolute unit EXPIRETIME and PEXPIRETIME, which
// answer the instant itself.
func timeToLive(unit expireUnit) running {
	return func(s *Store, _ *command, args []Arg) Reply {
		e := s.lookup(args[0].String())
		switch {
		case e == nil:
			return Int(-2)
		case e.expireMS == noExpiry:
			return Int(-1)
		}
		ms := e.expireMS
		if unit == unitEX || unit == unitPX {
			ms = e.ttl(s.nowMS)
		}
		if unit == unitEX || unit == unitEXAT {
			return Int(int64((uint64(ms) + 500) / 1000))
		}
		return Int(ms)
	}
}
