package export

import "strings"

// markdown escapes a clean text for a line or a table cell of GitHub's Markdown: nothing in it
// becomes markup, a link, or a mention of a person or an issue.
//
// A backslash suffices for the syntax of Markdown. GitHub finds @user and #12 in the rendered text,
// where the backslash is gone, so an empty comment separates the sign from the name.
func markdown(s string) string { return markup.Replace(s) }

var markup = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "@", `\@<!-- -->`, "#", `\#<!-- -->`, "://", `\://`, "www.", `www\.`,
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "{", `\{`, "}", `\}`,
)

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
