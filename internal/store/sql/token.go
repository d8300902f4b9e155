package sql

import (
	"regexp"
	"slices"
	"strings"
)

// tokenKind is what a token of a statement is: the number of its group in tokens.
type tokenKind int

const (
	tokenBad    tokenKind = iota // a character that no statement may contain, an unclosed quote, or a comment
	tokenBlank                   // between two others
	tokenWord                    // a keyword or a name, as written
	tokenNumber                  // digits, with at most one point
	tokenText                    // a string, without its quotes
	tokenQuoted                  // a name in quotes, without them
	tokenParam                   // ?
	tokenSign
	tokenEnd
)

var tokens = regexp.MustCompile(`(?s)^(?:` +
	`--|'(?:[^']|'')*\z|"(?:[^"]|"")*\z|` + "`(?:[^`]|``)*\\z" +
	`|([ \t\n\r]+)|([A-Za-z_][A-Za-z_0-9]*)|([0-9]+\.?[0-9]*)` +
	`|('(?:[^']|'')*')|("(?:[^"]|"")*"|` + "`(?:[^`]|``)*`)" +
	`|(\?)|(::|\|\||[<>!]=|<>|[=<>+\-*/(),;.])|.+)`)

type token struct {
	kind tokenKind
	text string
	at   int // where it begins
}

// is reports whether the token is this keyword or sign, in any case.
func (t token) is(word string) bool {
	return (t.kind == tokenWord || t.kind == tokenSign) && strings.EqualFold(t.text, word)
}

// tokenize splits a statement. The last token is a tokenEnd.
func (f Flavour) tokenize(query string) (out []token) {
	for at := 0; at < len(query); {
		groups := tokens.FindStringSubmatch(query[at:])
		is := 1 + slices.IndexFunc(groups[1:], func(text string) bool { return text != "" })
		t := token{tokenKind(is), groups[0], at}
		if at += len(t.text); t.kind == tokenBlank {
			continue
		}
		if t.kind == tokenText || t.kind == tokenQuoted { // a quote in it is doubled
			quote := t.text[:1]
			t.text = strings.ReplaceAll(t.text[1:len(t.text)-1], quote+quote, quote)
			t.kind = f.quoted(t, quote)
		} else if t.kind == tokenWord && f == PostgreSQL {
			t.text = strings.ToLower(t.text)
		}
		out = append(out, t)
	}
	return append(out, token{kind: tokenEnd, at: len(query)})
}

// quoted is what a token in quotes is: MySQL takes double quotes for those of a text, and a
// backslash in a text for an escape, which the model lacks; PostgreSQL has no backquotes.
func (f Flavour) quoted(t token, quote string) tokenKind {
	switch {
	case f == PostgreSQL && quote == "`":
		return tokenBad
	case f == PostgreSQL || quote == "`":
		return t.kind
	case strings.Contains(t.text, `\`):
		return tokenBad
	}
	return tokenText
}
