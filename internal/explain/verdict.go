package explain

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Verdict says in one sentence what a lock did in a run. t is not used if the judgement has no
// history.
func Verdict(t *timeline.Timeline, j *checker.Judgement) say.Phrase {
	if j.History == nil {
		return say.Text("There is no history to judge.")
	}
	var damages say.Clauses
	unknown := nothing
	for _, f := range inOrder(j.Findings) {
		switch {
		case f.Verdict == checker.Broken:
			damages = append(damages, damage(t, j, &f))
		case f.Verdict == checker.Unknown && unknown.Empty():
			unknown = say.IsUnknown.With(say.Property(f.Property), f.Reason)
		}
	}
	lock, refused := say.Verbatim(j.History.Header.Lock), say.Optional(t.Count(history.WriteRefused))
	switch {
	case len(damages) > 0:
		harm := nothing
		if i := j.Impact(); i != checker.ImpactUnknown {
			harm = i.Word()
		}
		return say.DidDamage.With(lock, damages, refused, harm)
	case !unknown.Empty():
		return say.BrokeNothing.With(lock, unknown)
	case len(j.Findings) == 0:
		return say.NotJudged.With(lock)
	}
	return say.Kept.With(lock, say.Number(j.Acquired), refused)
}

// Broke says in one sentence how often a lock broke a property.
func Broke(t *timeline.Timeline, j *checker.Judgement, f *checker.Finding) say.Phrase {
	return say.DidDamage.With(say.Verbatim(j.History.Header.Lock), say.Clauses{damage(t, j, f)}, 0, nothing)
}

// damage says what a broken property caused.
func damage(t *timeline.Timeline, j *checker.Judgement, f *checker.Finding) say.Phrase {
	n := max(f.Count, len(f.Violations))
	switch f.Property {
	case checker.MutualExclusionID:
		overlap := j.Overlap
		if overlap == 0 {
			for _, v := range f.Violations {
				overlap += v.To.Sub(v.From)
			}
		}
		who := say.Few(max(t.MostInside(), 2))
		if n > 1 {
			return say.LetInTimes.With(who > 2, who, say.Number(n), say.Span(overlap))
		}
		return say.LetIn.With(who, say.Span(overlap))
	case checker.OwnerOnlyReleaseID:
		return say.ReleasedForeign.With(say.Times(n))
	case checker.NoStaleWriteID:
		return say.AcceptedStaleWrites.With(say.Number(n))
	case checker.NoLostUpdateID:
		return say.LostUpdates.With(say.Number(n))
	case checker.ProgressID:
		return say.Text("left the lock stuck")
	}
	return say.Broke.With(say.Property(f.Property), say.Times(n))
}

// inOrder lists findings in the order of reports.
func inOrder(findings []checker.Finding) []checker.Finding {
	return slices.SortedStableFunc(slices.Values(findings), func(a, b checker.Finding) int { return rank(a.Property) - rank(b.Property) })
}
