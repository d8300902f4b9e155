// Package faultkind has the table of the kinds of faults, for the search, and for the columns of
// the matrix.
package faultkind

import (
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/say"
)

// Kind is one kind of fault.
type Kind struct {
	Name        string // in results and commands
	Verb        string // of package faults, which causes it
	Hits        Target
	columns     string    // of the matrix: "CC/acquire", if it counts only while its client acquires; "" for none
	Summary     say.Words // one sentence
	Called      say.Words // for readers: "a client crash"
	Happens     say.Words // as a clause: "a client crashes"
	OfAnyLength say.Words // it and its short form together; empty where there is no short form
}

// Target is what a kind of fault hits.
type Target string

// The targets, as headings of lists of kinds.
const (
	Client  Target = "What can happen to a client"
	Message Target = "What can happen to a message"
	Network Target = "What can happen to the network"
	Clock   Target = "What can happen to a clock"
	Servers Target = "What can happen to the servers"
)

// Targets returns all of them.
func Targets() []Target { return []Target{Client, Message, Network, Clock, Servers} }

// Short is the suffix of kinds that last less than a lease, or heal while the holder works.
const Short = "-short"

// All returns all kinds in their usual order.
func All() []Kind { return slices.Clone(all) }

// Names returns the names of all kinds.
func Names() []string { return each.Map(all, func(k Kind) string { return k.Name }) }

// Index is the index of a kind among all; -1 for none.
func Index(name string) int {
	return slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
}

// of returns the kind of a name; a kind unknown to this program, from a stored result, is called by
// its name.
func of(name string) Kind {
	if i := Index(name); i >= 0 {
		return all[i]
	}
	return Kind{Name: name, Called: say.Words(name), Happens: say.Words(name)}
}

// Called is a kind as a reader would call it.
func Called(name string) say.Words { return of(name).Called }

// List names kinds for readers, a long one and its short form as one.
func List(names []string) (out say.List) {
	for _, name := range names {
		long, short := strings.CutSuffix(name, Short)
		switch {
		case short && slices.Contains(names, long):
		case slices.Contains(names, name+Short):
			out = append(out, of(name).OfAnyLength)
		default:
			out = append(out, of(name).Called)
		}
	}
	return out
}

// Happening lists kinds as clauses, leaving out long ones whose short form also breaks.
func Happening(names []string) (out []say.Words) {
	for _, name := range names {
		if !slices.Contains(names, name+Short) {
			out = append(out, of(name).Happens)
		}
	}
	return out
}

// Hit is a kind of fault and what its client is doing then: "acquire", "hold" or "release"; "" for
// anything, and for faults of servers, which hit all clients.
type Hit struct{ Kind, During string }

// Covers reports whether it includes a kind that hits a client doing something.
func (h Hit) Covers(kind, during string) bool {
	return h.Kind == kind && (h.During == "" || h.During == during)
}

// InColumn returns what a column of the matrix stands for; none for the one without a fault.
func InColumn(code string) (out []Hit) {
	for i := range all {
		for _, column := range strings.Fields(all[i].columns) {
			if of, during, _ := strings.Cut(column, "/"); of == code {
				out = append(out, Hit{all[i].Name, during})
			}
		}
	}
	return out
}

// While says in words what the client is doing; "" for anything.
func (h Hit) While() string {
	return map[string]string{"acquire": "while acquiring", "hold": "while holding", "release": "while releasing"}[h.During]
}
