package main

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// helpWidth is the width of all help, in columns: it is the same in every terminal.
const helpWidth = 80

// Help says what a command does, then what to type.
const (
	helpTemplate = `{{prose (or (about .) .Short)}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}
{{.UsageString}}`

	usageTemplate = `Usage:
  {{if .Runnable}}{{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{$all := .Commands}}{{range .Groups}}

{{.Title}}{{$group := .ID}}{{range $all}}{{if and (eq .GroupID $group) (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{else}}

Commands:{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped helpWidth | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsagesWrapped helpWidth | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

{{.CommandPath}} [command] --help tells more about a command.{{end}}{{if not .HasParent}}

{{exitCodes}}{{end}}
`
)

// shapeHelp gives the help of all commands our form.
func shapeHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("prose", prose)
	cobra.AddTemplateFunc("helpWidth", func() int { return helpWidth })
	cobra.AddTemplateFunc("about", func(cmd *cobra.Command) string { return strings.TrimSuffix(cmd.Long, exitHelp) }) // they come last
	cobra.AddTemplateFunc("exitCodes", func() string { return exitHelp })
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
}

// prose breaks the paragraphs of a text anew; lines that are indented stay as they are.
func prose(long string) string {
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, text.WrapSoft(strings.Join(paragraph, " "), helpWidth))
			paragraph = nil
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(long), "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		out = append(out, line)
	}
	flush()
	lines := strings.Split(strings.Join(out, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
