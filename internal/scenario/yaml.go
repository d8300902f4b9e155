package scenario

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Only the syntax tree of the YAML library is used: its decoder stops at the first mistake.

// nodeKind is the shape of a value in a file.
type nodeKind uint8

const (
	scalarNode nodeKind = iota
	emptyNode           // nothing, null or ~
	listNode
	mapNode
)

func (k nodeKind) String() string {
	return [...]string{"one value", "nothing", "a list", "a group of keys"}[k]
}

// node is a value with its place.
type node struct {
	kind    nodeKind
	text    string // of a scalar, exactly as written: numbers are not converted
	entries []entry
	items   []*node

	line, col, width int
	set              string // the change that it comes from; "" for what the file says
}

// is reports whether a node is of a kind. That of a key that the file lacks is nil.
func (n *node) is(kind nodeKind) bool { return n != nil && n.kind == kind }

// entry is one key with its value.
type entry struct{ key, value *node }

// Limits on the syntax, so that a hostile file exhausts neither time nor stack.
const (
	maxTokens  = 50_000
	maxNesting = 20
	maxLine    = 8_000 // characters
)

// parseYAML returns the root of the file; nil when it is not one YAML document. Problems go to the
// reader.
func (r *reader) parseYAML(data []byte) (root *node) {
	text, ok := r.checkBytes(data)
	if !ok {
		return nil
	}
	// The library may panic on unusual input, which must not end the program.
	defer func() {
		if caught := recover(); caught != nil {
			r.add(1, 1, 1, "this file is not valid YAML, and the YAML reader gave up on it: simplify it")
			root = nil
		}
	}()
	tokens := lexer.Tokenize(text)
	if !r.checkTokens(tokens) {
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.addSyntaxError(err)
		return nil
	}
	before := len(r.problems)
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		n := r.convert(doc.Body)
		if root != nil {
			r.problemf(n, "a second document starts here: one file tells one story, put this one into a file of its own")
			return nil
		}
		root = n
	}
	if root == nil && len(r.problems) == before {
		r.add(1, 1, 1, `this file is empty: a scenario starts with a title, such as "scenario: A long pause outlives the lease"`)
	}
	return root
}

// checkBytes checks what YAML does not: encoding, control characters, tabs in the indentation,
// endless lines. It returns the text with plain line ends.
func (r *reader) checkBytes(data []byte) (string, bool) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	r.lines = strings.Split(text, "\n")
	before := len(r.problems)
	for i, line := range r.lines {
		r.checkLine(i+1, line)
		if len(r.problems) > before+maxShown {
			break
		}
	}
	return text, len(r.problems) == before
}

func (r *reader) checkLine(number int, line string) {
	if len(line) > maxLine {
		r.add(number, 1, 1, fmt.Sprintf("this line is longer than %d characters: break it", maxLine))
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if at := strings.IndexByte(line[:indent], '\t'); at >= 0 && strings.TrimSpace(line) != "" {
		r.add(number, at+1, 1, "a tab in the indentation: YAML wants spaces")
		return
	}
	col := 0
	for rest := line; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		col++
		if c == utf8.RuneError && size == 1 {
			r.add(number, col, 1, fmt.Sprintf("the byte 0x%02x is not UTF-8: save the file as UTF-8", rest[0]))
			return
		}
		if hostile(c) && c != '\t' {
			r.add(number, col, 1, fmt.Sprintf("the invisible character %U: remove it", c))
			return
		}
		rest = rest[size:]
	}
}

// checkTokens refuses the parts of YAML that no scenario needs, and nesting too deep for a
// recursive parser.
func (r *reader) checkTokens(tokens token.Tokens) bool {
	before := len(r.problems)
	if len(tokens) > maxTokens {
		r.add(1, 1, 1, fmt.Sprintf("this file has more than %d words and signs: it is not one story", maxTokens))
		return false
	}
	flow, dashes, dashLine := 0, 0, 0
	for _, t := range tokens {
		at := func(message string) { r.addToken(t, message) }
		switch t.Type {
		case token.AnchorType, token.AliasType:
			at("anchors and aliases (& and *) are not part of a scenario: write the value out, or put it in quotes")
		case token.MergeKeyType:
			at("merge keys (<<) are not part of a scenario: write the keys out")
		case token.TagType:
			at("tags (!) are not part of a scenario: remove it, or put the value in quotes")
		case token.MappingKeyType:
			at(`a key is written "key: value", without the question mark`)
		case token.DirectiveType:
			at("directives (%) are not part of a scenario: remove this line")
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType:
			if t.Position.Line != dashLine {
				dashLine, dashes = t.Position.Line, 0
			}
			dashes++
		}
		if flow > maxNesting || dashes > maxNesting || t.Position.Column > 20*maxNesting && dashes > 1 {
			at("lists and keys are nested too deeply here")
			return false
		}
	}
	return len(r.problems) == before
}

// addToken reports a problem at a token.
func (r *reader) addToken(t *token.Token, message string) {
	r.add(t.Position.Line, t.Position.Column, tokenWidth(t), message)
}

// addSyntaxError reports an error of the parser, whose type is in an internal package of the
// library.
func (r *reader) addSyntaxError(err error) {
	var positioned interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &positioned) || positioned.GetToken() == nil {
		r.add(1, 1, 1, "not valid YAML: "+printable(err.Error()))
		return
	}
	t := positioned.GetToken()
	message := positioned.GetMessage()
	for _, known := range syntaxAdvice {
		if strings.Contains(message, known.says) {
			r.addToken(t, known.advice)
			return
		}
	}
	r.addToken(t, "not valid YAML: "+printable(message))
}

// syntaxAdvice rewords the most common errors of the YAML library.
var syntaxAdvice = []struct{ says, advice string }{
	{"mapping value is not allowed", `not valid YAML: a ":" too many in this value, or the next line is indented too far; put a text with ":" in quotes`},
	{"non-map value is specified", `not valid YAML: a key needs ":" and a space after it`},
	{"value is not allowed in this context", "not valid YAML: this line does not fit what is above it; check its indentation"},
	{"end character of double-quoted", `not valid YAML: the quote " is never closed`},
	{"end character of single-quoted", "not valid YAML: the quote ' is never closed"},
	{"',' or ']' must be specified", "not valid YAML: the list is never closed; add a comma or ]"},
	{"',' or '}' must be specified", "not valid YAML: the group is never closed; add a comma or }"},
	{"sequence end token ']' not found", "not valid YAML: the list is never closed; add ]"},
	{"flow mapping end token", "not valid YAML: the group is never closed; add }"},
	{"flow sequence end token", "not valid YAML: the list is never closed; add ]"},
	{"invalid key for this map", "not valid YAML: a key must be a word, not a list or a group"},
	{"could not find flow map content", "not valid YAML: the group is never closed; add }"},
	{"is a reserved character", "not valid YAML: a value cannot start with this character; put it in quotes"},
	{"tab character", "not valid YAML: a tab in the indentation; use spaces"},
}

// tokenWidth is the number of characters of a token on its first line.
func tokenWidth(t *token.Token) int {
	first, _, _ := strings.Cut(strings.TrimSpace(t.Origin), "\n")
	return max(utf8.RuneCountInString(strings.TrimSpace(first)), 1)
}
