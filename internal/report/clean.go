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
