package explore

import (
	"cmp"
	"fmt"
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/measured"
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

// hit is what a single fault hits: sets of kinds say less, and a crash in the section is another
// thing than one between two commands of the acquire.
type hit struct {
	kind   int
	during During
}

// single is what became of one fault alone.
type single struct {
	hit    hit
	Kind   string `json:"kind"`
	During string `json:"during,omitempty"`
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
	s := &single{hit: h, Kind: kindNames[h.kind], During: h.during.String()}
	*all = append(*all, s)
	return s
}

// compare orders them as results tell them.
func (s *single) compare(o *single) int {
	return cmp.Or(cmp.Compare(s.hit.kind, o.hit.kind), cmp.Compare(s.hit.during, o.hit.during))
}

// take takes what a piece of work has found.
func (s *single) take(o *single) {
	s.add(o.tally)
	for i := range o.Found {
		s.Found = addFound(s.Found, o.Found[i])
	}
}

// readSingles takes them as they were stored.
func (l *Lock) readSingles() error {
	for _, s := range l.Singles {
		during := slices.Index(duringNames[:], s.During)
		s.hit = hit{faultkind.Index(s.Kind), During(max(during, 0))}
		if s.hit.kind < 0 || during < 0 {
			return fmt.Errorf("this walk speaks of %q during %q, which there is not: start over", s.Kind, s.During)
		}
		for i := range s.Found {
			s.Found[i].Kinds = kindSet{uint8(s.hit.kind)}
		}
	}
	return nil
}

// singles are what became of each kind alone, with the stories that show it.
func (l *Lock) singles(tell func(f *found) (measured.CutSet, error)) ([]measured.Single, error) {
	all := slices.Clone(l.Singles)
	slices.SortFunc(all, (*single).compare)
	out := []measured.Single{}
	for _, s := range all {
		one := measured.Single{
			Kind: s.Kind, During: s.During, Walked: s.Walked, Vain: s.Vain, Cut: s.Cut, Breaks: map[string]*measured.Shown{},
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
