package docs

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"lockstep/internal/each"
)

// Commands are the sections of the commands, as cobra writes them, with their texts escaped.
func (w *writer) Commands() (sections []string, err error) {
	for _, cmd := range tree(w.Root) {
		cmd.DisableAutoGenTag = true
		cmd.Short, cmd.Long = text(cmd.Short), prose(cmd.Long)
	}
	for _, cmd := range tree(w.Root) {
		var b bytes.Buffer
		if err := doc.GenMarkdownCustom(cmd, &b, func(s string) string { return s }); err != nil {
			return nil, err
		}
		sections = append(sections, tidied(b.String()))
	}
	return sections, nil
}

// tree returns a command and all visible commands below it.
func tree(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() && !child.IsAdditionalHelpTopicCommand() && child.Name() != "completion" {
			out = append(out, tree(child)...)
		}
	}
	return out
}

var (
	blankLines = regexp.MustCompile(`\n{3,}`)
	trailing   = regexp.MustCompile(`(?m) +$`)
)

// prose turns the long text of a command into Markdown: indented lines are code, all others are
// paragraphs.
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

// tidied removes what every command would repeat, and trailing spaces.
func tidied(markdown string) string {
	markdown, _, _ = strings.Cut(markdown, "### Options inherited")
	markdown, _, _ = strings.Cut(markdown, "### SEE ALSO")
	markdown = strings.Replace(markdown, "### Synopsis\n\n", "", 1)
	return trailing.ReplaceAllString(markdown, "")
}

// CommandRows link to the commands.
func (w *writer) CommandRows() [][]string {
	return each.Map(tree(w.Root), func(cmd *cobra.Command) []string {
		return []string{linkInto(code(cmd.CommandPath()), "commands.md", strings.ReplaceAll(cmd.CommandPath(), " ", "-")), text(cmd.Short)}
	})
}
