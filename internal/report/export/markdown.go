package export

import "strings"

// markdown escapes a clean text for a line or a table cell of GitHub's Markdown:
// nothing in it becomes markup, a link, a mention of a person or of an issue.
//
// A backslash suffices for what Markdown itself knows. GitHub looks for @user
// and #12 in the finished text, where an escaped one looks like any other, so an
// empty comment is put behind these two: it parts the sign from its name.
func markdown(s string) string {
	var out strings.Builder
	for i, r := range s {
		switch r {
		case '&':
			out.WriteString("&amp;")
		case '<':
			out.WriteString("&lt;")
		case '>':
			out.WriteString("&gt;")
		case '@', '#':
			out.WriteByte('\\')
			out.WriteRune(r)
			out.WriteString("<!-- -->")
		case ':':
			if strings.HasPrefix(s[i:], "://") {
				out.WriteByte('\\') // no link
			}
			out.WriteRune(r)
		case '.':
			if strings.HasSuffix(s[:i], "www") {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
		case '\\', '`', '*', '_', '[', ']', '|', '~', '$', '{', '}':
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// htmlText escapes a clean text for a line of HTML, which Markdown leaves alone.
// GitHub looks for people and issues there as well, and takes the number of a
// character for that of an issue, therefore the entities have names.
func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;",
		"@", "@<!-- -->", "#", "#<!-- -->").Replace(s)
}

// code shows a clean text as code on a line of Markdown.
func code(s string) string { return "<code>" + markdown(s) + "</code>" }

// fenced shows a clean text of one line as a block of code, in a fence longer
// than any run of backticks in it.
func fenced(language, s string) string {
	longest, run := 2, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + s + "\n" + fence + "\n"
}
