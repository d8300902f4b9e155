// Package checker judges histories. A property is a pure function from a
// history to a finding; there is one file per property, and it registers itself.
package checker

import (
	"fmt"
	"sort"

	"lockstep/internal/history"
)

// Verdict is the answer to "did the lock keep this property in this run?".
type Verdict string

// The three verdicts. Unknown is never a synonym of Kept: it means that the run
// did not put the property to the test, or that the checker cannot tell.
const (
	Kept    Verdict = "kept"
	Broken  Verdict = "broken"
	Unknown Verdict = "unknown"
)

// Property is one thing that a lock promises, stated positively.
type Property struct {
	ID      string // mutual-exclusion
	Summary string // one sentence
	Source  string // where the definition comes from
	// Check looks at one history. It never panics on a history of any content.
	Check func(h *history.History) Finding
}

// Finding is what a property's check found.
type Finding struct {
	Property   string
	Verdict    Verdict
	Count      int         // how many violations; Violations may hold fewer
	Violations []Violation // in order of time
	Reason     string      // for Unknown: why
}

// Violation is one place where the property broke.
type Violation struct {
	From, To history.Instant  // equal for a violation that is an instant
	Clients  []history.NodeID // who was involved; the one in the wrong first
	Events   []int32          // the events that prove it, in order of time
}

// MaxViolations is how many violations a finding keeps; Count goes on counting.
const MaxViolations = 1000

// add counts a violation and keeps it if there is room. The checks call it in
// order of time.
func (f *Finding) add(v Violation) {
	f.Count++
	if len(f.Violations) < MaxViolations {
		f.Violations = append(f.Violations, v)
	}
}

var registry = map[string]Property{}

// Register adds a property; called from the init of the property's file.
func Register(p Property) {
	if _, dup := registry[p.ID]; dup {
		panic(fmt.Sprintf("checker: property %q registered twice", p.ID))
	}
	registry[p.ID] = p
}

// Lookup returns the property with that id.
func Lookup(id string) (Property, bool) {
	p, ok := registry[id]
	return p, ok
}

// All returns all properties, sorted by id.
func All() []Property {
	out := make([]Property, 0, len(registry))
	for _, p := range registry { // order: sorted below
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}
