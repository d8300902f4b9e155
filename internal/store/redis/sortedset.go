package redis

import (
	"math"
	"slices"
	"strings"
)

// A sorted set is a slice of members in the order of their scores, members of
// equal score in the order of their bytes (t_zset.c). Scores are doubles in Redis;
// those of locks are milliseconds and counters, so the model keeps whole numbers
// that a double holds exactly, and stops at any other.

// largestScore is the last whole number up to which a double holds all of them.
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

// parseDouble reads a double that fills a text without blanks.
func parseDouble(text string) (f float64, ok bool) {
	if text == "" || strings.TrimSpace(text) != text {
		return 0, false
	}
	f, ok = parseLuaNumber(text, 10)
	return f, ok && !math.IsNaN(f)
}

// checkScore stops at a score that a double might not hold.
func checkScore(n int64) int64 {
	if n < -largestScore || n > largestScore {
		unmodelled("scores beyond 2^53")
	}
	return n
}

// setScore sets the score of a member, old or new, and puts it in its place.
func (e *entry) setScore(member string, score int64) {
	e.delField(member)
	at := 0
	for at < len(e.fields) && before(&e.fields[at], member, score) {
		at++
	}
	e.fields = slices.Insert(e.fields, at, field{member, Arg{Num: score, IsNum: true}})
}

// before reports whether a member of the set comes before another one.
func before(f *field, member string, score int64) bool {
	if f.value.Num != score {
		return f.value.Num < score
	}
	return f.name < member
}

// putScore sets one score and tells the replicas.
func (s *Store) putScore(e *entry, member string, score int64) {
	e.setScore(member, score)
	effect := s.emit(EffectScore, e)
	effect.Field, effect.Value = member, Arg{Num: score, IsNum: true}
}

// zaddOptions are the options of ZADD.
type zaddOptions struct {
	nx, xx, gt, lt, changed, incr bool
}

// parse reads the options in front of the scores and returns how many there are.
func (o *zaddOptions) parse(args []Arg) (n int) {
	for ; n < len(args); n++ {
		switch optionWord(&args[n]) {
		case "NX":
			o.nx = true
		case "XX":
			o.xx = true
		case "GT":
			o.gt = true
		case "LT":
			o.lt = true
		case "CH":
			o.changed = true
		case "INCR":
			o.incr = true
		default:
			return n
		}
	}
	return n
}

// refuse returns what is wrong with options for so many arguments behind them.
func (o *zaddOptions) refuse(rest int) error {
	switch {
	case rest == 0 || rest%2 != 0:
		return errSyntax
	case o.nx && o.xx:
		return ServerError("ERR XX and NX options at the same time are not compatible")
	case o.gt && o.nx, o.lt && o.nx, o.gt && o.lt:
		return ServerError("ERR GT, LT, and/or NX options at the same time are not compatible")
	case o.incr && rest > 2:
		return ServerError("ERR INCR option supports a single increment-element pair")
	}
	return nil
}

// zadd is ZADD key [options] score member [score member ...] (zaddGenericCommand).
func (s *Store) zadd(_ *command, args []Arg) Reply {
	var o zaddOptions
	rest := args[1+o.parse(args[1:]):]
	if err := o.refuse(len(rest)); err != nil {
		return Failed(err)
	}
	return s.zaddPairs(o, args[0].String(), rest)
}

// zincrby is ZINCRBY key increment member.
func (s *Store) zincrby(_ *command, args []Arg) Reply {
	return s.zaddPairs(zaddOptions{incr: true}, args[0].String(), args[1:])
}

// zaddPairs adds scores and members in turn. All scores are read before the first
// is written.
func (s *Store) zaddPairs(o zaddOptions, key string, pairs []Arg) Reply {
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
	for i := 0; i < len(pairs) && (e != nil || !o.xx); i += 2 {
		if e == nil {
			e = s.create(key, kindSortedSet, noExpiry)
		}
		score, _ := parseScore(pairs[i])
		member := pairs[i+1].String()
		at := e.fieldIndex(member)
		if at < 0 {
			if o.xx {
				continue
			}
			added++
		} else {
			old := e.fields[at].value.Num
			if o.incr {
				score = checkScore(score + old)
			}
			if o.nx || (o.gt && score <= old) || (o.lt && score >= old) {
				continue
			}
			if score != old {
				updated++
			}
		}
		if at < 0 || score != e.fields[at].value.Num {
			s.putScore(e, member, score)
		}
		reply = scoreReply(score)
	}
	switch {
	case o.incr:
		return reply
	case o.changed:
		added += updated
	}
	return Int(added)
}

// scoreReply is a score as RESP2 carries it.
func scoreReply(score int64) Reply {
	v := Arg{Num: score, IsNum: true}
	return Bulk(digits(&v))
}

// zrem is ZREM key member [member ...]. A set without members does not exist.
func (s *Store) zrem(e *entry, args []Arg) Reply {
	var n int64
	for i := 1; i < len(args); i++ {
		if e.fieldIndex(args[i].String()) < 0 {
			continue
		}
		n++
		if s.unscore(e, args[i].String()) {
			break
		}
	}
	return Int(n)
}

// unscore removes a member, tells the replicas, and reports whether it was the last.
func (s *Store) unscore(e *entry, member string) (last bool) {
	e.delField(member)
	if len(e.fields) == 0 {
		s.delete(e)
		return true
	}
	s.emit(EffectUnscore, e).Field = member
	return false
}

// zrank is ZRANK key member.
func (s *Store) zrank(e *entry, args []Arg) Reply {
	at := e.fieldIndex(args[1].String())
	if at < 0 {
		return Reply{}
	}
	return Int(int64(at))
}
