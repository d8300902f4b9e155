// Command simulate plays distributed locks through faults and judges what
// happened. See `simulate --help`.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/terminal"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// The exit codes. They are promised to scripts and live here only.
const (
	exitMet          = 0   // all expectations met
	exitMissed       = 1   // an expectation was missed: a property broke, or a known-bad lock was not caught
	exitUsage        = 2   // wrong usage or an invalid scenario
	exitInconclusive = 3   // something was not put to the test: a fault never fired, a verdict is unknown
	exitEnvironment  = 4   // something outside is missing: a server, a disk, a permission
	exitBug          = 5   // our own mistake: a run could not be played to its end
	exitInterrupted  = 130 // Ctrl-C, or SIGTERM
)

const exitHelp = `Exit codes:
  0    all expectations met
  1    an expectation missed: a property broke, or a bad lock was not caught
  2    wrong usage or an invalid scenario; nothing was run
  3    inconclusive: a fault never fired, or a verdict is unknown
  4    the environment lacks something: a server, a disk, a permission
  5    a bug of this program
  130  interrupted`

// exitHint is what the help of a command says of them.
const exitHint = "Exit codes: simulate --help."

func main() {
	workerMain() // never returns in a process that was started as a worker
	playerMain() // nor does this in one that plays for a worker of a queue
	watchMemory()
	os.Exit(execute())
}

// execute runs the command that the arguments name, and returns its exit code.
func execute() int {
	return executeSeen(func(ctx context.Context) context.Context { return ctx })
}

// executeSeen is execute with the context that the command's work asks put through seen:
// a test interrupts the work there.
func executeSeen(seen func(context.Context) context.Context) int {
	errorForBrokenPipe()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	endInTime(ctx)
	root := rootCommand()
	err := root.ExecuteContext(seen(ctx))
	atOnce.Lock()
	if out, ok := root.OutOrStdout().(*screen); ok && out.err != nil {
		err = out.err
	}
	if errors.Is(err, errStopped) {
		return exitMet
	}
	if err == nil {
		err = &silentExit{code: exitMet}
	}
	var silent *silentExit
	if errors.As(err, &silent) {
		if ctx.Err() != nil && !silent.stopped { // it came when all was done
			return exitInterrupted
		}
		return silent.code
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = errors.New("interrupted: nothing was stored, and what was stored before is as it was")
	}
	tell(err)
	return exitCode(ctx, err)
}

// tell prints an error. Problems of a scenario begin with their place, so that
// editors find it; all else begins with our name.
func tell(err error) {
	var invalid *scenario.Invalid
	if errors.As(err, &invalid) {
		fmt.Fprintln(os.Stderr, terminalLines(err.Error()))
		return
	}
	fmt.Fprintln(os.Stderr, terminalLines("simulate: "+err.Error()))
}

// exitCode finds the code for an error that is yet to be told.
func exitCode(ctx context.Context, err error) int {
	var env *environmentError
	var bug *bugError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &env), errors.Is(err, fs.ErrPermission):
		return exitEnvironment
	case errors.As(err, &bug):
		return exitBug
	default:
		return exitUsage
	}
}

// errStopped is the end of a command that goes on until it is stopped.
var errStopped = errors.New("stopped")

// silentExit ends the program with a code; what there is to say has been said.
type silentExit struct {
	code    int
	stopped bool // by Ctrl-C, as the command is meant to end: its result is whole
}

func (e *silentExit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// environmentError is something outside of this program that is not as it must be.
type environmentError struct{ err error }

func (e *environmentError) Error() string { return e.err.Error() }
func (e *environmentError) Unwrap() error { return e.err }

// unreadable is the error for a file that is there and cannot be read.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: make it readable", err)
	}
	return &environmentError{err}
}

// unwritable is the error for a file that cannot be written, in a place that the user
// chose with a flag or, when flag is "", by naming it.
func unwritable(err error, flag string) error {
	if err == nil {
		return nil
	}
	cure := "choose another place"
	if flag != "" {
		cure += " with " + flag
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		cure = "make its folder writable, or " + cure
	case errors.Is(err, syscall.ENOSPC):
		cure = "make room, or " + cure
	}
	return &environmentError{fmt.Errorf("%w: %s", err, cure)}
}

