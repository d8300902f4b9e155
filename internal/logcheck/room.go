package logcheck

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"

	"lockstep/internal/say"
)

// A judge forgets old holds and locks to bound its memory, and adds a doubt where that may matter.

// forget drops the holds of a lock that no acquisition at or after a time can overlap.
func (j *judge) forget(l *lock, at int64) {
	before := len(l.holds)
	l.holds = slices.DeleteFunc(l.holds, func(h *Hold) bool { return h.closed && h.over(at, j.widest()) })
	j.holds -= before - len(l.holds)
	if len(l.holds) < maxHolds {
		return
	}
	oldest := l.holds[0]
	if !oldest.over(at, j.widest()) {
		l.doubt(say.LogManyHold.With(say.Verbatim(l.Lock), say.Number(maxHolds), say.Verbatim(oldest.Client), j.files.at(oldest.Line)))
	}
	j.retire(l, oldest)
	l.holds = slices.Delete(l.holds, 0, 1)
	j.holds--
}

// retire closes a hold and reports its outcomes.
func (j *judge) retire(l *lock, h *Hold) {
	h.closed = true
	j.conclude(l, h)
}

// makeRoom drops the least recently used locks, free ones first. A later line that refers
// to a dropped hold is a doubt, as at the beginning of a log.
func (j *judge) makeRoom() {
	list := slices.SortedFunc(maps.Values(j.locks), func(a, b *lock) int {
		return cmp.Or(cmp.Compare(j.busy(a), j.busy(b)), cmp.Compare(a.touched, b.touched), cmp.Compare(a.Lock, b.Lock))
	})
	for _, l := range list[:(len(list)+9)/10] {
		if j.busy(l) > 0 {
			j.result.doubt(say.LogManyHeld.With(say.Number(len(list)), say.Verbatim(l.Lock)))
		}
		if len(l.grants.marks) > 0 {
			j.forgotten.add(l.Lock)
		}
		j.finish(l)
		delete(j.locks, l.Lock)
	}
}

// busy returns 1 for a lock that may be held now, otherwise 0.
func (j *judge) busy(l *lock) int {
	for _, h := range l.holds {
		if !h.over(j.result.Last, j.widest()) {
			return 1
		}
	}
	return 0
}

// nameSet is a Bloom filter of names (Bloom 1970): has may be wrong for a name that was not added,
// and never for one that was.
type nameSet []uint64

// With ten million names in the set, has is wrong for one of some thousands of other names.
const (
	setBits   = 1 << 28
	setHashes = 8
)

func (s *nameSet) add(name string) {
	if *s == nil {
		*s = make(nameSet, setBits/64)
	}
	s.bits(name, true)
}

func (s nameSet) has(name string) bool { return s != nil && s.bits(name, false) }

// bits reports whether all bits of a name are set, and may set them.
func (s nameSet) bits(name string, set bool) bool {
	h, all := xxh3.HashString128(name), true
	for i := range uint64(setHashes) {
		bit := (h.Lo + i*h.Hi) % setBits
		all = all && s[bit/64]&(1<<(bit%64)) != 0
		if set {
			s[bit/64] |= 1 << (bit % 64)
		}
	}
	return all
}

// finish closes a lock and adds it to the result.
func (j *judge) finish(l *lock) {
	for _, h := range l.holds {
		j.retire(l, h)
	}
	j.holds -= len(l.holds)
	l.holds = nil
	r := &j.result
	if l.Contended = l.wanted(); l.Contended {
		r.Contended++
	}
	r.Overlaps.sum(l.Overlaps)
	r.StaleWrites.sum(l.StaleWrites)
	r.Writes += l.Writes
	if l.repeated > 0 {
		r.remark(say.LogRepeated.With(say.Verbatim(l.Lock), say.Times(l.repeated), j.files.at(l.repeatedLine)))
	}
	for _, why := range l.Doubts {
		r.doubt(why)
	}
	if r.Findings = append(r.Findings, l.Finding); len(r.Findings) >= 2*maxFindings {
		r.rank()
	}
}

