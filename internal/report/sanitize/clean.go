// Package clean makes foreign texts harmless, those of scenarios, histories and names of files,
// before a terminal, a CI server, a page or a program reads them.
package sanitize

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of texts, in characters. What is longer is cut, visibly.
const (
	MaxName     = 40   // of a node, a lock
	MaxLine     = 400  // of a sentence, a title
	MaxProse    = 4000 // of a story, a lesson
	MaxHeadName = 12   // of a node above its column
)

// Text makes a text harmless: characters that steer a terminal or turn the
// direction of writing are shown instead of obeyed, white space becomes single
// blanks, and what is longer than limit characters is cut.
func Text(s string, limit int) string {
	var b strings.Builder
	n, blank := 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		raw := s[i]
		i += size
		if r == '\n' || r == '\t' || r == '\r' || r == ' ' {
			blank = b.Len() > 0
			continue
		}
		if n >= limit {
			b.WriteString("...")
			break
		}
		if blank {
			b.WriteByte(' ')
			n, blank = n+1, false
		}
		n++
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, raw)
		case r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0):
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a character is invisible or turns the direction of the
// text around it.
func hidden(r rune) bool {
	return r == 0x2028 || r == 0x2029 || unicode.In(r, unicode.Cf, unicode.Co)
}

// Line makes a text from a scenario, a history or a file name safe to print on
// one line: control characters and invisible ones are shown instead of obeyed, and
// so are commands to CI servers.
func Line(s string) string { return Log(Text(s, MaxProse)) }

// Lines is Clean for a text of several lines, whose indentation it keeps.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		text := strings.TrimLeft(l, " ")
		indent := l[:len(l)-len(text)]
		lines[i] = indent + KeepBlanks(text)
	}
	return Log(strings.Join(lines, "\n"))
}

// KeepBlanks cleans the words of a line and keeps the blanks between them, so
// that excerpts with carets stay aligned.
func KeepBlanks(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		words[i] = Text(w, MaxProse)
	}
	return strings.Join(words, " ")
}

// unit matches a number and its unit, which a line break must not part; the last two are those of Chinese.
var unit = regexp.MustCompile(`([0-9]) (s\b|ms\b|\x{79D2}|\x{6BEB}\x{79D2})`)

// Sentence cleans a sentence and keeps its numbers together with their units.
func Sentence(s string) string {
	return unit.ReplaceAllString(Text(s, MaxLine), "$1\u00a0$2")
}

// unfit matches what Dashed replaces.
var unfit = regexp.MustCompile(`[^a-z0-9.-]+`)

// Dashed makes a part of a file's name out of any text, in small letters, with dashes for all else.
func Dashed(s string) string { return unfit.ReplaceAllString(s, "-") }

// FileName makes a part of a file's name out of a lock, which in a stored history
// may be any text, such as one that leads to another directory.
func FileName(lock string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, lock[:min(len(lock), 100)])
}
