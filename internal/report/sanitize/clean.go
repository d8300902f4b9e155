// Package sanitize makes foreign texts harmless, from scenarios, histories and file names, before a
// terminal, a CI server, a page or a program reads them.
package sanitize

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of texts, in characters. A longer text is cut and ends with "...".
const (
	MaxName     = 40   // of a node, a lock
	MaxLine     = 400  // of a sentence, a title
	MaxProse    = 4000 // of a story, a lesson
	MaxHeadName = 12   // of a node above its column
)

// Text makes a text harmless: it escapes characters that steer a terminal or change the direction
// of writing, replaces white space by single blanks, and cuts the text after limit characters.
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

// hidden reports whether a character is invisible or changes the direction of writing.
func hidden(r rune) bool {
	return r == 0x2028 || r == 0x2029 || unicode.In(r, unicode.Cf, unicode.Co)
}

// Line makes a foreign text safe to print on one line: it escapes control characters, invisible
// ones, and commands to CI servers.
func Line(s string) string { return Log(Text(s, MaxProse)) }

// Lines is Line for a text of several lines, whose indentation it keeps.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		text := strings.TrimLeft(l, " ")
		indent := l[:len(l)-len(text)]
		lines[i] = indent + KeepBlanks(text)
	}
	return Log(strings.Join(lines, "\n"))
}

// KeepBlanks cleans the words of a line and keeps the blanks between them, so that excerpts with
// carets stay aligned.
func KeepBlanks(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		words[i] = Text(w, MaxProse)
	}
	return strings.Join(words, " ")
}

// unit matches a number and its unit, which a line break must not separate; the last two are
// Chinese.
var unit = regexp.MustCompile(`([0-9]) (s\b|ms\b|\x{79D2}|\x{6BEB}\x{79D2})`)

// Sentence cleans a sentence and keeps its numbers together with their units.
func Sentence(s string) string {
	return unit.ReplaceAllString(Text(s, MaxLine), "$1\u00a0$2")
}

// Characters that Dashed and FileName replace.
var (
	notDashed   = regexp.MustCompile(`[^a-z0-9.-]+`)
	notFileName = regexp.MustCompile(`[^A-Za-z0-9_.-]`)
)

// Dashed makes a part of a file name from any text: everything but small letters and digits is a
// dash.
func Dashed(s string) string { return notDashed.ReplaceAllString(s, "-") }

// FileName makes a part of a file name from the name of a lock. In a stored history that may be any
// text, such as a path to another directory.
func FileName(lock string) string {
	return notFileName.ReplaceAllString(lock[:min(len(lock), 100)], "_")
}
