package advice

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Candidate is a lock that could be the answer.
type Candidate struct {
	Lock    string `json:"lock"`
	Verdict string `json:"verdict"` // whether what must not happen happens; see measured.Verdict
	Fenced  bool   `json:"tokens"`  // it hands out fencing tokens, and was searched behind a resource that checks them
	// Breaks are the minimal sets of expected kinds by which that happens, Also those of what counts next, and Beyond are
	// single kinds that are not expected and break it.
	Breaks [][]string `json:"breaks"`
	Also   [][]string `json:"also"`
	Beyond []string   `json:"beyond"`
	Story  string     `json:"story"` // what one would meet, as simulate run takes it; "" when nothing was found

	Cost      results.Cost          `json:"-"`
	Found     *results.ExploredLock `json:"-"`
	Stuck     [][]string            `json:"-"` // of Also, those after which no client gets it
	Scripts   []Script              `json:"-"` // of the matrix: they do what must not happen, where no set of Breaks does
	Played    int                   `json:"-"` // stories in which two hold it, without a check of tokens
	Unchecked [][]string            `json:"-"` // the sets of those that damage the data then
}

// Script is what does harm in one column of the matrix.
type Script struct {
	Code  string
	Fault say.Phrase
	Kinds []string // that the column stands for
	By    say.Both // what the script plays
	Way   checker.Way
}

// Facts are what answers rest on. Costs decide between equally good locks.
type Facts struct {
	Explored  *results.Explored
	Costs     map[string]results.Cost
	Scripts   map[string][]Script            // by lock
	Unchecked map[string][]results.Unchecked // by lock
}

// Answer is what the search says to a question.
type Answer struct {
	Question
	Expected []string    `json:"expected"` // kinds of faults
	Must     []string    `json:"must_not"` // ways of breaking
	Best     *Candidate  `json:"lock"`     // null: this program has nothing for it
	Second   *Candidate  `json:"runner_up"`
	Instead  []Elsewhere `json:"instead"`           // what survives, where nothing here does
	Nearest  string      `json:"nearest,omitempty"` // of what this program has not: what comes closest
}

// Elsewhere is a lock that survives, and the question to which it is the answer.
type Elsewhere struct {
	Question
	Lock string `json:"lock"`
}

// Survives reports whether the best lock is one that nothing searched breaks.
func (a *Answer) Survives() bool { return a.Best != nil && a.Best.survives() }

func (c *Candidate) survives() bool { return c.Verdict == results.Survived }

// To answers a question from the designs that were searched.
func To(q Question, f *Facts) Answer {
	a := best(q, f)
	if a.Nearest != "" || a.Survives() {
		return a
	}
	guarded := Question{q.Have, Damage, Yes}
	a.Instead = elsewhere(q, f)
	if a.Instead == nil && q.rule().tokens != Yes {
		if there := best(guarded, f); there.Survives() {
			a.Instead = []Elsewhere{{guarded, there.Best.Lock}}
		} else {
			a.Instead = elsewhere(guarded, f)
		}
	}
	return a
}

// elsewhere are the answers to the same question for those who have something else, as far as they survive.
func elsewhere(q Question, f *Facts) (out []Elsewhere) {
	for _, h := range haves {
		other := Question{h.ID, q.IfTwo, q.Tokens}
		if a := best(other, f); h.ID != q.Have && a.Survives() {
			out = append(out, Elsewhere{other, a.Best.Lock})
		}
	}
	return out
}

// best is the answer without a look at what else there is.
func best(q Question, f *Facts) Answer {
	h, r := q.have(), q.rule()
	a := Answer{Question: q, Expected: q.ToExpect(), Nearest: h.nearest}
	for _, way := range r.must {
		a.Must = append(a.Must, way.String())
	}
	if h.fits == nil {
		return a
	}
	designs, _ := f.Explored.Apart() // misprints, and what breaks without a fault, are candidates for nothing
	var all []Candidate
	for i := range designs.Locks {
		l := &designs.Locks[i]
		if v, ok := locks.Lookup(l.Lock); ok && locks.Main(l.Lock) && l.Complete > 0 && h.fits(&v) {
			all = append(all, newCandidate(&a, r, l, f))
		}
	}
	slices.SortStableFunc(all, func(c, d Candidate) int { return compare(r, &c, &d) })
	if len(all) > 0 {
		a.Best = &all[0]
	}
	if len(all) > 1 {
		a.Second = &all[1]
	}
	return a
}

