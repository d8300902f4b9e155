package tour

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/say"

	"github.com/mattn/go-runewidth"
)

// ruler measures text in columns. A Chinese character takes two; characters that some
// terminals draw narrow and others wide count as wide in a Chinese text.
type ruler struct{ runewidth.Condition }

func rulerFor(l say.Language) *ruler {
	return &ruler{runewidth.Condition{EastAsianWidth: l == say.Chinese, StrictEmojiNeutral: true}}
}

func (r *ruler) width(s string) int { return r.StringWidth(s) }

// pad fills a text up with blanks to n columns.
func (r *ruler) pad(s string, n int) string {
	return s + strings.Repeat(" ", max(n-r.width(s), 0))
}

// Chinese is broken between any two characters, except that these do not begin a line,
// or do not end one.
const (
	noStart = "，。；：！？、）」』》”’,.;:!?)"
	noEnd   = "（「『《“‘("
)

// piece is a stretch of text that is not broken.
type piece struct {
	text  string
	blank bool // a blank stands before it
}

// wrap breaks a paragraph into lines of at most n columns.
func (r *ruler) wrap(s string, n int) []string {
	n = max(n, 8)
	var lines []string
	line := ""
	for _, p := range r.pieces(s) {
		joined := line + p.text
		if p.blank && line != "" {
			joined = line + " " + p.text
		}
		if line == "" || r.width(joined) <= n {
			line = joined
		} else {
			lines, line = append(lines, line), p.text
		}
		for r.width(line) > n { // a word wider than the line
			head := r.Truncate(line, n, "")
			lines, line = append(lines, head), line[len(head):]
		}
	}
	return append(lines, line)
}

// pieces splits at blanks and between wide characters, but keeps a number and its unit
// together.
func (r *ruler) pieces(s string) []piece {
	var out []piece
	words := strings.Fields(s)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if endsInDigit(word) && i+1 < len(words) && isUnit(words[i+1]) {
			word += " " + words[i+1]
			i++
		}
		for j, text := range r.split(word) {
			out = append(out, piece{text, j == 0})
		}
	}
	return out
}

// split cuts a word where a line may end inside of it.
func (r *ruler) split(word string) []string {
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
