package checker

import (
	"slices"
	"strings"

	"lockstep/internal/say"
)

// What became of a lock is said in two forms: by the worst of it, as one letter, and by each way in which
// it broke. A letter knows nothing of damage, which a fence prevents, and hides one way behind another.

// Letter is an outcome: S safe, V mutual exclusion violated, F a release removed
// another owner's entry, VF both, D stuck, L a bounded loss of liveness only,
// "?" when the run tested nothing.
type Letter string

// The letters.
const (
	LetterSafe    Letter = "S"
	LetterV       Letter = "V"
	LetterF       Letter = "F"
	LetterVF      Letter = "VF"
	LetterStuck   Letter = "D"
	LetterDelay   Letter = "L"
	LetterUnknown Letter = "?"
	// LetterNone is that of no run: there is no step that the fault could hit.
	LetterNone Letter = "-"
)

// LetterMeaning is what a letter stands for.
type LetterMeaning struct {
	Letter      Letter
	Word, Means say.Phrase
}

// Letters are the letters of runs, from harmless to harmful, and last the unknown one: each with a word for
// it, and what it means.
var Letters = []LetterMeaning{
	{LetterSafe, say.WordSafe.With(), say.MeansSafe.With()},
	{LetterDelay, say.WordDelayed.With(), say.MeansDelayed.With()},
	{LetterStuck, say.WordStuck.With(), say.MeansStuck.With()},
	{LetterF, say.WordFreed.With(), say.MeansFreed.With()},
	{LetterV, say.WordTwo.With(), say.MeansTwo.With()},
	{LetterVF, say.WordBoth.With(), say.MeansBoth.With()},
	{LetterUnknown, say.WordUnknown.With(), say.MeansUnknown.With()},
}

// CellLetters are Letters, and LetterNone.
var CellLetters = append(slices.Clone(Letters), LetterMeaning{LetterNone, say.WordNoStep.With(), say.MeansNoStep.With()})

// Badness orders letters from harmless to harmful; 0 is for those that say nothing.
func (l Letter) Badness() int {
	at := slices.IndexFunc(Letters, func(m LetterMeaning) bool { return m.Letter == l })
	return (at + 1) % len(Letters) // the unknown one is the last
}

// Worse reports whether a letter says of more harm than another one.
func (l Letter) Worse(than Letter) bool { return l.Badness() > than.Badness() }

// Harms reports whether a letter is that of a broken or stuck lock.
func (l Letter) Harms() bool { return l.Worse(LetterDelay) }

// Held reports whether the lock held: what is delay and what is safe only normal waiting tells apart.
func (l Letter) Held() bool { return l == LetterSafe || l == LetterDelay }

// TwoHold reports whether two held the lock at once.
func (l Letter) TwoHold() bool { return l == LetterV || l == LetterVF }

// Seen says which letters were seen, by their badness.
type Seen [7]bool

// Add notes that a letter was seen.
func (s *Seen) Add(l Letter) { s[l.Badness()] = true }

// Worst is the letter of all that was seen, unknown when nothing was. V and F seen apart make VF.
func (s *Seen) Worst() Letter {
	worst := LetterUnknown
	for _, m := range Letters {
		if s[m.Letter.Badness()] && m.Letter.Worse(worst) {
			worst = m.Letter
		}
	}
	if worst == LetterV && s[LetterF.Badness()] {
		return LetterVF
	}
	return worst
}

// Besides are the letters that were seen and that another one does not say, worst first; never nil. S is none of
// them: some run does no harm under every fault.
func (s *Seen) Besides(l Letter) []Letter {
	out := []Letter{}
	for _, m := range slices.Backward(Letters) {
		if s[m.Letter.Badness()] && m.Letter.Worse(LetterSafe) && !strings.Contains(string(l), string(m.Letter)) {
			out = append(out, m.Letter)
		}
	}
	return out
}