// bug is an error that is one of this program; nil for nil.
func bug(err error) error {
	if err == nil {
		return nil
	}
	return &bugError{err}
}

// bugError is a mistake of this program.
type bugError struct{ err error }

func (e *bugError) Error() string {
	return e.err.Error() + "\nThis is a bug of lockstep, not of your scenario. Please report it with the scenario and the seed."
}
func (e *bugError) Unwrap() error { return e.err }

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

func rootCommand() *cobra.Command { return commandsOn(newScreen()) }

// commandsOn are the commands, which print there.
func commandsOn(stdout *screen) *cobra.Command {
	g := &globals{stdout: stdout, language: say.English}
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

// paint colours a text by a code of ANSI; "" is none.
func (g *globals) paint(code, text string) string {
	if code == "" || !g.color() {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// wrapped prints a text in as many lines as it takes: the first one behind a head, the others behind an indent that is
// as wide. code colours it. What is harmless within a line is harmless at the beginning of one, too.
func (g *globals) wrapped(head, indent, code, text string) {
	ruler := say.RulerFor(g.language)
	for _, line := range ruler.Wrap(text, max(g.width()-ruler.Width(indent), 30)) {
		fmt.Fprintln(g.stdout, sanitize.Log(strings.TrimRight(head+g.paint(code, line), " ")))
		head = indent
	}
}

// signs reports whether stdout is a terminal that shows more than ASCII, by what the locale says of it.
func (g *globals) signs() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	locale = strings.ReplaceAll(strings.ToLower(locale), "-", "")
	return strings.Contains(locale, "utf8") && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// interactive reports whether there is a user to ask.
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
	group(dev, "The reference:", docsCommand(g), schemaCommand(g))
	return dev
}

// screen is stdout, watched: what cannot be printed must not look like success,
// and no caller has to look at the error of every line.
type screen struct {
	w    io.Writer
	gone bool  // its reader has closed it, as head does; nothing is printed any more
	err  error // the first other one
}

func newScreen() *screen { return &screen{w: os.Stdout} }

func (s *screen) Write(data []byte) (int, error) {
	if s.gone {
		return len(data), nil
	}
	n, err := s.w.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		s.gone = true
		return len(data), nil
	}
	if err != nil && s.err == nil {
		s.err = &environmentError{fmt.Errorf("cannot print: %w; send the output to another place", err)}
	}
	return n, err
}

// errorForBrokenPipe makes an error of writing out of the signal that would end the program
// in the middle of a run when the reader of its output is gone. It is caught and not
// ignored, since the servers that we start would inherit that.
func errorForBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// bar is a progress bar on stderr, when that is a terminal. A bar that cannot be
// drawn is no reason to stop, so its errors are ignored.
func (g *globals) bar(what string, all int) *progressbar.ProgressBar {
	visible := !g.quiet && term.IsTerminal(int(os.Stderr.Fd()))
	return progressbar.NewOptions(all,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(),
	)
}

// speaks gives a command the flag for its language. It does not follow the locale as the
// tour does: the same history gives the same page on every machine. What a mistake of the
// user or of the machine is, is said in English.
func speaks(cmd *cobra.Command, g *globals) *cobra.Command {
	lang := cmd.Flags().String("lang", string(say.English), "the language of the output: en or zh")
	completeLanguage(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		g.language, err = languageOf(*lang)
		return err
	}
	return cmd
}

// said is a phrase on one line of the terminal.
func (g *globals) said(p say.Part) string { return terminalText(p.In(g.language)) }

// named is a line that begins with a name: report, wrote.
func (g *globals) named(name string, p say.Part) string {
	return say.RulerFor(g.language).Pad(say.Text(name).In(g.language), 9) + g.said(p)
}

func completeLanguage(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(
		[]string{string(say.English), string(say.Chinese)}, cobra.ShellCompDirectiveNoFileComp))
}

// terminalText makes a text from a scenario or a file name safe to print on one line.
func terminalText(s string) string { return sanitize.Line(s) }

// terminalLines is terminalText for texts of several lines.
func terminalLines(s string) string { return sanitize.Lines(s) }
