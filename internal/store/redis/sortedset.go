package redis

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A sorted set is a slice of members in the order of their scores, members of
// equal score in the order of their bytes (t_zset.c). Scores are doubles in Redis;
// those of locks are milliseconds and counters, so the model keeps whole numbers
// that a double holds exactly, and ends the run at any other.

// largestScore is the largest whole number up to which a double holds every one.
const largestScore = 1 << 53

// parseScore reads a score as getDoubleFromObject does. Minus zero becomes zero:
// Redis would show it as -0.
func parseScore(a Arg) (score int64, ok bool) {
	n, ok := parseInt(a)
	if !ok {
		f, valid := parseDouble(a.Text)
		if !valid {
			return 0, false
		}
		if f < -largestScore || f > largestScore || f != math.Trunc(f) {
			unmodelled("the score " + a.Text + ", only whole ones up to 2^53")
		}
		n = int64(f)
	}
	return checkScore(n), true
}

// parseDouble reads a text that is a double and nothing else.
func parseDouble(text string) (f float64, ok bool) {
	if text == "" || strings.TrimSpace(text) != text {
		return 0, false
	}
	f, ok = parseLuaNumber(text, 10)
	return f, ok && !math.IsNaN(f)
}

// checkScore ends the run at a score that a double might not hold.
func checkScore(n int64) int64 {
	if n < -largestScore || n > largestScore {
		unmodelled("scores beyond 2^53")
	}
	return n
}

// setScore sets the score of a member, old or new, and moves it to its place.
func (e *entry) setScore(member string, score int64) {
	e.delField(member)
	f := field{name: member, value: Arg{Num: score, IsNum: true}}
	at, _ := slices.BinarySearchFunc(e.fields, f, func(a, b field) int {
		return cmp.Or(cmp.Compare(a.value.Num, b.value.Num), cmp.Compare(a.name, b.name))
	})
	e.fields = slices.Insert(e.fields, at, f)
}

// putScore sets one score and tells the replicas.
func (s *Store) putScore(e *entry, member string, score int64) {
	e.setScore(member, score)
	effect := s.emit(EffectScore, e)
	effect.Field, effect.Value = member, Arg{Num: score, IsNum: true}
}

// zadd is ZADD key [options] score member [score member ...] (zaddGenericCommand).
func (s *Store) zadd(_ *command, args []Arg) Reply {
	var o options
	pairs := args[1:]
	for ; len(pairs) > 0 && optionBits[optionWord(&pairs[0])] != 0; pairs = pairs[1:] {
		o |= optionBits[optionWord(&pairs[0])]
	}
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		return Failed(errSyntax)
	case o.has(optNX) && o.has(optXX):
		return Failed(ServerError("ERR XX and NX options at the same time are not compatible"))
	case o.has(optNX) && o.has(optGT|optLT), o.has(optGT) && o.has(optLT):
		return Failed(ServerError("ERR GT, LT, and/or NX options at the same time are not compatible"))
	case o.has(optINCR) && len(pairs) > 2:
		return Failed(ServerError("ERR INCR option supports a single increment-element pair"))
	}
	return s.zaddPairs(o, args[0].String(), pairs)
}

// zincrby is ZINCRBY key increment member.
func (s *Store) zincrby(_ *command, args []Arg) Reply {
	return s.zaddPairs(optINCR, args[0].String(), args[1:])
}

// allowScore reports whether the conditions let a score change.
func (o options) allowScore(old, score int64) bool {
	return !o.has(optNX) && !(o.has(optGT) && score <= old) && !(o.has(optLT) && score >= old)
}

// zaddPairs adds alternating scores and members. All scores are read before the first
// is written.
func (s *Store) zaddPairs(o options, key string, pairs []Arg) Reply {
	for i := 0; i < len(pairs); i += 2 {
		if _, ok := parseScore(pairs[i]); !ok {
			return Failed(errNotFloat)
		}
	}
	e, refused := s.typed(kindSortedSet, key)
	if refused != nil {
		return Failed(refused)
	}
	var added, updated int64
	reply := Reply{} // of INCR whose condition does not hold
	for i := 0; i < len(pairs) && (e != nil || !o.has(optXX)); i += 2 {
		if e == nil {
			e = s.create(key, kindSortedSet, noExpiry)
		}
		score, _ := parseScore(pairs[i])
		member := pairs[i+1].String()
		at := e.fieldIndex(member)
		if at < 0 {
			if o.has(optXX) {
				continue
			}
			added++
			s.putScore(e, member, score)
		} else {
			old := e.fields[at].value.Num
			if o.has(optINCR) {
				score = checkScore(score + old)
			}
			if !o.allowScore(old, score) {
				continue
			}
			if score != old {
				updated++
				s.putScore(e, member, score)
			}
		}
		reply = scoreReply(score)
	}
	switch {
	case o.has(optINCR):
		return reply
	case o.has(optCH):
		added += updated
	}
	return Int(added)
}

// scoreReply is a score as RESP2 carries it.
func scoreReply(score int64) Reply {
	v := Arg{Num: score, IsNum: true}
	return Bulk(digits(&v))
}

// zrem is ZREM key member [member ...].
func (s *Store) zrem(e *entry, args []Arg) Reply {
	return s.removeFields(e, args[1:], EffectUnscore)
}

// zrank is ZRANK key member.
func (s *Store) zrank(e *entry, args []Arg) Reply {
	at := e.fieldIndex(args[1].String())
	if at < 0 {
		return Reply{}
	}
	return Int(int64(at))
}
