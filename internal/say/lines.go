package say

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Ruler measures text in columns. A Chinese character takes two; characters that some
// terminals draw narrow and others wide count as wide in a Chinese text.
type Ruler struct{ columns runewidth.Condition }

// RulerFor returns the ruler for texts in a language.
func RulerFor(l Language) *Ruler {
	return &Ruler{runewidth.Condition{EastAsianWidth: l == Chinese, StrictEmojiNeutral: true}}
}

// Width is how many columns a text takes.
func (r *Ruler) Width(s string) int { return r.columns.StringWidth(s) }

// Pad pads a text with spaces to n columns.
func (r *Ruler) Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-r.Width(s), 0))
}

// Chinese may be broken between any two characters, except that some must not begin a line and
// some must not end one.
const (
	noStart = "，。；：！？、）」』》”’,.;:!?)"
	noEnd   = "（「『《“‘("
)

// stretch is a piece of text that must not be broken.
type stretch struct {
	text  string
	blank bool // a space precedes it
}

// Wrap breaks a paragraph into lines of at most n columns.
func (r *Ruler) Wrap(s string, n int) []string {
	n = max(n, 8)
	var lines []string
	line := ""
	for _, p := range r.stretches(s) {
		joined := line + p.text
		if p.blank && line != "" {
			joined = line + " " + p.text
		}
		if line == "" || r.Width(joined) <= n {
			line = joined
		} else {
			lines, line = append(lines, line), p.text
		}
		for r.Width(line) > n { // a word wider than the line
			head := r.columns.Truncate(line, n, "")
			lines, line = append(lines, head), line[len(head):]
		}
	}
	return append(lines, line)
}

// stretches splits at spaces and between wide characters, but keeps a number with its unit.
func (r *Ruler) stretches(s string) []stretch {
	var out []stretch
	words := strings.Fields(s)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if endsInDigit(word) && i+1 < len(words) && isUnit(words[i+1]) {
			word += " " + words[i+1]
			i++
		}
		for j, text := range r.split(word) {
			out = append(out, stretch{text, j == 0})
		}
	}
	return out
}

// split splits a word where a line may break within it.
func (r *Ruler) split(word string) []string {
	var out []string
	start := 0
	var last rune
	for at, c := range word {
		wide := unicode.Is(unicode.Han, c) || unicode.Is(unicode.Han, last) ||
			strings.ContainsRune(noStart, last) && last > 0x7f
		if at > start && wide && !strings.ContainsRune(noStart, c) && !strings.ContainsRune(noEnd, last) && last != ' ' {
			out, start = append(out, word[start:at]), at
		}
		last = c
	}
	return append(out, word[start:])
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

func isUnit(s string) bool {
	if first, _ := utf8.DecodeRuneInString(s); unicode.Is(unicode.Han, first) {
		return true // 15 秒, 3 次
	}
	bare := strings.TrimRight(s, noStart)
	return bare == "s" || bare == "ms"
}