// letter condenses the findings. Damage comes before standstill, standstill
// before delay, and only a run that put mutual exclusion to the test, and in which
// no release may have been a foreign one, may earn an S or an L.
func letter(j *Judgement) Letter {
	exclusion := j.Finding(MutualExclusionID).Verdict
	intruded := exclusion == Broken
	release := j.Finding(OwnerOnlyReleaseID)
	foreign := release.Verdict == Broken
	switch {
	case intruded && foreign:
		return LetterVF
	case foreign:
		return LetterF
	case intruded:
		return LetterV
	case j.Finding(ProgressID).Verdict == Broken:
		return LetterStuck
	case exclusion == Unknown || release.Doubts > 0:
		return LetterUnknown
	case delayed(j.History):
		return LetterDelay
	default:
		return LetterSafe
	}
}

// Way is one way in which a lock breaks.
type Way uint8

// The ways.
const (
	Overlap        Way = iota // two clients believe that they hold the lock
	Damage                    // an update is lost, or a write came that a newer holder did not expect
	ForeignRelease            // an entry was freed by another client than its owner
	NoProgress                // no client gets the lock although the store could serve
	// Hung is NoProgress because work hangs, which results tell apart: a client that renews keeps the lock.
	Hung
)

var ways = [...]struct {
	name, formerly string
	means          string
	letter         Letter   // "" for damage
	properties     []string // one of them is broken
}{
	{"overlap", "believe", "two clients think they hold it", LetterV, []string{MutualExclusionID}},
	{"damage", "", "the resource is damaged", "", []string{NoLostUpdateID, NoStaleWriteID}},
	{"foreign-release", "robbed", "someone's lock is released by another", LetterF, []string{OwnerOnlyReleaseID}},
	{"no-progress", "stuck", "no client can get it", LetterStuck, []string{ProgressID}},
	{"hung", "", "everybody waits while work hangs", LetterStuck, []string{ProgressID}},
}

// Ways are all of them but Hung.
func Ways() []Way { return []Way{Overlap, Damage, ForeignRelease, NoProgress} }

// Outcomes are all of them.
func Outcomes() []Way { return append(Ways(), Hung) }

// WayNamed is the way of that name, which results and commands use. Names of results before these are
// still read.
func WayNamed(name string) (Way, bool) {
	for _, w := range Outcomes() {
		if name == ways[w].name || name != "" && name == ways[w].formerly {
			return w, true
		}
	}
	return 0, false
}

// String returns the way's name.
func (w Way) String() string { return ways[w].name }

// Means says what the way is, in a few words.
func (w Way) Means() say.Phrase { return say.Text(ways[w].means) }

// Letter is the letter of a lock that breaks in this way alone; "" for Damage, which is no letter.
func (w Way) Letter() Letter { return ways[w].letter }

// Properties are those that the way means: one of them at least is broken in it.
func (w Way) Properties() []string { return ways[w].properties }

// In says whether a lock broke in the way, as far as a judged run shows.
func (w Way) In(j *Judgement) Verdict {
	switch {
	case w != Damage:
		return j.Finding(ways[w].properties[0]).Verdict
	case Damaged(j.History):
		return Broken
	}
	return Kept
}

// WaysIn says in which ways a run breaks the lock: "overlap+damage", NoWay for none, an unknown way
// with a question mark.
func (j *Judgement) WaysIn() string {
	var all []string
	for _, w := range Ways() {
		switch w.In(j) {
		case Broken:
			all = append(all, w.String())
		case Unknown:
			all = append(all, w.String()+"?")
		}
	}
	if all == nil {
		return NoWay
	}
	return strings.Join(all, "+")
}

// NoWay is what a run breaks that breaks nothing.
const NoWay = "none"

// ParseWays reads what WaysIn has written.
func ParseWays(text string) (out map[Way]Verdict, ok bool) {
	out = map[Way]Verdict{}
	if text == NoWay {
		return out, true
	}
	for name := range strings.SplitSeq(text, "+") {
		name, unknown := strings.CutSuffix(name, "?")
		w, ok := WayNamed(name)
		if !ok || w == Hung {
			return nil, false
		}
		if out[w] = Broken; unknown {
			out[w] = Unknown
		}
	}
	return out, true
}
