package logcheck

import "lockstep/internal/say"

// Words tell a violation in one sentence, with the lines that show it.
func (v *Violation) Words() say.Phrase {
	if v.Sort == StaleWrite {
		w := &v.Write
		write := say.LogWrites.With(say.Verbatim(w.Client), say.Number(w.Line), token(w.Token))
		newer := say.LogHasHad.With(say.Verbatim(v.Newer.Client), say.Number(v.Newer.Line), token(v.Newer.Token))
		if v.Certain {
			return say.LogStaleWrite.With(write, newer)
		}
		return say.LogMaybeStale.With(write, newer)
	}
	y := v.Holds[0]
	who, line := say.Verbatim(y.Client), say.Number(y.Line)
	if v.Certain {
		var found say.Clauses
		for _, x := range v.Holds[1:] {
			found = append(found, say.LogHolds.With(say.Verbatim(x.Client), say.Number(x.Line), say.Number(x.HeardLine)))
		}
		from, to := v.Span()
		return say.LogOverlap.With(who, line, found, say.OptionalSpan(to-from))
	}
	x := v.Holds[1]
	if x.Ending == ByLine {
		return say.LogMaybeOverlap.With(who, line, say.Verbatim(x.Client), say.Number(x.ToLine))
	}
	return say.LogMaybeHolds.With(who, line, say.Verbatim(x.Client), say.Number(x.HeardLine), say.Optional(v.Further))
}

// token is one that is said when there is one.
func token(n int64) say.Verbatim {
	if n == NoToken {
		return ""
	}
	return say.Verbatim(say.Number(n).In(say.English))
}

// Words are the verdict of the whole log in one sentence.
func (r *Result) Words() say.Phrase {
	switch r.Verdict() {
	case Certain:
		return say.LogIsCertain.With(say.Number(r.Overlaps.Certain), say.Number(r.StaleWrites.Certain))
	case Possible:
		return say.LogIsPossible.With(say.Number(r.Overlaps.Possible), say.Number(r.StaleWrites.Possible))
	case Unknown:
		return say.LogIsUnknown.With(say.Remarks(r.Doubts))
	}
	return say.LogIsClean.With(say.Number(r.Locks), say.Number(r.Contended))
}
