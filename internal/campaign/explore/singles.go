package explore

import (
	"cmp"
	"fmt"
	"slices"

	"lockstep/internal/campaign/results"
)

// During is what a client is at when a fault hits it.
type During uint8

// What a client is at. Anytime is for faults of servers, which hit all clients.
const (
	Anytime During = iota
	Acquiring
	Holding
	Releasing
	durings
)

var duringNames = [durings]string{"", "acquire", "hold", "release"}

// String is how results say it, "" for Anytime.
func (d During) String() string { return duringNames[d] }

// MarshalText is what String says.
func (d During) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText takes what String says.
func (d *During) UnmarshalText(name []byte) error {
	i := slices.Index(duringNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("a client is never at %q", name)
	}
	*d = During(i)
	return nil
}

// hit is what a single fault hits. Sets of kinds say less: a crash in the section differs
// from one between two commands of the acquire.
type hit struct {
	Kind   kind   `json:"kind"`
	During During `json:"during,omitempty"`
}

// single is what became of one fault alone.
type single struct {
	hit
	tally
	Found []found `json:"found,omitempty"` // the plainest of each way
}

// singleIn finds what became of one fault, or begins it.
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

// compare orders them as results tell them.
func (s *single) compare(o *single) int {
	return cmp.Or(cmp.Compare(s.Kind, o.Kind), cmp.Compare(s.During, o.During))
}

// take takes what a piece of work has found.
func (s *single) take(o *single) {
	s.add(o.tally)
	for i := range o.Found {
		s.Found = addFound(s.Found, o.Found[i])
	}
}

// singles are what became of each kind alone, with the stories that show it.
func (l *Lock) singles(tell func(f *found) (results.CutSet, error)) ([]results.Single, error) {
	all := slices.Clone(l.Singles)
	slices.SortFunc(all, (*single).compare)
	out := []results.Single{}
	for _, s := range all {
		one := results.Single{
			Kind: kindNames[s.Kind], During: s.During.String(), Walked: s.Walked, NoEffect: s.NoEffect, Cut: s.Cut, Breaks: map[string]*results.Shown{},
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
