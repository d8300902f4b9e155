package say

import (
	"fmt"
	"strconv"
	"strings"
)

// Node is a participant of a run, such as a client or a server. The zero value reads "someone".
type Node struct{ role, name string }

// Client is a client, or any other node that is called by its name.
func Client(name string) Node { return Node{name: name} }

// Store is a server. If it is the only one, it is called "the store" instead of by its name.
func Store(name string, only bool) Node {
	if only {
		return Node{role: "the store"}
	}
	return Node{"store ", name}
}

// Resource is the resource that the lock guards.
func Resource() Node { return Node{role: "the resource"} }

// Probe is the client that tries the lock in the quiet period at the end.
func Probe() Node { return Node{role: "the probe"} }

func (n Node) named() bool { return n.role == "" && n.name != "" }

// In names the node within a sentence.
func (n Node) In(l Language) string {
	if n == (Node{}) {
		return translated(l, "someone")
	}
	return translated(l, n.role) + n.name
}

// Name is the name of a client or a server, or one of the words "probe" and "resource", which are
// translated.
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
	words := mapped(n, func(name string) string { return Name(name).In(l) })
	return joined(words, word(l, ", ", betweenNames), word(l, " and ", betweenNames))
}

func joined(words []string, between, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], between) + last + words[len(words)-1]
}

// Alternatives are names to choose from: A or B or C.
type Alternatives []string

// In joins the names.
func (a Alternatives) In(l Language) string { return strings.Join(a, translated(l, " or ")) }

// Product is the software of the servers; "" reads "the store".
type Product string

// In names the software.
func (p Product) In(l Language) string {
	if p != "" {
		return string(p)
	}
	return translated(l, "the store")
}

// Property is the id of a property. Chinese has a name for each.
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

// PropertyName is the name of a property outside of a sentence, as in a heading.
func PropertyName(id string, l Language) string { return translated(l, id) }

// Shares say how many of the servers each client has: A 2/3, B 1/3.
type Shares []Share

// Share is how many servers one client has.
type Share struct {
	Name Name
	Has  int
	Of   int
}

// In joins the shares.
func (s Shares) In(l Language) string {
	words := mapped(s, func(x Share) string {
		return fmt.Sprintf("%s %d/%d", x.Name.In(l), x.Has, x.Of)
	})
	return strings.Join(words, word(l, ", ", betweenNames))
}

// Clauses are the clauses of one sentence: X, Y and Z.
type Clauses []Phrase

// In joins the clauses.
func (c Clauses) In(l Language) string {
	return joined(eachIn(c, l), word(l, ", ", betweenClauses), word(l, " and ", betweenClauses))
}

// Remarks are independent phrases: X; Y.
type Remarks []Phrase

// In joins the remarks.
func (r Remarks) In(l Language) string { return strings.Join(eachIn(r, l), translated(l, "; ")) }

// Verbatim is a text that is not translated: a name, or the words of a server or a scenario.
type Verbatim string

// In returns the text.
func (v Verbatim) In(Language) string { return string(v) }

// Phrase is the text as a phrase of its own.
func (v Verbatim) Phrase() Phrase { return Said.With(v) }

// Flag decides whether a part of a phrase is included.
type Flag bool

// In returns "".
func (Flag) In(Language) string { return "" }

// Command is the name of a command or a script that a client sends.
type Command struct {
	Name   string // "" if unknown
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

// Reason is why an attempt failed, in the words of a lock, a world or a server; "" if unknown. The
// words of servers are not translated.
type Reason string

// In returns the reason.
func (r Reason) In(l Language) string {
	if r == "" {
		return translated(l, "its outcome is unknown")
	}
	return translated(l, strings.TrimSuffix(string(r), "."))
}

// Both is a text that comes in both languages, such as that of a scenario, a lock or a fault.
type Both struct {
	English string `yaml:"en"`
	Chinese string `yaml:"zh"` // "" falls back to English
}

// In returns the text.
func (b Both) In(l Language) string {
	if l == Chinese && b.Chinese != "" {
		return b.Chinese
	}
	return b.English
}

// Phrase is the text as a phrase of its own.
func (b Both) Phrase() Phrase { return Said.With(b) }

// List is a list without a conjunction: A, B, C.
type List []Part

// In joins the items.
func (p List) In(l Language) string { return strings.Join(eachIn(p, l), word(l, ", ", betweenNames)) }

// Phrases whose parts have all the words.
var (
	Said      = New1[Part]("{what}")
	Stop      = New1[Part]("{what}.")
	About     = New2[Part, Part]("{what}: {more}")
	WithAside = New2[Part, Part]("{what} ({more})")
	FromTo    = New2[Part, Part]("{least} to {most}")
)

// Seed is a seed, which may exceed the range of Number.
func Seed(seed uint64) Verbatim { return Verbatim(strconv.FormatUint(seed, 10)) }

// ListOf are names as a list.
func ListOf(names []string) List {
	return mapped(names, func(name string) Part { return Verbatim(name) })
}

// Series is a list of independent statements.
type Series []Part

// In joins the items.
func (s Series) In(l Language) string {
	return strings.Join(eachIn(s, l), word(l, ", ", betweenClauses))
}

// Sequence is a sequence of events: X, then Y.
type Sequence []Part

// In joins the items.
func (s Sequence) In(l Language) string {
	return strings.Join(eachIn(s, l), translated(l, ", then "))
}

func eachIn[P Part](parts []P, l Language) []string {
	return mapped(parts, func(p P) string { return p.In(l) })
}

func mapped[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = of(one)
	}
	return out
}