// rank sorts the findings, worst first, and drops those above the limit.
func (r *Result) rank() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Verdict().badness(), a.Verdict().badness()), cmp.Compare(a.Lock, b.Lock))
	})
	r.Findings = r.Findings[:min(len(r.Findings), maxFindings)]
}

const maxSaid = 5

// doubt adds a reason why the log may hide a violation, such as an unread line or a missing end.
func (r *Result) doubt(why say.Phrase) {
	if len(r.Doubts) < maxSaid && !slices.ContainsFunc(r.Doubts, why.Like) {
		r.Doubts = append(r.Doubts, why)
	}
}

func (r *Result) remark(what say.Phrase) {
	if len(r.Remarks) < maxSaid {
		r.Remarks = append(r.Remarks, what)
	}
}

// close returns the result of the whole log. The judge must not be used afterwards.
func (j *judge) close(lines int64) *Result {
	r := &j.result
	r.Lines, r.Unit, r.Rules = lines, j.unit, j.rules
	if j.twice > 0 {
		r.remark(say.LogTwiceLeft.With(say.Number(j.twice), j.files.at(j.firstTwice)))
	}
	partial := len(r.Doubts) > 0 // before finish adds those of the locks
	names := slices.Sorted(maps.Keys(j.locks))
	if a, b := j.alike(names); b != "" {
		r.doubt(say.LogAlike.With(say.Verbatim(a), say.Verbatim(b)))
	}
	for _, name := range names {
		j.finish(j.locks[name])
	}
	j.locks = nil
	for i := range r.Findings {
		r.Findings[i].partial = partial
	}
	r.rank()
	r.Violations = append(j.certain, j.possible...)
	switch {
	case r.Events == 0:
		r.doubt(say.LogEmpty.With())
	case r.Contended == 0:
		r.doubt(say.LogUncontended.With())
	case r.Contended < r.Locks && r.Verdict() == None:
		lone := slices.IndexFunc(r.Findings, func(f Finding) bool { return !f.Contended })
		if lone >= 0 {
			r.remark(say.LogSomeUncontended.With(say.Number(r.Locks-r.Contended), say.Verbatim(r.Findings[lone].Lock)))
		}
	case j.rules.Lease == 0 && slices.ContainsFunc(r.Violations, func(v *Violation) bool { return v.Sort == Overlap && !v.Certain && v.silent() }):
		r.remark(say.Text("a client that dies silently may hold the lock for ever: say with --lease how long a grant lasts"))
	}
	j.sum(r)
	return r
}

// wanted reports whether the lock was contended for.
func (l *lock) wanted() bool { return l.Contended || !l.waited && l.turns }

// lockWords are what one program puts around the name of a lock, and another one does not.
var lockWords = regexp.MustCompile(`^(?:locks?|mutex|leases?)[:/._-]+|[:/._-]+(?:locks?|mutex|leases?)$`)

// essence is what two spellings of a name have in common.
func essence(name string) string {
	return lockWords.ReplaceAllString(trimmed(strings.ToLower(name)), "")
}

func trimmed(name string) string {
	return strings.TrimFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) })
}

// folded returns a name with one spelling of each letter, one for all marks, and nothing invisible.
func folded(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.Is(unicode.Cf, c):
			return -1
		case unicode.IsPunct(c) || unicode.IsSymbol(c) || unicode.IsSpace(c):
			return ' '
		}
		return c
	}, norm.NFKC.String(name))
}

// alike finds two names that may be those of one lock; "" for none. They differ only in case, in
// marks, in how letters are encoded or in a word for a lock; or one is the end of the other, as of shop:jobs,
// and one is not contended for.
func (j *judge) alike(names []string) (string, string) {
	seen, words := map[string]string{}, make([]string, len(names))
	for i, name := range names {
		words[i] = essence(name)
		word := folded(words[i])
		if other, ok := seen[word]; ok && word != "" {
			return other, name
		}
		seen[word] = name
	}
	for i, name := range names {
		for at, c := range words[i] {
			if !strings.ContainsRune(":/{", c) {
				continue
			}
			if other := seen[folded(words[i][at+1:])]; other != "" && !(j.locks[name].wanted() && j.locks[other].wanted()) {
				return other, name
			}
		}
	}
	return "", ""
}
