package export

import "strings"

// markdown escapes a clean text for a line or a table cell of GitHub's Markdown: nothing in it
// becomes markup, a link, or a mention of a person or an issue.
//
// A backslash suffices for the syntax of Markdown. GitHub finds @user and #12 in the rendered text,
// where the backslash is gone, so an empty comment separates the sign from the name.
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

// htmlText escapes a clean text for a line of HTML in Markdown. GitHub finds people and issues
// there, too, and takes a numeric entity for an issue, so the entities have names.
func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;",
		"@", "@<!-- -->", "#", "#<!-- -->").Replace(s)
}

func code(s string) string { return "<code>" + markdown(s) + "</code>" }

// fenced shows a clean text of one line as a block of code, in a fence longer than any run of
// backticks in it.
func fenced(language, s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + language + "\n" + s + "\n" + fence + "\n"
}
