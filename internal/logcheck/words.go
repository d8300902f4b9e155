package logcheck

import "lockstep/internal/say"

// Words tell a violation in one sentence, with the lines that show it.
func (v *Violation) Words() say.Phrase {
	at := v.files.at
	if v.Sort == StaleWrite {
		w := &v.Write
		write := say.LogWrites.With(say.Verbatim(w.Client), at(w.Line), token(w.Token))
		newer := say.LogHasHad.With(say.Verbatim(v.Newer.Client), at(v.Newer.Line), token(v.Newer.Token))
		if v.Certain {
			return say.LogStaleWrite.With(write, newer)
		}
		return say.LogMaybeStale.With(write, newer)
	}
	y := v.Holds[0]
	if v.Certain {
		var found say.Clauses
		for _, x := range v.Holds[1:] {
			found = append(found, say.LogHolds.With(v.who(x), at(x.Line), at(x.HeardLine)))
		}
		from, to := v.Span()
		return say.LogOverlap.With(v.who(y), at(y.Line), found, say.OptionalSpan(to-from))
	}
	x := v.Holds[1]
	if v.silent() {
		return say.LogMaybeHolds.With(v.who(y), at(y.Line), v.who(x), at(x.HeardLine), say.Optional(v.Further))
	}
	if v.inside { // what is in doubt is whether it had ended when the other one began
		x, y = y, x
	}
	if by := x.Heard - y.From; by > 0 {
		return say.LogMaybeBefore.With(v.who(y), at(y.Line), say.Span(by), v.who(x), at(x.HeardLine))
	}
	return say.LogMaybeAfter.With(v.who(y), at(y.Line), v.who(x), at(x.HeardLine), say.OptionalSpan(y.From-x.Heard))
}

// TogetherWords say for how long the clients held together, at least and at most; empty of a write.
func (v *Violation) TogetherWords() say.Phrase {
	if v.Sort != Overlap {
		return say.Phrase{}
	}
	least, most := v.Together()
	if most >= Endless {
		most = 0
	}
	switch {
	case least <= 0 && v.Certain: // no more is heard of one that had just acquired it
		return say.LogTogetherMoment.With(say.OptionalSpan(most))
	case least <= 0:
		return say.LogTogetherAny.With(say.OptionalSpan(most))
	}
	return say.LogTogether.With(say.Span(least), say.OptionalSpan(most))
}

// who names a holder: with its token where the other one has the same name.
func (v *Violation) who(h *Hold) say.Phrase {
	for _, other := range v.Holds {
		if other != h && other.Client == h.Client {
			return say.LogHolder.With(say.Verbatim(h.Client), token(h.Token))
		}
	}
	return say.LogHolder.With(say.Verbatim(h.Client), "")
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
	var writes say.Phrase
	if r.Writes > 0 {
		writes = r.StaleWrites.Words(r.StaleWrite())
	}
	switch r.Verdict() {
	case Unknown:
		return say.LogIsUnknown.With(say.Remarks(r.Doubts))
	case None:
		return say.LogIsClean.With(say.Number(r.Locks), say.Number(r.Contended), writes)
	}
	return say.LogIs.With(r.Overlaps.Words(r.Overlap()), writes)
}

// Words are a verdict with how often.
func (c *Count) Words(v Verdict) say.Phrase {
	word := say.Text(string(v))
	switch v {
	case Certain:
		return say.LogTimes.With(word, say.Number(c.Certain))
	case Possible:
		return say.LogTimes.With(word, say.Number(c.Possible))
	}
	return word
}
