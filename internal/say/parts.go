package say

import (
	"fmt"
	"strconv"
	"strings"
)

// Node is a client, a server or something else of a run. The zero value reads "someone".
type Node struct {
	role nodeRole
	name string
}

type nodeRole uint8

const (
	somebody nodeRole = iota
	client
	oneStore
	storeOfMany
	resource
	probe
)

// Client is a client, or anything else that goes by its name.
func Client(name string) Node { return Node{client, name} }

// Store is a server; only: there is no other one, so its name tells the reader nothing.
func Store(name string, only bool) Node {
	if only {
		return Node{oneStore, name}
	}
	return Node{storeOfMany, name}
}

// Resource is what the lock guards.
func Resource() Node { return Node{role: resource} }

// Probe is who tries the lock when all is over.
func Probe() Node { return Node{role: probe} }

func (n Node) named() bool { return n.role == client }

// In names the node within a sentence.
func (n Node) In(l Language) string {
	switch n.role {
	case client:
		return n.name
	case oneStore:
		return translated(l, "the store")
	case storeOfMany:
		return translated(l, "store ") + n.name
	case resource:
		return translated(l, "the resource")
	case probe:
		return translated(l, "the probe")
	}
	return translated(l, "someone")
}

// Name is the name of a client or a server, or of the probe or the resource, whose names are
// words.
type Name string

// In returns the name.
func (n Name) In(l Language) string {
	if n == "probe" || n == "resource" {
		return translated(l, string(n))
	}
	return string(n)
}

// Names are several names: A, B and C.
type Names []string

// In joins the names.
func (n Names) In(l Language) string {
	words := make([]string, len(n))
	for i, name := range n {
		words[i] = Name(name).In(l)
	}
	return joined(words, word(l, ", ", betweenNames), word(l, " and ", betweenNames))
}

func joined(words []string, between, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], between) + last + words[len(words)-1]
}

// Alternatives are names of which any will do: A or B or C.
type Alternatives []string

// In joins the names.
func (a Alternatives) In(l Language) string { return strings.Join(a, translated(l, " or ")) }

// Product is the software of the servers; empty: the store.
type Product string

// In names the software.
func (p Product) In(l Language) string {
	if p != "" {
		return string(p)
	}
	return translated(l, "the store")
}

// Property is a property, by the name that scenarios give it. Chinese has names of its own for them.
type Property string

// In names the property within a sentence.
func (p Property) In(l Language) string {
	name := PropertyName(string(p), l)
	if name == string(p) {
		return name
	}
	return namedProperty.With(Verbatim(name)).In(l)
}

var namedProperty = New1[Verbatim]("the property {name}")

// PropertyName names a property by itself, as a heading does.
func PropertyName(id string, l Language) string { return translated(l, id) }

// Shares say who has how many of all servers: A 2/3, B 1/3.
type Shares []Share

// Share is how many servers one client has.
type Share struct {
	Name Name
	Has  int
	Of   int
}

// In joins the shares.
func (s Shares) In(l Language) string {
	words := make([]string, len(s))
	for i, x := range s {
		words[i] = fmt.Sprintf("%s %d/%d", x.Name.In(l), x.Has, x.Of)
	}
	return strings.Join(words, word(l, ", ", betweenNames))
}

// Clauses are several phrases of one sentence: X, Y and Z.
type Clauses []Phrase

// In joins the clauses.
func (c Clauses) In(l Language) string {
	return joined(eachIn(c, l), word(l, ", ", betweenClauses), word(l, " and ", betweenClauses))
}

// Remarks are several phrases that stand for themselves: X; Y.
type Remarks []Phrase

// In joins the remarks.
func (r Remarks) In(l Language) string { return strings.Join(eachIn(r, l), translated(l, "; ")) }

// Verbatim is the same in every language: a name, or what a server or a scenario says.
type Verbatim string

// In returns the text.
func (v Verbatim) In(Language) string { return string(v) }

// Flag decides whether something is said.
type Flag bool

// In says nothing.
func (Flag) In(Language) string { return "" }

// Command is what a client sends: the name of a command or of a script.
type Command struct {
	Name   string // "" when it is not known
	Script bool
}

// In names the command.
func (c Command) In(l Language) string {
	switch {
	case c.Name == "":
		return translated(l, "command")
	case c.Script:
		return c.Name + translated(l, " script")
	}
	return c.Name
}

// Verdict is kept, broken or unknown.
type Verdict string

// In returns the verdict.
func (v Verdict) In(l Language) string { return translated(l, string(v)) }

// Reason is why an attempt failed, as a lock, a world or a server says it: "" when
// unknown. What servers say stays in their own words.
type Reason string

// In returns the reason.
func (r Reason) In(l Language) string {
	if r == "" {
		return translated(l, "its outcome is unknown")
	}
	return translated(l, string(r))
}

// Both is a text that came in both languages: what a scenario, a lock or a fault says of itself.
type Both struct {
	English string
	Chinese string // "" when there is none: then the English one is said
}

// In returns the text.
func (b Both) In(l Language) string {
	if l == Chinese && b.Chinese != "" {
		return b.Chinese
	}
	return b.English
}

// Phrase is the text by itself.
func (b Both) Phrase() Phrase { return quoted.With(b) }

var quoted = New1[Both]("{words}")

// List is several things, without a word before the last one: A, B, C.
type List []Part

// In joins the things.
func (p List) In(l Language) string { return strings.Join(eachIn(p, l), word(l, ", ", betweenNames)) }

// Seed is a seed, which may be larger than a Number.
func Seed(seed uint64) Verbatim { return Verbatim(strconv.FormatUint(seed, 10)) }

// ListOf are names as a list.
func ListOf(names []string) List {
	out := make(List, len(names))
	for i, name := range names {
		out[i] = Verbatim(name)
	}
	return out
}

// Series is a list of which each thing is told for itself.
type Series []Part

// In joins the things.
func (s Series) In(l Language) string {
	return strings.Join(eachIn(s, l), word(l, ", ", betweenClauses))
}

// Sequence is what happens one after the other: X, then Y.
type Sequence []Part

// In joins the things.
func (s Sequence) In(l Language) string {
	return strings.Join(eachIn(s, l), translated(l, ", then "))
}

func eachIn[P Part](parts []P, l Language) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.In(l)
	}
	return out
}
