package sql

import "strings"

// tokenKind is what a token of a statement is.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // a keyword or a name, as written
	tokenQuoted           // a name in quotes, without them
	tokenNumber           // digits, with at most one point
	tokenText             // a string, without its quotes
	tokenParam            // ?
	tokenSign             // = < > <= >= + - * / ( ) , ; ::
	tokenBad              // what no statement may contain; text is the rest of it
)

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
func tokenize(query string) []token {
	var out []token
	for i := 0; i < len(query); {
		if isBlank(query[i]) {
			i++
			continue
		}
		t, next := scan(query, i)
		t.at = i
		out = append(out, t)
		i = next
	}
	return append(out, token{kind: tokenEnd, at: len(query)})
}

// scan reads the token at i and says where the next one may begin.
func scan(query string, i int) (token, int) {
	c := query[i]
	switch {
	case isLetter(c):
		word := LeadingWord(query[i:])
		return token{kind: tokenWord, text: word}, i + len(word)
	case isDigit(c):
		end, pointed := i+1, false
		for end < len(query) && (isDigit(query[end]) || query[end] == '.' && !pointed) {
			pointed = pointed || query[end] == '.'
			end++
		}
		return token{kind: tokenNumber, text: query[i:end]}, end
	case c == '\'' || c == '`' || c == '"':
		return scanQuoted(query, i)
	case c == '?':
		return token{kind: tokenParam, text: "?"}, i + 1
	}
	for _, sign := range []string{"::", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "(", ")", ",", ";"} {
		if strings.HasPrefix(query[i:], sign) {
			return token{kind: tokenSign, text: sign}, i + len(sign)
		}
	}
	return token{kind: tokenBad, text: query[i:]}, len(query)
}

// scanQuoted reads a string or a quoted name; a quote in it is doubled.
func scanQuoted(query string, i int) (token, int) {
	quote := query[i]
	kind := tokenQuoted
	if quote == '\'' {
		kind = tokenText
	}
	var text strings.Builder
	for end := i + 1; end < len(query); end++ {
		if query[end] != quote {
			text.WriteByte(query[end])
			continue
		}
		if end+1 == len(query) || query[end+1] != quote {
			return token{kind: kind, text: text.String()}, end + 1
		}
		text.WriteByte(quote)
		end++
	}
	return token{kind: tokenBad, text: query[i:]}, len(query)
}

func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
