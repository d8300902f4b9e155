// Package faultkind has the kinds of faults: what the search looks for, and what the columns of the matrix stand for.
// Everything that lists, groups, names or explains them reads this table.
package faultkind

import (
	"slices"
	"strings"

	"lockstep/internal/say"
)

// Kind is one thing that can happen to those who use a lock.
type Kind struct {
	Name        string // as results and commands call it
	Verb        string // of package faults, by which it comes about
	Hits        Target
	columns     string    // of the matrix: "CC/acquire", where it counts only while its client acquires; "" for none
	Summary     say.Words // one sentence
	Called      say.Words // as a reader would call it: "a client crash"
	Happens     say.Words // as a clause: "a client crashes"
	OfAnyLength say.Words // it and the kind that lasts for less together; empty where there is no such kind
}

// Target is what a kind of fault hits.
type Target string

// The targets, each as the heading under which a reader looks for its kinds.
const (
	Client  Target = "What can happen to a client"
	Message Target = "What can happen to a message"
	Network Target = "What can happen to the network"
	Clock   Target = "What can happen to a clock"
	Servers Target = "What can happen to the servers"
)

// Targets are all of them.
func Targets() []Target { return []Target{Client, Message, Network, Clock, Servers} }

// Short ends the names of kinds that last less than a lease, or heal while the holder works.
const Short = "-short"

// All returns all kinds, in the order in which they are told.
func All() []Kind { return slices.Clone(all) }

// Names are those of all kinds.
func Names() []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

// Index is where a kind stands among all; -1 for none.
func Index(name string) int {
	return slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
}

// of is the kind of a name. One that a stored result knows and this program does not is called by its name.
func of(name string) Kind {
	if i := Index(name); i >= 0 {
		return all[i]
	}
	return Kind{Name: name, Called: say.Words(name), Happens: say.Words(name)}
}

// Called is a kind as a reader would call it.
func Called(name string) say.Words { return of(name).Called }

// List are kinds as a reader would call them, a long one and its short form as one.
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

// Happening are kinds as clauses: a long one whose short form breaks, too, is said as that.
func Happening(names []string) (out []say.Words) {
	for _, name := range names {
		if !slices.Contains(names, name+Short) {
			out = append(out, of(name).Happens)
		}
	}
	return out
}

// Hit is a kind of fault and what the client is at that it hits: "acquire", "hold" or "release"; "" for whatever
// it is at, and for faults of servers, which hit all clients.
type Hit struct{ Kind, During string }

// Covers reports whether it is one of a kind that hits a client at something.
func (h Hit) Covers(kind, during string) bool {
	return h.Kind == kind && (h.During == "" || h.During == during)
}

// InColumn are what a column of the matrix stands for; none for one without a fault.
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

// While says in words what the client is at; "" for whatever it is at.
func (h Hit) While() string {
	return map[string]string{"acquire": "while acquiring", "hold": "while holding", "release": "while releasing"}[h.During]
}
