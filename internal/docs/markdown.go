package docs

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// special matches the characters with a meaning in Markdown within a line.
var special = regexp.MustCompile("[\\\\`*_\\[\\]<|~&$]")

// text escapes any text for Markdown, on one line.
func text(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return atLineStart(special.ReplaceAllString(strings.Join(words, " "), `\$0`))
}

// atLineStart escapes what would begin a heading, a list, a quotation or a rule.
func atLineStart(s string) string {
	if s != "" && strings.ContainsRune("#>-+=", rune(s[0])) {
		return `\` + s
	}
	return listItem.ReplaceAllString(s, `$1\.$2`)
}

var listItem = regexp.MustCompile(`^([0-9]+)\.( |$)`)

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
	return fmt.Sprintf("[%s](%s)", words, inPath.Replace(url.QueryEscape(to)))
}

// inPath turns the escapes of a query into those of a path.
var inPath = strings.NewReplacer("+", "%20", "%2F", "/")

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
	b.WriteString("| " + header + " |\n" + strings.Repeat("|---", len(rows[0])) + "|\n")
	for _, r := range rows {
		for _, c := range r {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
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
