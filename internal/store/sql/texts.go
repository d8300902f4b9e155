package sql

// Texts caches parsed statements. Parsing one takes longer than executing most, and the servers of each
// run get the same few. The zero value is empty. For one goroutine.
type Texts struct {
	parsed [flavourCount]map[string]parsed
}

// mostTexts bounds what is known of each flavour: a program may write its values into its statements.
const mostTexts = 1 << 10

// parsed is what a statement's text says.
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
