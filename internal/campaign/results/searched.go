package results

import (
	"cmp"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// How schedules of several faults were searched: all of them, some, or none.
const (
	Complete    = "complete"
	Sampled     = "sampled"
	NotSearched = "not searched"
)

// Verdicts on a lock and some kinds of faults. It survives only what was searched: if some pairs
// were only sampled in plain or in just-within, and none of them breaks it, none was found.
const (
	Survived  = "survives"
	NoneFound = "none found"
	Unknown   = "unknown"
	Broken    = "breaks"
)

// Verdicts are all of them, best first.
var Verdicts = []string{Survived, NoneFound, NotSearched, Unknown, Broken}

// Verdict is the verdict on a lock that breaks or does not, with so many schedules of unknown
// effect; searched is ExploredLock.Survives.
func Verdict(breaks bool, unknown int64, searched string) string {
	switch {
	case breaks:
		return Broken
	case unknown > 0:
		return Unknown
	}
	return map[string]string{Complete: Survived, Sampled: NoneFound, NotSearched: NotSearched}[searched]
}

// Searched is how schedules of several faults were searched in one usage profile.
type Searched struct {
	Profile string `json:"profile"`
	How     string `json:"how"`
	Tally
	Drawn
	// AtMost is for a sample the share of the schedules of any two kinds that breaks the lock at
	// most, with 95 % confidence, where no drawn one does. Schedules are weighted as they were
	// drawn: each first fault of a kind the same, then each that can follow.
	AtMost float64 `json:"at_most,omitempty"`
}

// Drawn is set where schedules are drawn.
type Drawn struct {
	Of   int64 `json:"of,omitempty"`   // how many schedules there are in all, about
	Each int   `json:"each,omitempty"` // how many were drawn of any two kinds, at least, unless these were all
}

// Rest is evidence that nothing was found, in a few words.
type Rest struct {
	How  string
	Says say.Phrase
}

// Rests lists the evidence that no set of several faults was found.
func (l *ExploredLock) Rests() (out []Rest) {
	profiles := map[string]say.Names{}
	rarest := 0.0
	for _, x := range l.Together {
		profiles[x.How] = append(profiles[x.How], x.Profile)
		rarest = max(rarest, x.AtMost)
	}
	if n := profiles[Complete]; n != nil {
		out = append(out, Rest{Complete, say.PairsAllIn.With(n)})
	}
	if n := profiles[Sampled]; n != nil {
		out = append(out, Rest{Sampled, say.PairsDrawnIn.With(say.Number(len(n)), say.Number(1/rarest))})
	}
	if n := profiles[NotSearched]; n != nil || l.Together == nil {
		if n == nil {
			return []Rest{{NotSearched, say.Text("pairs not searched")}}
		}
		out = append(out, Rest{NotSearched, say.PairsNotIn.With(n)})
	}
	return out
}

// Defect reports whether the lock breaks in some way without a fault.
func (l *ExploredLock) Defect() bool {
	return slices.ContainsFunc(checker.Ways(), func(way checker.Way) bool {
		return slices.ContainsFunc(l.By(way), func(s CutSet) bool { return len(s.Kinds) == 0 })
	})
}

// DesignsAndMisprints splits a result into the designs, and the misprints with the locks that break
// without a fault; a test checks that only misprints do.
func (x *Explored) DesignsAndMisprints() (designs, misprints *Explored) {
	misprint := func(l *ExploredLock) bool { return l.Defect() || locks.Misprint(l.Lock) }
	return x.Only(func(l *ExploredLock) bool { return !misprint(l) }), x.Only(misprint)
}

// Settled counts the locks with all schedules of several faults searched in plain and just-within.
func (x *Explored) Settled() int {
	return len(x.Only(func(l *ExploredLock) bool { return l.Survives() == Complete }).Locks)
}

// Survives says how thoroughly a lock for which nothing was found was searched: Complete, Sampled
// or NotSearched.
func (l *ExploredLock) Survives() string { return cmp.Or(l.Searched, NotSearched) }

// UpTo is the number of faults up to which a way without a set has none. Pairs of some usage
// profile do not count where those of plain or just-within, or of a profile that was asked for,
// were left out.
func (l *ExploredLock) UpTo() int {
	if l.Survives() == NotSearched && slices.ContainsFunc(l.Together, func(x Searched) bool { return x.How != Complete }) {
		return min(l.Complete, 1)
	}
	return l.Complete
}

// WithoutSet says why a way of breaking has no set: only a search to the end, in which every
// schedule was judged, shows that there is none.
func (l *ExploredLock) WithoutSet(way checker.Way) say.Phrase {
	switch {
	case l.By(way) == nil || l.Complete == 0:
		return say.Text("not searched")
	case l.Cut > 0 || len(l.Doubts) > 0:
		return say.Text("none found, some unknown")
	case l.Survives() == Sampled:
		return say.Text("none found")
	}
	return say.NoneUpTo.With(say.Number(l.UpTo()))
}

// Fenced reports whether the lock hands out tokens, which the resource then checked.
func (l *ExploredLock) Fenced() bool {
	return slices.ContainsFunc(l.Stories(), func(t Story) bool { return t.Fence })
}