func newCandidate(a *Answer, r *rule, l *results.ExploredLock, f *Facts) Candidate {
	c := Candidate{Lock: l.Lock, Fenced: l.Fenced(), Cost: f.Costs[l.Lock], Found: l, Breaks: [][]string{}, Also: [][]string{}, Beyond: []string{}}
	var met, shown *results.CutSet // the story of what is found, else of the overlap that does no harm
	of := func(ways ...checker.Way) (in [][]string) {
		for _, way := range ways {
			for i := range l.By(way) {
				s := &l.By(way)[i]
				if !subset(s.Kinds, a.Expected) {
					continue
				}
				if shown == nil {
					shown = s
				}
				if !slices.ContainsFunc(in, func(o []string) bool { return slices.Equal(o, s.Kinds) }) {
					in = append(in, s.Kinds)
				}
			}
		}
		return in
	}
	if sets := of(r.must...); sets != nil {
		c.Breaks = sets
	}
	met = shown
	if slices.Contains(r.must, checker.Damage) { // what was asked about, where it is among several
		shown = nil
		if of(checker.Damage); shown != nil {
			met = shown
		}
	}
	if sets := of(r.also...); sets != nil {
		c.Also = sets
	}
	if slices.Contains(r.also, checker.NoProgress) {
		c.Stuck = of(checker.NoProgress)
	}
	if shown = nil; met == nil {
		of(checker.Overlap)
		met = shown
	}
	if met != nil {
		c.Story = met.Name
	}
	for _, way := range r.must {
		for _, s := range l.By(way) {
			if len(s.Kinds) == 1 && !subset(s.Kinds, a.Expected) && !slices.Contains(c.Beyond, s.Kinds[0]) {
				c.Beyond = append(c.Beyond, s.Kinds[0])
			}
		}
	}
	c.compared(a, r, f)
	c.Verdict = results.Verdict(len(c.Breaks)+len(c.Scripts) > 0, l.Cut+int64(len(l.Doubts)), l.Survives())
	return c
}

// compared adds what the matrix and runs without a check say of the lock. The matrix plays scripts of its own: what they
// break is broken, whatever the search says.
func (c *Candidate) compared(a *Answer, r *rule, f *Facts) {
	alone := Singles(c.Breaks)
	for _, s := range f.Scripts[c.Lock] {
		switch {
		case !slices.Contains(r.must, s.Way):
		case subset(s.Kinds, a.Expected):
			if !slices.ContainsFunc(s.Kinds, func(k string) bool { return slices.Contains(alone, k) }) {
				c.Scripts = append(c.Scripts, s)
			}
		case !slices.ContainsFunc(s.Kinds, func(k string) bool { return slices.Contains(c.Beyond, k) }):
			c.Beyond = append(c.Beyond, slices.DeleteFunc(slices.Clone(s.Kinds), func(k string) bool { return slices.Contains(a.Expected, k) })...)
		}
	}
	for _, u := range f.Unchecked[c.Lock] {
		if !subset(u.Kinds, a.Expected) {
			continue
		}
		if c.Played++; u.Damaged {
			c.Unchecked = append(c.Unchecked, u.Kinds)
		}
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(k string) bool { return !slices.Contains(all, k) })
}

// compare orders candidates, the best first: by the verdict, by how few kinds break them alone, by what counts next, by
// pairs, and by costs.
func compare(r *rule, c, d *Candidate) int {
	less := func(of func(c *Candidate) int) int { return cmp.Compare(of(c), of(d)) }
	price := cmp.Or(
		less(func(c *Candidate) int { return c.Cost.Acquire + c.Cost.Release }),
		less(func(c *Candidate) int { return c.Cost.Servers }),
	)
	alone := cmp.Or(less(func(c *Candidate) int { return len(Singles(c.Also)) }), less(func(c *Candidate) int { return len(c.Breaks) }))
	if r.cheap {
		alone = cmp.Or(price, alone)
	}
	return cmp.Or(
		less(func(c *Candidate) int { return slices.Index(results.Verdicts, c.Verdict) }),
		less(func(c *Candidate) int { return len(Singles(c.Breaks)) }),
		alone, less(func(c *Candidate) int { return len(c.Also) }), price, strings.Compare(c.Lock, d.Lock),
	)
}

// Singles are the kinds of sets of one, in the order of the sets.
func Singles(sets [][]string) (out []string) {
	for _, s := range sets {
		if len(s) == 1 && !slices.Contains(out, s[0]) {
			out = append(out, s[0])
		}
	}
	return out
}

// NotExpectedWith is what a lock can be kept in and where some of these kinds is not expected; nowhere: all that it can.
func NotExpectedWith(lock string, kinds []string) (where []say.Words, nowhere bool) {
	v, ok := locks.Lookup(lock)
	if !ok || len(kinds) == 0 {
		return nil, false
	}
	fit := 0
	for i := range haves {
		h := &haves[i]
		if h.fits == nil || !h.fits(&v) {
			continue
		}
		if fit++; !subset(kinds, (Question{Have: h.ID}).ToExpect()) {
			where = append(where, h.at)
		}
	}
	return where, fit > 0 && len(where) == fit
}

// Candidates are the locks of a result that can be used with what there is, variants and misprints among them.
func (q Question) Candidates(x *results.Explored) *results.Explored {
	out, h := *x, q.have()
	out.Locks = nil
	for _, l := range x.Locks {
		if v, ok := locks.Lookup(l.Lock); ok && h.fits != nil && h.fits(&v) {
			out.Locks = append(out.Locks, l)
		}
	}
	return &out
}

// Stores are those of the candidates.
func (q Question) Stores() []string {
	out, h := []string{}, q.have()
	for _, v := range locks.Simulated() {
		if h.fits != nil && h.fits(&v) && !slices.Contains(out, string(v.Store)) {
			out = append(out, string(v.Store))
		}
	}
	return out
}
