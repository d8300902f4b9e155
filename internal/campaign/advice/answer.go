package advice

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Candidate is a lock that may be the answer.
type Candidate struct {
	Lock    string `json:"lock"`
	Verdict string `json:"verdict"` // whether it breaks as it must not; see results.Verdict
	Fenced  bool   `json:"tokens"`  // it hands out fencing tokens, and was searched with a resource that checks them
	// Breaks are the minimal sets of expected kinds that break it so, Also those that break it in
	// the ways that count next, and Beyond the single kinds that break it and are not expected.
	Breaks [][]string `json:"breaks"`
	Also   [][]string `json:"also"`
	Beyond []string   `json:"beyond"`
	Story  string     `json:"story"` // an example, as simulate run takes it; "" when nothing was found

	Cost      results.Cost          `json:"-"`
	Found     *results.ExploredLock `json:"-"`
	Stuck     [][]string            `json:"-"` // of Also, those after which no client gets it
	Scripts   []Script              `json:"-"` // of the matrix, that break the lock where no set of Breaks does
	Played    int                   `json:"-"` // stories with an overlap, played without a check of tokens
	Unchecked [][]string            `json:"-"` // the sets of those that then damage the data
}

// Script is a column of the matrix that breaks a lock.
type Script struct {
	Code  string
	Fault say.Phrase
	Kinds []string   // that the column stands for
	By    say.Phrase // what the script plays
	Way   checker.Way
}

// Facts are the basis of answers. Costs decide between equally good locks.
type Facts struct {
	Explored  *results.Explored
	Costs     map[string]results.Cost
	Scripts   map[string][]Script            // by lock
	Unchecked map[string][]results.Unchecked // by lock
}

// Answer is the answer to a question.
type Answer struct {
	Question
	Expected []string    `json:"expected"` // kinds of faults
	Must     []string    `json:"must_not"` // ways of breaking
	Best     *Candidate  `json:"lock"`     // null: this program has no candidate
	Second   *Candidate  `json:"runner_up"`
	Instead  []Elsewhere `json:"instead"`           // what survives, where nothing here does
	Nearest  string      `json:"nearest,omitempty"` // the closest choice that this program has, for one that it lacks
}

// Elsewhere is a lock that survives, with the question that it answers.
type Elsewhere struct {
	Question
	Lock string `json:"lock"`
}

// Survives reports whether nothing searched breaks the best lock.
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

// elsewhere answers the same question for all other stores, as far as a lock survives there.
func elsewhere(q Question, f *Facts) (out []Elsewhere) {
	for _, h := range haves {
		other := Question{h.ID, q.IfTwo, q.Tokens}
		if a := best(other, f); h.ID != q.Have && a.Survives() {
			out = append(out, Elsewhere{other, a.Best.Lock})
		}
	}
	return out
}

// best is the answer for what the user has.
func best(q Question, f *Facts) Answer {
	h, r := q.have(), q.rule()
	a := Answer{Question: q, Expected: q.ToExpect(), Nearest: h.nearest, Must: each.Map(r.must, checker.Way.String)}
	if h.fits == nil {
		return a
	}
	designs, _ := f.Explored.DesignsAndMisprints() // without misprints, and what breaks without a fault
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
	of := func(ways ...checker.Way) [][]string { return kindsOf(l.Within(a.Expected, ways...)) }
	c.Breaks, c.Also = append(c.Breaks, of(r.must...)...), append(c.Also, of(r.also...)...)
	if slices.Contains(r.also, checker.NoProgress) {
		c.Stuck = of(checker.NoProgress)
	}
	// The story to show is one of what was asked about, else of a harmless overlap.
	shown := slices.Concat(l.Within(a.Expected, r.must...), l.Within(a.Expected, checker.Overlap))
	if slices.Contains(r.must, checker.Damage) {
		shown = slices.Concat(l.Within(a.Expected, checker.Damage), shown)
	}
	if len(shown) > 0 {
		c.Story = shown[0].Name
	}
	for _, way := range r.must {
		for _, s := range l.By(way) {
			if len(s.Kinds) == 1 && !results.Subset(s.Kinds, a.Expected) && !slices.Contains(c.Beyond, s.Kinds[0]) {
				c.Beyond = append(c.Beyond, s.Kinds[0])
			}
		}
	}
	c.compared(a, r, f)
	c.Verdict = results.Verdict(len(c.Breaks)+len(c.Scripts) > 0, l.Cut+int64(len(l.Doubts)), l.Survives())
	return c
}

// kindsOf returns the kinds of sets, each once.
func kindsOf(sets []*results.CutSet) (out [][]string) {
	for _, s := range sets {
		if !slices.ContainsFunc(out, func(o []string) bool { return slices.Equal(o, s.Kinds) }) {
			out = append(out, s.Kinds)
		}
	}
	return out
}

// compared adds what the matrix, with its own scripts, and runs without a check of tokens say about
// the lock.
func (c *Candidate) compared(a *Answer, r *rule, f *Facts) {
	alone := Singles(c.Breaks)
	for _, s := range f.Scripts[c.Lock] {
		switch {
		case !slices.Contains(r.must, s.Way):
		case results.Subset(s.Kinds, a.Expected):
			if !slices.ContainsFunc(s.Kinds, func(k string) bool { return slices.Contains(alone, k) }) {
				c.Scripts = append(c.Scripts, s)
			}
		case !slices.ContainsFunc(s.Kinds, func(k string) bool { return slices.Contains(c.Beyond, k) }):
			c.Beyond = append(c.Beyond, slices.DeleteFunc(slices.Clone(s.Kinds), func(k string) bool { return slices.Contains(a.Expected, k) })...)
		}
	}
	for _, u := range f.Unchecked[c.Lock] {
		if !results.Subset(u.Kinds, a.Expected) {
			continue
		}
		if c.Played++; u.Damaged {
			c.Unchecked = append(c.Unchecked, u.Kinds)
		}
	}
}

// compare orders candidates, best first: by the verdict, by how many kinds break them alone, by
// what counts next, by pairs, and by costs.
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

// Singles returns the kinds of sets with one kind, in the order of the sets.
func Singles(sets [][]string) (out []string) {
	for _, s := range sets {
		if len(s) == 1 && !slices.Contains(out, s[0]) {
			out = append(out, s[0])
		}
	}
	return out
}

// NotExpectedWith returns where a lock can be kept without expecting some of these kinds;
// everywhere: these are all such places.
func NotExpectedWith(lock string, kinds []string) (where []say.Words, everywhere bool) {
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
		if fit++; !results.Subset(kinds, (Question{Have: h.ID}).ToExpect()) {
			where = append(where, h.at)
		}
	}
	return where, fit > 0 && len(where) == fit
}

// Candidates limits a result to the locks that fit what the user has, variants and misprints
// included.
func (q Question) Candidates(x *results.Explored) *results.Explored {
	h := q.have()
	return x.Only(func(l *results.ExploredLock) bool {
		v, ok := locks.Lookup(l.Lock)
		return ok && h.fits != nil && h.fits(&v)
	})
}

// Stores returns the stores of the candidates.
func (q Question) Stores() []string {
	out, h := []string{}, q.have()
	for _, v := range locks.Simulated() {
		if h.fits != nil && h.fits(&v) && !slices.Contains(out, string(v.Store)) {
			out = append(out, string(v.Store))
		}
	}
	return out
}
