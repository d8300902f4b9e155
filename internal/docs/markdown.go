package docs

import (
	"fmt"
	"strings"
	"unicode"
)

// escaped are the characters with a meaning in Markdown within a line.
const escaped = "\\`*_[]<|~&$"

// text escapes any text for Markdown, on one line.
func text(s string) string {
	var b strings.Builder
	for i, word := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			if strings.ContainsRune(escaped, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return atLineStart(b.String())
}

// atLineStart escapes what would begin a heading, a list, a quotation or a rule.
func atLineStart(s string) string {
	if s == "" {
		return s
	}
	if strings.ContainsRune("#>-+=", rune(s[0])) {
		return `\` + s
	}
	number, rest, ok := strings.Cut(s, ".")
	if ok && number != "" && strings.Trim(number, "0123456789") == "" && (rest == "" || rest[0] == ' ') {
		return number + `\.` + rest
	}
	return s
}

// code is a span of code with any content.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// block is a block of code.
func block(language, s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// link is a link to a path in the repository; words are Markdown.
func link(words, to string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/"
	var b strings.Builder
	for i := range len(to) {
		if strings.IndexByte(plain, to[i]) >= 0 {
			b.WriteByte(to[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", to[i])
		}
	}
	return fmt.Sprintf("[%s](%s)", words, b.String())
}

// linkInto is a link to a section of a page; the anchor needs no escaping.
func linkInto(words, to, anchor string) string {
	return strings.TrimSuffix(link(words, to), ")") + "#" + anchor + ")"
}

// table is a table of Markdown cells; "" if it has no rows. The header separates its cells with bars.
func table(header string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteString("| " + header + " |\n" + strings.Repeat("|---", len(rows[0])) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// cell escapes the bars in spans of code, the only ones that are not escaped yet.
func cell(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func each[T, U any](all []T, of func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = of(one)
	}
	return out
}
