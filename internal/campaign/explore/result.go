package explore

import (
	"slices"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/rate"
)

// classes describe the durations of the templates.
var classes = []string{
	"the lease is 10 s, a lost reply is noticed after 3 s; messages take 1 ms, nothing is drawn",
	"a primary has one replica (more where the design says so) that is 0.1 s behind; 3 nodes of redlock (5 in the profile five-nodes), clusters of 3 members",
	"moments: around each request and each step of the workload (waits, enters, works, writes, releases); a client is hit at its own moments, a server at those of every client; clock rates change when a client waits or acquires",
	"one fault alone: -short 2 s and 5 s (servers 5 s, splits 3 s), else 12 s and 40 s (consul 45 s, longer than a session and its lock delay); a restart takes 0.5 s or 12 s",
	"several faults: -short 5 s (splits 3 s), else 12 s (consul also 45 s); a restart takes 0.5 s; a client is cut off from one server for 12 s only (consul also 45 s)",
	"several faults: of a cluster's two followers only the first is hit alone, and splits isolate its leader alone or with one client",
	"slow work takes 8 s or 40 s longer; clocks step by 11 s to and fro, and run 2 % or 15 % fast or slow (several faults: 15 %)",
}

// The last classes are about several faults.
const (
	anyLater = "several faults: the next one at the moment of the one before, at its end, or at any later moment; in just-within, an action that a client repeats is hit at one moment in 2 s, and at each moment of the last second before the client's next step"
	eachSays = "several faults: each lock says in which profiles all of their schedules were searched, in which some were drawn, and in which none"
)

func (o *Options) scope() results.Scope {
	s := results.Scope{
		Clients: o.Clients, Rounds: o.Rounds, Faults: o.Faults, Sample: o.Sample, Classes: append(slices.Clone(classes), anyLater, eachSays), Kinds: []string{},
		Profiles: slices.DeleteFunc(Profiles(), func(b results.Profile) bool { return !o.walks(b.Name) }),
	}
	for _, name := range kindNames {
		if o.Only == nil || slices.Contains(o.Only, name) {
			s.Kinds = append(s.Kinds, name)
		}
	}
	return s
}

// Result returns the result of the search.
func (s *State) Result(o *Options) (*results.Explored, error) {
	r := &results.Explored{Schema: results.ExploredSchema, Scope: s.Scope}
	w := o.Worlds()
	defer w.Close()
	versions := locks.Versions()
	for _, v := range o.Locks {
		l, err := s.lockResult(w, v.ID)
		if err != nil {
			return nil, err
		}
		if l.Version = versions[v.ID]; s.lock(v.ID).TakenOf != nil {
			l.Version = *s.lock(v.ID).TakenOf
		}
		r.Locks = append(r.Locks, l)
	}
	return r, AddTexts(r)
}

// lockResult is the result for one lock.
func (s *State) lockResult(w World, lock string) (results.ExploredLock, error) {
	l := s.lock(lock)
	out := results.ExploredLock{
		Lock: lock, Scope: l.Profiles, Complete: l.complete(s.Scope.Faults),
		Doubts: []string{}, Breaks: map[string][]results.CutSet{},
	}
	cutSetOf := func(f *found) (results.CutSet, error) {
		if f.stored != nil {
			return results.CutSet{Kinds: f.stored.Kinds, Shown: f.stored.Shown}, nil
		}
		return l.targets[f.Profile].makeStory(w, f)
	}
	if out.Scope == nil {
		out.Scope = []string{}
	}
	out.Searched, out.Together = l.searched(s.Scope.Faults)
	for _, st := range l.Stages {
		out.Add(st.Tally)
		out.Doubts = append(out.Doubts, st.Doubts...)
	}
	for _, way := range checker.Ways() {
		if len(l.Stages) == 0 {
			continue
		}
		sets := []results.CutSet{}
		for _, f := range l.minimal(way) {
			set, err := cutSetOf(&f)
			if err != nil {
				return out, err
			}
			if n := f.faults(); n > len(f.Kinds) {
				set.Within = n
			}
			sets = append(sets, set)
		}
		out.Breaks[way.String()] = sets
	}
	slices.Sort(out.Doubts)
	out.Doubts = slices.Compact(out.Doubts)
	var err error
	out.Singles, err = l.singles(cutSetOf)
	out.SeparateHung()
	out.NameStories()
	return out, err
}

// searched says how several faults were searched in each usage profile of the lock, and the worst
// of that in the profiles to be searched exhaustively.
func (l *Lock) searched(faults int) (worst string, out []results.Searched) {
	if faults < 2 {
		return "", nil
	}
	hows := []string{results.NotSearched, results.Sampled, results.Complete}
	least := len(hows)
	for _, profile := range l.Profiles {
		x := results.Searched{Profile: profile, How: results.NotSearched}
		if st := l.known(profile, 2); st != nil && st.over() {
			x.How, x.Tally, x.Drawn = results.Complete, st.Tally, st.Drawn
			if st.Each > 0 {
				_, most := rate.Wilson(0, st.Each)
				x.How, x.AtMost = results.Sampled, float64(most)/rate.One
			}
		}
		out = append(out, x)
		if profiles[profileIndex(profile)].several {
			least = min(least, slices.Index(hows, x.How))
		}
	}
	if least == len(hows) {
		least = 0
	}
	return hows[least], out
}
