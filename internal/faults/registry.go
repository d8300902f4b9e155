package faults

import (
	"fmt"
	"sort"
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
	ParamNone                      // the verb's own value must be absent or empty
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
	// Instead, of a ParamClient, is what does the same to a server; "" when nothing does.
	Instead string
}

// Timed reports whether the parameter's value is a duration, kept in Args.Durations.
func (p Param) Timed() bool { return p.Kind == ParamDuration || p.Kind == ParamOffset }

// MayBeZero reports whether a fault with a duration of 0 is one. A pause of 0s does
// nothing; what may be left out says how, not whether: a restart is one however short
// its victim stays away.
func (p Param) MayBeZero() bool { return p.Kind == ParamDuration && !p.Required }

// NamesNode reports whether the parameter's value is a node.
func (p Param) NamesNode() bool { return p.Kind == ParamNode || p.Kind == ParamClient }

// Spec describes a verb. Everything that lists verbs (schema, completion,
// validation, docs) comes from it.
type Spec struct {
	Name    string
	Summary say.Words // one sentence
	Example string    // YAML, as it stands in a list of faults
	Value   Param     // what follows the verb: pause: A
	Params  []Param   // further keys of the same fault
	// Ends says whether the verb needs for/until/forever (EndRequired), may
	// have one (EndOptional) or is over at once (EndNone).
	Ends EndRule
	// OnWire: the trigger must be a moment of the wire, since the verb acts on
	// that command.
	OnWire bool
	// Replica: there must be a replica for it.
	Replica bool
	// Promoter: its value says who promotes the replica, as servers: does.
	Promoter bool
	// Lasting: what it does to a client is never undone.
	Lasting bool
	// Say says what the verb does with its parameters, as a scenario would.
	Say func(Args) string
	// Tell tells a reader the same: who does what.
	Tell func(Telling) say.Phrase
	// Build makes the verb from checked arguments.
	Build func(Args) Verb
}

// EndRule says whether a verb has an end.
type EndRule uint8

// The rules for ends.
const (
	EndNone EndRule = iota
	EndOptional
	EndRequired
)

// Args are the checked arguments of one fault.
type Args struct {
	Value     string                   // the verb's own value, as text; Make derives it from the next three where it can
	Durations map[string]time.Duration // parameters that are durations, by name
	Rates     map[string]int64         // parameters of kind ParamRate, in millionths
	Sides     [][]string               // the verb's own value, when it is of kind ParamSides
	Choices   map[string]string        // all other parameters
}

var registry = map[string]Spec{}

// Register adds a verb; called from the init of the verb's file.
func Register(s Spec) {
	if _, dup := registry[s.Name]; dup {
		panic(fmt.Sprintf("faults: verb %q registered twice", s.Name))
	}
	if s.Say == nil || s.Build == nil {
		panic(fmt.Sprintf("faults: verb %q does not say what it does, or is not built: give its Spec Say and Build", s.Name))
	}
	registry[s.Name] = s
}

// Lookup returns the verb with that name.
func Lookup(name string) (Spec, bool) {
	s, ok := registry[name]
	return s, ok
}

// All returns all verbs, sorted by name.
func All() []Spec {
	out := make([]Spec, 0, len(registry))
	for _, s := range registry { // order: sorted below
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
