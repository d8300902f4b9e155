package explore

import (
	"cmp"
	"slices"

	"lockstep/internal/campaign/results"
)

// During is what a client does when a fault hits it, in the word of results.
type During string

// What a client does, in the order of results. Anytime is for faults of servers, which affect all
// clients.
const (
	Anytime   During = ""
	Acquiring During = "acquire"
	Holding   During = "hold"
	Releasing During = "release"
)

// hit is a kind of fault and what it interrupts: a crash in the critical section differs from one
// between two commands of the acquire.
type hit struct {
	Kind   kind   `json:"kind"`
	During During `json:"during,omitempty"`
}

// single is the result of one fault alone.
type single struct {
	hit
	tally
	Found []found `json:"found,omitempty"` // the plainest of each way
}

// singleIn finds or adds the record of a hit.
func singleIn(all *[]*single, h hit) *single {
	for _, s := range *all {
		if s.hit == h {
			return s
		}
	}
	s := &single{hit: h}
	*all = append(*all, s)
	return s
}

// compare is the order of results.
func (s *single) compare(o *single) int {
	return cmp.Or(cmp.Compare(s.Kind, o.Kind), cmp.Compare(s.During, o.During))
}

// take merges the result of a piece of work.
func (s *single) take(o *single) {
	s.add(o.tally)
	for i := range o.Found {
		s.Found = addFound(s.Found, o.Found[i])
	}
}

// singles returns the results of single faults, with their stories.
func (l *Lock) singles(tell func(f *found) (results.CutSet, error)) ([]results.Single, error) {
	all := slices.Clone(l.Singles)
	slices.SortFunc(all, (*single).compare)
	out := []results.Single{}
	for _, s := range all {
		one := results.Single{
			Kind: kindNames[s.Kind], During: string(s.During), Walked: s.Walked, NoEffect: s.NoEffect, Cut: s.Cut, Breaks: map[string]*results.Shown{},
		}
		for i := range s.Found {
			set, err := tell(&s.Found[i])
			if err != nil {
				return nil, err
			}
			one.Breaks[s.Found[i].Way.String()] = &set.Shown
		}
		out = append(out, one)
	}
	return out, nil
}
