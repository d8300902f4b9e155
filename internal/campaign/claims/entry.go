package claims

import (
	"embed"

	"github.com/goccy/go-yaml"

	"lockstep/internal/scenario"
)

//go:embed data/*.yaml
var data embed.FS

// entry is a claim in a file of data.
type entry struct {
	N       int
	Claim   string
	Zh      string
	Source  string
	Scripts map[string]string // of Lua, by their names
	Plays   []yaml.MapSlice   // each a play, with {names} for what Each sets
	// Requires are conditions without which the experiment did not test what it should: an error.
	Requires []condition
	Must     []condition // the claim is false when one does not hold
	Cases    []condition // see verdict
	Figure   string
	FigureZh string `yaml:"figure zh"`
}

// condition is an expression over what was found. A figure may list the conditions that have names.
type condition struct {
	If, Name, Zh string
}

// UnmarshalYAML also reads a condition without a name, which is a text.
func (c *condition) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&c.If) == nil {
		return nil
	}
	type named condition
	return unmarshal((*named)(c))
}

// play is one story, or variations of one, with the questions to its runs; or a session with a bare
// model of a store (Bare), or an experiment in Go (Lab).
type play struct {
	scenario.Sketch `yaml:",inline"`

	Seeds   int           // 0: 20
	MayMiss bool          `yaml:"may miss"` // faults need not fire in every run
	Each    yaml.MapSlice // what varies, and its values: all combinations are played
	Find    yaml.MapSlice // names, and the question of each
	Alone   bool          // three clients, one after the other, without random draws: what a lock costs
	Crowd   int           // number of clients; 0: those of the story
	Load    *load         // what the servers need for their work; nil: no time
	Apart   bool          // each client has a lock of its own
	Variant string        // a lock made for claims, see variant; "": Lock is the lock
	Acquire string        // of the variant "scripts": with which script it acquires
	Release string        // and releases

	Bare string
	Do   []any // commands: texts, or a name for the reply and the text
	Lab  string
}

// holds says which of the conditions hold, and how many.
func (x *experiment) holds(conditions []condition) (held []bool, n int) {
	for _, c := range conditions {
		is := x.number(c.If) != 0
		held = append(held, is)
		if is {
			n++
		}
	}
	return held, n
}

// verdict applies the rule of the claim: false when a condition of Must does not hold; otherwise
// true when all of Must and Cases do, false when none does, and depends when some do.
func (x *experiment) verdict() string {
	for _, c := range x.Requires {
		if x.number(c.If) == 0 {
			x.lab.Fail("it has to be so that %s", c.If)
		}
	}
	must, n := x.holds(x.Must)
	cases, k := x.holds(x.Cases)
	x.held, x.conditions = append(must, cases...), append(append([]condition{}, x.Must...), x.Cases...)
	switch {
	case n < len(must) || n+k == 0:
		return False
	case k == len(cases):
		return True
	}
	return Depends
}
