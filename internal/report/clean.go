package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of texts, in characters. What is longer is cut, visibly.
const (
	maxName     = 40   // of a node, a lock
	maxLine     = 400  // of a sentence, a title
	maxProse    = 4000 // of a story, a lesson
	maxHeadName = 12   // of a node above its column
)

// clean makes a text harmless: characters that steer a terminal or turn the
// direction of writing are shown instead of obeyed, white space becomes single
// blanks, and what is longer than limit characters is cut.
func clean(s string, limit int) string {
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
	switch {
	case r == 0x2028, r == 0x2029:
		return true
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
		return true
	}
	return false
}

// width counts characters, which is what columns are made of.
func width(s string) int { return utf8.RuneCountInString(s) }

// wrap breaks a text into lines of at most n characters.
func wrap(s string, n int) []string {
	n = max(n, 8)
	var lines []string
	line := ""
	for _, word := range words(s) {
		for width(word) > n {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:n])), string(runes[n:])
		}
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= n:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// words splits a text at blanks, but keeps a number and its unit together.
func words(s string) []string {
	var out []string
	for _, w := range strings.Fields(s) {
		bare := strings.TrimRight(w, ".,;:)")
		if n := len(out) - 1; n >= 0 && (bare == "s" || bare == "ms") && endsInDigit(out[n]) {
			out[n] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// pad fills a text up with blanks to n characters.
func pad(s string, n int) string {
	if w := width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}
