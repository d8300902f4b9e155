package main

import (
	"cmp"
	"os"
	"strings"

	"lockstep/internal/report/terminal"
	"lockstep/internal/say"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// globals are the flags of every command.
type globals struct {
	json     bool
	out      string
	quiet    bool
	noColor  bool
	sets     []string     // changes to scenarios, of those commands that take some: see settable
	language say.Language // of those commands that speak several: see speaks
	stdout   *screen
}

// defaultOut is the run store, unless --out names another.
const defaultOut = "reports"

func rootCommand() *cobra.Command {
	g := &globals{stdout: newScreen(), language: say.English}
	root := &cobra.Command{
		Use:   "simulate",
		Short: "Find out how a distributed lock breaks",
		Long: `Find out how a distributed lock breaks: play concurrent clients through pauses,
crashes, lost replies and failovers, and judge the history that results.

` + exitHelp,
		Example: `  simulate tour                  # learn how locks break
  simulate run pause-past-lease  # play one story
  simulate serve                 # look at its report`,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) },
	}
	root.SetOut(g.stdout)
	root.PersistentFlags().BoolVar(&g.json, "json", false, "print exactly one JSON object on stdout")
	root.PersistentFlags().StringVar(&g.out, "out", defaultOut, "the run store: where run directories go")
	root.PersistentFlags().BoolVar(&g.quiet, "quiet", false, "print the verdicts only")
	root.PersistentFlags().BoolVar(&g.noColor, "no-color", false, "no colours (also: NO_COLOR)")
	root.Version = cmp.Or(buildVersion(), "unknown") // a test has none
	root.SetVersionTemplate("simulate {{.Version}}\n")
	root.InitDefaultVersionFlag()
	group(root, "Begin here:", tourCommand(g), runCommand(g), serveCommand(g), listCommand(g))
	group(root, "Look closer at runs:", explainCommand(g), reportCommand(g))
	group(root, "Your own lock:", checkCommand(g), testCommand(g), newCommand(g))
	group(root, "How often, when, and which lock:", searchCommand(g), sweepCommand(g), exploreCommand(g), adviseCommand(g), matrixCommand(g))
	group(root, "This program:", doctorCommand(g), devCommand(g))
	addCompletion(root, g)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommandGroupID("This program:")
	checkArguments(root, g)
	shapeHelp(root)
	return root
}

// group adds commands that the help shows under one title, which is the group's id as well.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// color reports whether stdout wants colours.
func (g *globals) color() bool {
	return !g.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// signs reports whether stdout is a terminal that shows more than ASCII, by what the locale says of it.
func (g *globals) signs() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	locale = strings.ReplaceAll(strings.ToLower(locale), "-", "")
	return strings.Contains(locale, "utf8") && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// interactive reports whether somebody can be asked.
func interactive() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// width returns the width of the terminal, 80 columns when there is none.
func (g *globals) width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// terminal is what stdout can show.
func (g *globals) terminal() terminal.Options {
	return terminal.Options{Color: g.color(), Signs: g.signs(), Width: g.width(), Brief: g.quiet, Language: g.language}
}

// devCommand is what those need who work on the program, its measurements and its pages, and who spread work over
// machines.
func devCommand(g *globals) *cobra.Command {
	dev := &cobra.Command{
		Use:   "dev",
		Short: "Spread work over machines; measure and write the reference again",
		Example: `  simulate dev merge part-*.json       # what several machines have played
  simulate dev docs                    # write the reference`,
		Args: g.subcommand, RunE: showHelp, DisableFlagsInUseLine: true,
	}
	group(dev, "Many machines:", workCommand(g), mergeCommand(g))
	group(dev, "Measurements:", compareWorldsCommand(g), claimsCommand(g))
	group(dev, "The reference:", docsCommand(g), schemaCommand())
	return dev
}
