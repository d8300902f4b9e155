package redis

import (
	"math"
	"strings"
)

// The commands that read or remove a range of a sorted set.

// scoreRange is a range of scores, both ends included.
type scoreRange struct{ min, max int64 }

// parseScoreRange reads two ends: a score, "(" and a score for an end that is
// not included, or an infinity (zslParseRange).
func parseScoreRange(low, high Arg) (r scoreRange, ok bool) {
	if r.min, ok = parseScoreEnd(low, 1); !ok {
		return r, false
	}
	r.max, ok = parseScoreEnd(high, -1)
	return r, ok
}

// parseScoreEnd reads one end and returns the outermost whole number in the range;
// inward, 1 or -1, points from the end into it. As for strtod, an empty text is zero
// and leading blanks do not matter.
func parseScoreEnd(a Arg, inward int64) (end int64, ok bool) {
	if a.IsNum {
		return a.Num, true
	}
	text, open := strings.CutPrefix(a.Text, "(")
	f, ok := 0.0, true
	if text != "" {
		text = strings.TrimLeft(text, " \t\n\v\f\r")
		f, ok = parseDouble(text)
	}
	if !ok {
		return 0, false
	}
	whole := math.Floor(f)
	if inward > 0 {
		whole = math.Ceil(f)
	}
	switch {
	case whole > largestScore:
		return math.MaxInt64, true
	case whole < -largestScore:
		return math.MinInt64, true
	case open && whole == f:
		return int64(whole) + inward, true
	}
	return int64(whole), true
}

// holds reports whether a score is in the range.
func (r scoreRange) holds(score int64) bool { return r.min <= score && score <= r.max }

// rangeOptions are the options of ZRANGE and ZRANGEBYSCORE.
type rangeOptions struct {
	offset, limit                 int64 // a negative limit is none
	byScore, rev, scores, limited bool
	fixed                         bool // ZRANGEBYSCORE takes neither BYSCORE nor REV
}

// parse reads what follows the two ends (zrangeGenericCommand).
func (o *rangeOptions) parse(args []Arg) error {
	for i := 0; i < len(args); i++ {
		switch word := optionWord(&args[i]); {
		case word == "WITHSCORES":
			o.scores = true
		case word == "LIMIT" && i+2 < len(args):
			var ok, ok2 bool
			o.offset, ok = parseInt(args[i+1])
			if o.limit, ok2 = parseInt(args[i+2]); !ok || !ok2 {
				return errNotInteger
			}
			o.limited = o.limit != -1
			i += 2
		case word == "REV" && !o.fixed && !o.rev:
			o.rev = true
		case word == "BYSCORE" && !o.fixed && !o.byScore:
			o.byScore = true
		case word == "BYLEX" && !o.fixed && !o.byScore:
			unmodelled("ZRANGE BYLEX")
		default:
			return errSyntax
		}
	}
	if o.limited && !o.byScore {
		return ServerError(
			"ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	}
	return nil
}

// zrange is ZRANGE key first last [BYSCORE] [REV] [LIMIT offset count] [WITHSCORES].
func (s *Store) zrange(_ *command, args []Arg) Reply {
	return s.zrangeWith(rangeOptions{limit: -1}, args)
}

// zrangeByScore is ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count].
func (s *Store) zrangeByScore(_ *command, args []Arg) Reply {
	return s.zrangeWith(rangeOptions{limit: -1, byScore: true, fixed: true}, args)
}

// zrangeWith executes both, with the options that the command's name implies.
func (s *Store) zrangeWith(o rangeOptions, args []Arg) Reply {
	if err := o.parse(args[3:]); err != nil {
		return Failed(err)
	}
	low, high := args[1], args[2]
	if o.byScore && o.rev {
		low, high = high, low
	}
	var scores scoreRange
	var first, last int64
	if o.byScore {
		var ok bool
		if scores, ok = parseScoreRange(low, high); !ok {
			return Failed(errRangeFloat)
		}
	} else {
		var ok, ok2 bool
		first, ok = parseInt(low)
		if last, ok2 = parseInt(high); !ok || !ok2 {
			return Failed(errNotInteger)
		}
	}
	e, refused := s.typed(kindSortedSet, args[0].String())
	if refused != nil {
		return Failed(refused)
	}
	if e == nil {
		return List(nil)
	}
	var members []Reply
	from, to := span(first, last, len(e.fields))
	rank := int64(0) // among those in the range
	for i := range e.fields {
		f := &e.fields[i]
		if o.rev {
			f = &e.fields[len(e.fields)-1-i]
		}
		if o.byScore {
			if !scores.holds(f.value.Num) {
				continue
			}
			rank++
			if o.offset < 0 || rank <= o.offset || (o.limit >= 0 && rank-o.offset > o.limit) {
				continue
			}
		} else if i < from || i >= to {
			continue
		}
		members = append(members, Bulk(f.name))
		if o.scores {
			members = append(members, Bulk(digits(&f.value)))
		}
	}
	return List(members)
}

// scored returns the members of a set with a score from args[1] to args[2].
func (s *Store) scored(args []Arg) (e *entry, members []Arg, refused error) {
	scores, ok := parseScoreRange(args[1], args[2])
	if !ok {
		return nil, nil, errRangeFloat
	}
	e, refused = s.typed(kindSortedSet, args[0].String())
	if e == nil {
		return nil, nil, refused
	}
	for i := range e.fields {
		if scores.holds(e.fields[i].value.Num) {
			members = append(members, Arg{Text: e.fields[i].name})
		}
	}
	return e, members, nil
}

// zcount is ZCOUNT key min max.
func (s *Store) zcount(_ *command, args []Arg) Reply {
	_, members, refused := s.scored(args)
	if refused != nil {
		return Failed(refused)
	}
	return Int(int64(len(members)))
}

// zremRangeByScore is ZREMRANGEBYSCORE key min max.
func (s *Store) zremRangeByScore(_ *command, args []Arg) Reply {
	e, members, refused := s.scored(args)
	if refused != nil {
		return Failed(refused)
	}
	return s.removeFields(e, members, EffectUnscore)
}
