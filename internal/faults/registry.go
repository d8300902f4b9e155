package faults

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"lockstep/internal/say"
)

// ParamKind is the type of a parameter in a scenario file.
type ParamKind uint8

// The types of parameters.
const (
	ParamNode     ParamKind = iota // a client, a server, "the holder", "the primary", ...
	ParamClient                    // the same without servers
	ParamServer                    // a server or "the primary"
	ParamDuration                  // 15s
	ParamChoice                    // one of Choices
	ParamOffset                    // a duration with a sign: +12s
	ParamRate                      // a change of a rate: +5%, -200ppm
	ParamSides                     // two or more sides, each a node, a group of nodes or a list of these: [A, store]
)

// Param describes one parameter of a verb.
type Param struct {
	Name     string // key in the scenario; "" for the verb's own value
	Kind     ParamKind
	Choices  []string
	Required bool
	Default  time.Duration // of a ParamDuration that may be left out
	Two      bool          // of ParamSides: exactly two
	Doc      string
	// Instead, of a ParamClient, says how to do the same to a server; "" if there is no way.
	Instead string
}

// Timed reports whether the parameter's value is a duration, kept in Args.Durations.
func (p Param) Timed() bool { return p.Kind == ParamDuration || p.Kind == ParamOffset }

// MayBeZero reports whether a duration may be 0: a restart without a pause is one, a pause of 0s is
// none.
func (p Param) MayBeZero() bool { return p.Kind == ParamDuration && !p.Required }

// NamesNode reports whether the parameter's value is a node.
func (p Param) NamesNode() bool { return p.Kind == ParamNode || p.Kind == ParamClient }

// Spec describes a verb, for schema, completion, validation and docs as well.
type Spec struct {
	Name    string
	Summary say.Words // one sentence
	Example string    // YAML, as it stands in a list of faults
	Value   Param     // what follows the verb: pause: A
	Params  []Param   // further keys of the same fault
	// Ends: it lasts, and needs for, until or forever. False: it is over at once.
	Ends bool
	// OnWire: it acts on a command, so the trigger must be a moment on the wire.
	OnWire bool
	// Replica: it needs a replica.
	Replica bool
	// Promoter: its value says who promotes the replica, as the servers' set-up does.
	Promoter bool
	// Lasting: its effect on a client is never undone.
	Lasting bool
	// Acts is the time for which it acts, where no event of its node shows that.
	Acts Span
	// Delays: it makes messages late, as each verb that cuts links does.
	Delays bool
	// Say is the fault as a scenario states it, without when; nil: the verb, its value and its
	// parameters.
	Say func(Args) string
	// Describe is the same as a sentence for readers: who does what.
	Describe func(Description) say.Phrase

	// Begin does it; at says what triggered it.
	Begin func(w World, a Args, at Activation)
	// End undoes it; nil where nothing can be undone. It is called once, and only for a fault
	// that has an end.
	End func(w World, at Activation)
	// Keeps: if another fault of the verb still acts on the target when this one ends, that fault
	// begins again instead of End being called. False if faults of the verb do not interfere.
	Keeps bool
}

// Verb is the verb that is described.
func (s *Spec) Verb() Verb { return Verb{s} }

// Cuts reports whether the verb cuts links: reports say between whom, and when they work again.
func (s *Spec) Cuts() bool { return s.Value.Kind == ParamSides }

// Span is the time for which a fault acts on a node or on links, as a bar in reports.
type Span uint8

// The spans.
const (
	SpanOfEvents Span = iota // between two events of its node, such as froze and thawed; or it is over at once
	SpanOfFault              // from its begin to its end
	SpanOfWork               // until its client's work is over
)

// Args are the checked arguments of one fault.
type Args struct {
	Value     string                   `json:"value,omitempty"`        // the verb's own value, as text; Make derives it from the others if it can
	Durations map[string]time.Duration `json:"durations_ns,omitempty"` // parameters that are durations, by name
	Rates     map[string]int64         `json:"rates_ppm,omitempty"`    // parameters of kind ParamRate
	Sides     [][]string               `json:"sides,omitempty"`        // the verb's own value, when it is of kind ParamSides
	Choices   map[string]string        `json:"choices,omitempty"`      // all other parameters
}

// The keys of a fault in a scenario file, besides its verb with the parameters.
var (
	TriggerKeys = []string{"at", "every", "when"}
	EndKeys     = []string{"for", "until", "forever"}
)

// Keys besides those of triggers and ends.
const (
	AfterKey  = "after"  // delays it beyond its moment
	ChanceKey = "chance" // how likely it happens
)

// Keys returns all of them.
func Keys() []string { return slices.Concat([]string{AfterKey, ChanceKey}, TriggerKeys, EndKeys) }

var registry = map[string]*Spec{}

// Register adds a verb; called from the init of the verb's file. It panics if the description is
// incomplete.
func Register(s Spec) {
	if _, dup := registry[s.Name]; dup {
		panic(fmt.Sprintf("faults: verb %q registered twice", s.Name))
	}
	if s.Describe == nil || s.Begin == nil {
		panic(fmt.Sprintf("faults: verb %q lacks Begin or Describe in its Spec", s.Name))
	}
	for _, p := range s.Params {
		if slices.Contains(Keys(), p.Name) {
			panic(fmt.Sprintf("faults: verb %q has a parameter %q: each fault has that key, so give it another name", s.Name, p.Name))
		}
	}
	registry[s.Name] = &s
}

// Lookup returns the verb with that name.
func Lookup(name string) (Spec, bool) {
	if s, ok := registry[name]; ok {
		return *s, true
	}
	return Spec{}, false
}

// All returns all verbs, sorted by name.
func All() (all []Spec) {
	for _, name := range slices.Sorted(maps.Keys(registry)) {
		all = append(all, *registry[name])
	}
	return all
}
