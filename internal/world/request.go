package world

import "strings"

// Request is what a client sends to a store, by the name that triggers know it by and the
// text that a history keeps. Both worlds write them alike, and ReadRequest reads them again.
type Request interface {
	// Name is one word in capitals: TXN, CREATE, INSERT.
	Name() string
	// AppendText appends the request as a reader would like to see it, on one line. It begins
	// with the name, but for a SELECT that calls a function.
	AppendText(buf []byte) []byte
}

// RequestText is the text of a request.
func RequestText(r Request) string { return string(r.AppendText(nil)) }

// OKText is the text of an answer that says nothing but that it was done.
const OKText = "OK"

// Typed is the text of a request, taken apart.
type Typed struct {
	Name   string   // as triggers know it: that of a script is its own; "" for an empty text
	Script bool     // the name is that of a script
	Args   []string // what follows, word by word
}

// ReadRequest reads the text of a request, which may be anybody's: of a log from elsewhere the
// name is its first word.
func ReadRequest(text string) Typed {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		return Typed{}
	case len(words) > 1 && (words[0] == "EVAL" || words[0] == "EVALSHA"):
		return Typed{Name: words[1], Script: true, Args: words[2:]}
	case words[0] == "SELECT":
		return Typed{Name: statementName(text), Args: words[1:]}
	}
	return Typed{Name: words[0], Args: words[1:]}
}

// Blocks reports whether the store is to keep the request until something changes: a blocking
// query of Consul.
func (t Typed) Blocks() bool { return t.Name == "GET" && len(t.Args) > 1 && t.Args[1] == "INDEX" }

// SentAway reports whether by this answer, as a history has it, a node of a Redis Cluster has
// not executed a command: it redirects to another one, or serves nobody.
func SentAway(answer string) bool {
	return strings.HasPrefix(answer, "(error) MOVED ") || strings.HasPrefix(answer, "(error) CLUSTERDOWN ")
}
