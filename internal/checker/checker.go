// Package checker judges histories. A property is a pure function from a
// history to a finding; there is one file per property, and it registers itself.
package checker

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Version is the version of the properties in results. Raise it with every change by which a
// history could get another verdict, count or letter.
const Version = 9

// Verdict is the answer to "did the lock keep this property in this run?".
type Verdict string

// The three verdicts. Unknown means that the run did not put the property to the test, or that the
// checker cannot tell.
const (
	Kept    Verdict = "kept"
	Broken  Verdict = "broken"
	Unknown Verdict = "unknown"
)

// Worse returns the worse of two verdicts: broken, unknown, kept.
func Worse(a, b Verdict) Verdict {
	for _, v := range []Verdict{Broken, Unknown} {
		if a == v || b == v {
			return v
		}
	}
	return Kept
}

// Property is one thing that a lock promises, stated positively.
type Property struct {
	ID      string    // mutual-exclusion
	Summary say.Words // one sentence
	Source  string    // where the definition comes from
	// Core properties are judged in every run, and every lock is expected to keep them. The others
	// are judged for stories that expect something of them.
	Core bool
	// Check looks at one history. It never panics, whatever the history contains.
	Check func(h *history.History) Finding
}

// Finding is what a property's check found.
type Finding struct {
	Property   string
	Verdict    Verdict
	Count      int         // how many violations; Violations may hold fewer
	Violations []Violation // in order of time
	Reason     say.Phrase  // for Unknown: why
	NoOccasion bool        // for Unknown: nothing happened that could have broken it
	Doubts     int         // how many commands may have broken it, which the history does not show
}

// Violation is one place where the property broke.
type Violation struct {
	From, To history.Instant  // equal for a violation that is an instant
	Clients  []history.NodeID // involved, the one in the wrong first
	Events   []int32          // that prove it, in order of time
}

// MaxViolations is how many violations a finding keeps; Count goes on counting.
const MaxViolations = 1000

// add counts a violation and keeps it if there is room. Checks call it in order of time.
func (f *Finding) add(v Violation) {
	f.Count++
	if len(f.Violations) < MaxViolations {
		f.Violations = append(f.Violations, v)
	}
}

var registry []Property // sorted by id

// Register adds a property; called from the init of the property's file.
func Register(p Property) {
	if _, dup := Lookup(p.ID); dup {
		panic(fmt.Sprintf("checker: property %q registered twice", p.ID))
	}
	registry = append(registry, p)
	slices.SortFunc(registry, func(a, b Property) int { return strings.Compare(a.ID, b.ID) })
}

// Lookup returns the property with that id.
func Lookup(id string) (Property, bool) {
	if i := slices.IndexFunc(registry, func(p Property) bool { return p.ID == id }); i >= 0 {
		return registry[i], true
	}
	return Property{}, false
}

// All returns all properties, sorted by id.
func All() []Property { return slices.Clone(registry) }

// NotCore returns those of some properties that are judged only where they are asked for.
func NotCore(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		p, ok := Lookup(id)
		return ok && p.Core
	})
}
