package docs

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// escaped are the characters that mean something to Markdown inside of a line.
const escaped = "\\`*_[]<|~&$"

// text makes a text of any content safe for Markdown: it comes out as it went in,
// on one line.
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

// code is a span of code, whatever is in it.
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

// link is a link to a path in the repository, with Markdown as its words.
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

// linkInto is a link to a section of a page; the anchor is plain already.
func linkInto(words, to, anchor string) string {
	return strings.TrimSuffix(link(words, to), ")") + "#" + anchor + ")"
}

// table is a table of cells that are Markdown already; "" when it has no rows.
func table(header []string, rows [][]string) string {
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
	line(header)
	b.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// cell escapes the bars that are not escaped yet, those in spans of code.
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

// page puts a page together from its paragraphs, empty ones left out.
func page(to, origin string, paragraphs ...string) Page {
	var b strings.Builder
	fmt.Fprintf(&b, "%s The source is %s. -->\n", Mark, strings.ReplaceAll(origin, "--", ""))
	for _, p := range paragraphs {
		if p = strings.TrimRight(p, "\n"); p != "" {
			b.WriteString("\n" + p + "\n")
		}
	}
	return Page{Path: path.Clean(to), Data: []byte(b.String())}
}

func heading(level int, s string) string { return strings.Repeat("#", level) + " " + text(s) }

// section is a heading with what stands below it; "" when that is nothing.
func section(title, body string) string {
	if body == "" {
		return ""
	}
	return heading(2, title) + "\n\n" + body
}
