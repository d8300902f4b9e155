package sql

// Texts caches parsed statements: parsing one takes longer than executing most, and all servers of
// a run get the same few. The zero value is empty. For one goroutine.
type Texts struct {
	parsed [flavourCount]map[string]parsed
}

// mostTexts bounds the cache of each flavour: a program may write its values into its statements.
const mostTexts = 1 << 10

// parsed is the result of parsing a text.
type parsed struct {
	st  *statement
	err *Error
}

func (t *Texts) read(f Flavour, query string) parsed {
	known := t.parsed[f]
	p, ok := known[query]
	if ok {
		return p
	}
	if known == nil || len(known) == mostTexts {
		known = map[string]parsed{}
		t.parsed[f] = known
	}
	p.st, p.err = parse(f, query)
	known[query] = p
	return p
}
