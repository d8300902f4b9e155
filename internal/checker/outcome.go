package checker

import (
	"slices"
	"strings"

	"lockstep/internal/say"
)

// An outcome has two forms: a letter for the worst of it, and every way in which the lock broke.
// Letters do not show damage, which a fence prevents.

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
	// LetterNone: there is no run, since the lock has no step that the fault could hit.
	LetterNone Letter = "-"
)

// LetterMeaning explains a letter.
type LetterMeaning struct {
	Letter      Letter
	Word, Means say.Phrase
}

// Letters are the letters of runs, from harmless to harmful, and then the unknown one.
var Letters = []LetterMeaning{
	{LetterSafe, say.Text("safe"), say.Text("safe: no two holders, and the others get the lock after a normal wait")},
	{LetterDelay, say.Text("delayed"), say.Text("safe, but a client waits for a lease or an election, or gets an error")},
	{LetterStuck, say.WordStuck.With(), say.Text("no progress: no client gets the lock for ten leases after the fault ends")},
	{LetterF, say.Text("foreign entry freed"), say.Text("a release removes the entry of another client")},
	{LetterV, say.Text("two holders"), say.Text("two clients hold the lock at once")},
	{LetterVF, say.Text("both"), say.Text("both: two holders, and a foreign entry freed")},
	{LetterUnknown, say.Text("unknown"), say.Text("unknown: no fault fired, no clients competed, or a run did not finish")},
}

// CellLetters are Letters, and LetterNone.
var CellLetters = append(slices.Clone(Letters), LetterMeaning{LetterNone, say.Text("not applicable"), say.Text("the lock has no step that the fault could hit")})

// Badness orders letters from harmless to harmful; it is 0 for LetterUnknown and LetterNone.
func (l Letter) Badness() int {
	at := slices.IndexFunc(Letters, func(m LetterMeaning) bool { return m.Letter == l })
	return (at + 1) % len(Letters) // the unknown one is the last
}

// Worse reports whether a letter is more harmful than another one.
func (l Letter) Worse(than Letter) bool { return l.Badness() > than.Badness() }

// Harms reports whether the lock was broken or stuck.
func (l Letter) Harms() bool { return l.Worse(LetterDelay) }

// Held reports whether the lock was neither broken nor stuck.
func (l Letter) Held() bool { return l == LetterSafe || l == LetterDelay }

// TwoHold reports whether two clients held the lock at once.
func (l Letter) TwoHold() bool { return l == LetterV || l == LetterVF }

// Seen is a set of letters, by their badness.
type Seen [7]bool

// Add adds a letter.
func (s *Seen) Add(l Letter) { s[l.Badness()] = true }

// Worst is the letter of the whole set, LetterUnknown for an empty one. V and F make VF.
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

// Besides returns the letters of the set that are not part of another one, worst first, without S;
// never nil.
func (s *Seen) Besides(l Letter) []Letter {
	out := []Letter{}
	for _, m := range slices.Backward(Letters) {
		if s[m.Letter.Badness()] && m.Letter.Worse(LetterSafe) && !strings.Contains(string(l), string(m.Letter)) {
			out = append(out, m.Letter)
		}
	}
	return out
}

// letter condenses the findings. Only a run that tested mutual exclusion, and in which no
// release may have been a foreign one, earns an S or an L.
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
	case j.seen.delayed:
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
	ForeignRelease            // an entry was removed by another client than its owner
	NoProgress                // no client gets the lock although the store could serve
	// Hung is NoProgress because a client whose work hangs goes on to renew.
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
	{"foreign-release", "robbed", "a client's lock is released by another client", LetterF, []string{OwnerOnlyReleaseID}},
	{"no-progress", "stuck", "no client can get it", LetterStuck, []string{ProgressID}},
	{"hung", "", "all clients wait while work hangs", LetterStuck, []string{ProgressID}},
}

// Ways are all of them but Hung.
func Ways() []Way { return []Way{Overlap, Damage, ForeignRelease, NoProgress} }

// Outcomes are all of them.
func Outcomes() []Way { return append(Ways(), Hung) }

// WayNamed is the way of that name, which results and commands use. Names of results before these
// are still read.
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

// Letter is the letter of a lock that breaks in this way alone; "" for Damage.
func (w Way) Letter() Letter { return ways[w].letter }

// Properties returns the properties of which one at least is broken.
func (w Way) Properties() []string { return ways[w].properties }

// In says whether the lock broke in this way in a judged run.
func (w Way) In(j *Judgement) Verdict {
	switch {
	case w != Damage:
		return j.Finding(ways[w].properties[0]).Verdict
	case Damaged(j.History):
		return Broken
	}
	return Kept
}

// WaysIn lists the ways in which the run breaks the lock: "overlap+damage"; NoWay for none. An
// unknown one has a question mark.
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

// NoWay is WaysIn of a run that breaks nothing.
const NoWay = "none"

// ParseWays parses what WaysIn returns.
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
