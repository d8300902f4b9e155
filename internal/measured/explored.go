package measured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Explored is what a walk of the fault space has come to: the minimal sets of kinds of faults
// that break each lock.
type Explored struct {
	Schema int            `json:"schema"`
	Scope  Scope          `json:"scope"`
	Locks  []ExploredLock `json:"locks"`
}

// NewExplored is a result of this schema.
func NewExplored(scope Scope) *Explored {
	return &Explored{Schema: schema, Scope: scope, Locks: []ExploredLock{}}
}

// Complete is how many locks have all sets of so many faults known.
func (x *Explored) Complete(faults int) (n int) {
	for i := range x.Locks {
		if x.Locks[i].Complete >= faults {
			n++
		}
	}
	return n
}

// Walked is how many schedules were played.
func (x *Explored) Walked() (n int64) {
	for i := range x.Locks {
		n += x.Locks[i].Walked
	}
	return n
}

// Scope is within what a walk holds: *none* means none of these.
type Scope struct {
	Worlds  []BaseWorld `json:"worlds"`
	Clients int         `json:"clients"`
	Rounds  int         `json:"rounds"`
	Faults  int         `json:"faults"`
	Kinds   []string    `json:"kinds"`
	Classes []string    `json:"classes"` // what the kinds leave open of durations
}

// BaseWorld is one way in which locks are used, without faults.
type BaseWorld struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// ExploredLock is what it takes to break one lock.
type ExploredLock struct {
	Lock     string   `json:"lock"`
	Scope    []string `json:"scope"` // the base worlds that were walked
	Walked   int64    `json:"walked"`
	Vain     int64    `json:"without_effect"` // schedules of which a fault changed nothing
	Cut      int64    `json:"cut_short"`      // schedules whose runs had no end: nobody knows
	Complete int      `json:"complete"`       // all sets of so many faults are known
	Doubts   []string `json:"doubts"`         // what broke with a fault that had no effect: nobody knows why
	// Breaks are the minimal sets, by way of breaking; nil: not walked.
	Breaks map[string][]CutSet `json:"breaks"`
}

// Ways are the ways of breaking, as results call them.
func Ways() []string { return []string{"believe", "damage", "robbed", "stuck"} }

// CutSet is a minimal set of kinds of faults. No kinds: the lock breaks without a fault.
type CutSet struct {
	Kinds []string `json:"kinds"`
	World string   `json:"world"`
	Story string   `json:"story"` // the file
	Text  string   `json:"text"`  // in one line

	TextChinese string `json:"-"` // "" for one that was read: its story has it
}

// ReadExplored reads a stored walk.
func ReadExplored(data []byte) (*Explored, error) {
	r := &Explored{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("is no result of simulate explore: %w", err)
	}
	if r.Schema != schema || len(r.Locks) == 0 {
		return nil, errors.New("is no result of simulate explore: it has no locks, or another schema than 1")
	}
	for i := range r.Locks {
		l := &r.Locks[i]
		ok := printable(l.Lock)
		for _, way := range Ways() {
			for _, s := range l.Breaks[way] {
				ok = ok && printable(append([]string{s.World, s.Story, s.Text}, s.Kinds...)...)
			}
		}
		if !ok {
			return nil, fmt.Errorf("is no result of simulate explore: lock %d has a character that no page shows", i+1)
		}
	}
	return r, nil
}

// JSON is the result with one line for each set. version is that of the program; "" leaves
// it out.
func (r *Explored) JSON(version string) ([]byte, error) {
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
			sets := l.Breaks[way]
			if sets == nil {
				fmt.Fprintf(&b, "\n %q:null", way)
				continue
			}
			fmt.Fprintf(&b, "\n %q:[", way)
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
