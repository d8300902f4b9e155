package docs

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// commands are the pages of the command line, as cobra writes them, with their
// texts escaped.
func (w *writer) commands() ([]Page, error) {
	var pages []Page
	for _, cmd := range tree(w.Root) {
		cmd.DisableAutoGenTag = true
		cmd.Short, cmd.Long = text(cmd.Short), prose(cmd.Long)
	}
	for _, cmd := range tree(w.Root) {
		var b bytes.Buffer
		if err := doc.GenMarkdownCustom(cmd, &b, func(s string) string { return s }); err != nil {
			return nil, err
		}
		pages = append(pages, page("commands/"+commandFile(cmd), "its file in cmd/simulate", raised(b.String())))
	}
	return pages, nil
}

// tree returns a command and all below it that people can see.
func tree(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() && !child.IsAdditionalHelpTopicCommand() {
			out = append(out, tree(child)...)
		}
	}
	return out
}

// commandFile is the name that cobra gives to a command's page in its links.
func commandFile(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "_") + ".md"
}

var blankLines = regexp.MustCompile(`\n{3,}`)

// prose turns the long text of a command into Markdown: lines that are indented
// are code, all others are paragraphs.
func prose(long string) string {
	var out, code []string
	flush := func() {
		if len(code) > 0 {
			out = append(out, "", block("", strings.Join(code, "\n")))
			code = nil
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(long), "\n") {
		if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
			code = append(code, strings.TrimPrefix(strings.TrimPrefix(line, "\t"), "  "))
			continue
		}
		flush()
		out = append(out, text(line))
	}
	flush()
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.Join(out, "\n"), "\n\n"))
}

// raised lifts the headings of a page by one level, since cobra begins with the
// second, and drops blanks at the ends of lines. Code stays as it is.
func raised(markdown string) string {
	lines := strings.Split(strings.ReplaceAll(markdown, "\t - ", " - "), "\n")
	inCode := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		if !inCode {
			lines[i] = strings.Replace(line, "## ", "# ", 1)
			if strings.HasPrefix(line, "### ") {
				lines[i] = strings.TrimPrefix(line, "#")
			}
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "## SEE ALSO", "## See also")
}

// commandList is a table of the commands.
func (w *writer) commandList() string {
	var rows [][]string
	for _, cmd := range tree(w.Root) {
		if cmd.HasParent() && cmd.Parent().HasParent() {
			continue // the shells of completion
		}
		rows = append(rows, []string{link(code(cmd.CommandPath()), "commands/"+commandFile(cmd)), text(cmd.Short)})
	}
	return table([]string{"command", "what it does"}, rows)
}
