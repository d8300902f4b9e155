package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Scope is within what a result holds: *none* means none of these.
type Scope struct {
	Worlds  []ScopeWorld `json:"worlds"`
	Clients int          `json:"clients"`
	Rounds  int          `json:"rounds"`
	Faults  int          `json:"faults"`
	Kinds   []string     `json:"kinds"`
	Classes []string     `json:"classes"`
}

// ScopeWorld is one base world.
type ScopeWorld struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// classes say what the letters leave open of the durations.
var classes = []string{
	"the lease is 10 s, a lost reply is noticed after 3 s; messages take 1 ms, nothing is drawn",
	"a primary has one replica (more where the design says so) that is 0.1 s behind; 3 nodes of redlock, clusters of 3 members",
	"moments: around each request and each step of the workload (waits, enters, works, writes, releases); a client is hit at its own, a server at those of all; rates of clocks change when a client waits or acquires",
	"one fault alone: -short 2 s and 5 s (servers 5 s, splits 3 s), else 12 s and 40 s; a restart takes 0.5 s or 12 s",
	"several faults: -short 5 s (splits 3 s), else 12 s (consul also 40 s); a restart takes 0.5 s; a client is cut off from one server for 12 s only",
	"several faults: of the two followers of a cluster only the first is hit alone, and splits have its leader alone or with one client",
	"slow work takes 8 s or 40 s longer; clocks step by 11 s to and fro, and run 2 % or 15 % fast or slow (several faults: 15 %)",
	"several faults come together in the plain world, the next one at any later moment, at that of the one before or at its end",
}

func (o *Options) scope() Scope {
	s := Scope{Clients: o.Clients, Rounds: o.Rounds, Faults: o.Faults, Classes: classes, Worlds: []ScopeWorld{}, Kinds: []string{}}
	for _, b := range bases() {
		s.Worlds = append(s.Worlds, ScopeWorld{b.Name, b.Summary})
	}
	for _, k := range kinds {
		if o.Only == nil || slices.Contains(o.Only, k.Name) {
			s.Kinds = append(s.Kinds, k.Name)
		}
	}
	return s
}

// Result is what a walk has come to.
type Result struct {
	Schema int          `json:"schema"`
	Scope  Scope        `json:"scope"`
	Locks  []LockResult `json:"locks"`
}

// LockResult is what it takes to break one lock.
type LockResult struct {
	Lock     string   `json:"lock"`
	Scope    []string `json:"scope"` // the base worlds that were walked
	Walked   int64    `json:"walked"`
	Vain     int64    `json:"without_effect"` // schedules of which a fault changed nothing
	Cut      int64    `json:"cut_short"`      // schedules whose runs had no end: nobody knows
	Complete int      `json:"complete"`       // all sets of so many faults are known
	Breaks   Breaks   `json:"breaks"`
	Doubts   []string `json:"doubts"` // what broke with a fault that had no effect: nobody knows why
}

// Breaks are the minimal sets for each way of breaking; nil: not walked.
type Breaks struct {
	Believe []Set `json:"believe"`
	Damage  []Set `json:"damage"`
	Robbed  []Set `json:"robbed"`
	Stuck   []Set `json:"stuck"`
}

// Of returns the sets of one way.
func (b *Breaks) Of(w Way) []Set { return *b.of(w) }

func (b *Breaks) of(w Way) *[]Set {
	return [ways]*[]Set{&b.Believe, &b.Damage, &b.Robbed, &b.Stuck}[w]
}

// Set is a minimal set of kinds of faults. No kinds: it breaks without a fault.
type Set struct {
	Kinds []string `json:"kinds"`
	World string   `json:"world"`
	Story string   `json:"story"` // the file
	Text  string   `json:"text"`  // in one line
}

// Result returns what the walk has come to, with the stories that show it.
func (s *State) Result(o *Options) (*Result, []Story, error) {
	r := &Result{Schema: 1, Scope: s.Scope, Locks: []LockResult{}}
	t := newTeller(o)
	defer t.close()
	for _, v := range o.Locks {
		l := s.lock(v.ID)
		out := LockResult{Lock: v.ID, Scope: l.Bases, Walked: l.walked(), Complete: l.complete(s.Scope.Faults), Doubts: []string{}}
		if out.Scope == nil {
			out.Scope = []string{}
		}
		for _, st := range l.Stages {
			out.Vain, out.Cut = out.Vain+st.Vain, out.Cut+st.Cut
			out.Doubts = append(out.Doubts, st.Doubts...)
		}
		for _, way := range Ways() {
			if len(l.Stages) == 0 {
				continue
			}
			sets := []Set{}
			for _, f := range l.minimal(way) {
				set, err := t.tell(v, &f)
				if err != nil {
					return nil, nil, err
				}
				sets = append(sets, set)
			}
			*out.Breaks.of(way) = sets
		}
		r.Locks = append(r.Locks, out)
	}
	stories := t.stories(r)
	return r, stories, nil
}

// JSON is the result with one line for each set. version is that of the program; "" leaves
// it out.
func (r *Result) JSON(version string) ([]byte, error) {
	var b bytes.Buffer
	var failed error
	one := func(v any) []byte {
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			failed = err
		}
		return bytes.TrimSpace(line.Bytes())
	}
	b.WriteString("{\"schema\":1")
	if version != "" {
		fmt.Fprintf(&b, ",\"version\":%s", one(version))
	}
	fmt.Fprintf(&b, ",\n\"scope\":%s,\n\"locks\":[", one(r.Scope))
	for i := range r.Locks {
		l := &r.Locks[i]
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n{\"lock\":%s,\"scope\":%s,\"walked\":%d,\"without_effect\":%d,\"cut_short\":%d,\"complete\":%d,\"doubts\":%s,\"breaks\":{",
			one(l.Lock), one(l.Scope), l.Walked, l.Vain, l.Cut, l.Complete, one(l.Doubts))
		for k, way := range Ways() {
			if k > 0 {
				b.WriteByte(',')
			}
			sets := l.Breaks.Of(way)
			if sets == nil {
				fmt.Fprintf(&b, "\n %q:null", way.String())
				continue
			}
			fmt.Fprintf(&b, "\n %q:[", way.String())
			for n := range sets {
				if n > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "\n  %s", one(&sets[n]))
			}
			b.WriteByte(']')
		}
		b.WriteString("}}")
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), failed
}
