package sql

import (
	"maps"
	"sync/atomic"
)

// texts are the statements of this process that have been parsed, which takes longer than executing
// most: all servers get the same few. A map never changes: one that is larger takes its place.
var texts [flavourCount]atomic.Pointer[map[string]parsed]

// mostTexts bounds the texts of each flavour: a program may write its values into its statements.
const mostTexts = 1 << 8

// parsed is the result of parsing a text.
type parsed struct {
	st  *statement
	err *Error
}

func read(f Flavour, query string) (p parsed) {
	known := texts[f].Load()
	if known != nil {
		if p, ok := (*known)[query]; ok {
			return p
		}
	}
	p.st, p.err = parse(f, query)
	more := map[string]parsed{}
	if known != nil && len(*known) < mostTexts {
		more = maps.Clone(*known)
	}
	more[query] = p
	texts[f].Store(&more) // without what another goroutine has parsed meanwhile, which it parses again
	return p
}
