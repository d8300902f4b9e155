package scenario

import (
	"fmt"
	"strings"
	"unicode"
)

// Problem is one mistake in a scenario file: its place, what is wrong and what to write instead.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 when the problem is about the file as a whole
	Col     int    `json:"column"` // from 1, in characters
	Width   int    `json:"-"`      // how many characters are wrong, at least 1
	Message string `json:"message"`

	source []string // lines of the file, for the excerpt
}

// Place returns file:line:column, or the file alone when the problem has no line.
func (p Problem) Place() string {
	if p.Line == 0 {
		return printable(p.File)
	}
	return fmt.Sprintf("%s:%d:%d", printable(p.File), p.Line, p.Col)
}

// Invalid is the error of a scenario with mistakes: all of them, in the order of the file.
type Invalid struct {
	Problems []Problem

	cause error // why the file could not be read; nil when it could
}

// maxShown limits what Error prints: a file that is not a scenario has a problem on every line.
const maxShown = 50

// maxExcerpt is the number of characters of a source line that an excerpt shows.
const maxExcerpt = 110

// Merge adds the problems of another file.
func (e *Invalid) Merge(other *Invalid) {
	e.Problems = append(e.Problems, other.Problems...)
	if e.cause == nil {
		e.cause = other.cause
	}
}

// Unwrap returns the reason why the file could not be read, nil if it could.
func (e *Invalid) Unwrap() error { return e.cause }

// Error renders all problems, each with its place, its message and an excerpt of the file.
func (e *Invalid) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "... and %d more\n", len(e.Problems)-maxShown)
			break
		}
		fmt.Fprintf(&b, "%s  %s\n", p.Place(), p.Message)
		p.excerpt(&b)
	}
	if len(e.Problems) == 1 {
		b.WriteString("1 problem, nothing was run.")
	} else {
		fmt.Fprintf(&b, "%d problems, nothing was run.", len(e.Problems))
	}
	return b.String()
}

// excerpt prints the line before the problem, its own line and a row of carets.
func (p Problem) excerpt(b *strings.Builder) {
	if p.Line < 1 || p.Line > len(p.source) {
		return
	}
	digits := len(fmt.Sprint(p.Line))
	line, col, width := window(p.source[p.Line-1], p.Col, p.Width)
	if p.Line > 1 && strings.TrimSpace(p.source[p.Line-2]) != "" {
		before, _, _ := window(p.source[p.Line-2], 1, 1)
		fmt.Fprintf(b, "  %*d | %s\n", digits, p.Line-1, before)
	}
	fmt.Fprintf(b, "  %*d | %s\n", digits, p.Line, line)
	fmt.Fprintf(b, "  %*s | %s%s\n", digits, "", strings.Repeat(" ", col-1), strings.Repeat("^", width))
}

// window makes a line fit for the terminal. A long line is cut around the problem, and col and
// width adjusted.
func window(line string, col, width int) (text string, newCol, newWidth int) {
	runes := []rune(printable(line))
	col = min(max(col, 1), len(runes)+1)
	if len(runes) > maxExcerpt {
		start := min(max(col-maxExcerpt/2, 0), len(runes)-maxExcerpt)
		runes = runes[start : start+maxExcerpt]
		col -= start
	}
	width = max(min(width, len(runes)-col+1), 1)
	return strings.TrimRight(string(runes), " "), col, width
}

// printable replaces what could control a terminal, one character for one, so that columns stay the
// same.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case hostile(r) || !unicode.IsPrint(r) && r != ' ':
			return '?'
		}
		return r
	}, s)
}

// hostile reports whether a character is invisible and changes how the text around it is shown: a
// control character, a line separator, a mark for the direction of writing.
func hostile(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == '\ufeff'
}
