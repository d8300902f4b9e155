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
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// The exit codes. Scripts rely on them; they are defined only here.
const (
	exitMet          = 0   // all expectations met
	exitMissed       = 1   // an expectation was missed: a property broke, or a known-bad lock was not caught
	exitUsage        = 2   // wrong usage or an invalid scenario
	exitInconclusive = 3   // something was not put to the test: a fault never fired, a verdict is unknown
	exitEnvironment  = 4   // the environment lacks something: a server, a disk, a permission
	exitBug          = 5   // a bug of this program: a run could not be played to its end
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

// exitHint points to them in the help of a command.
const exitHint = "Exit codes: simulate --help."

func main() {
	workerMain() // does not return in a worker process
	playerMain() // does not return in a player process of a queue's worker
	watchMemory()
	os.Exit(execute())
}

// execute runs the command line and returns its exit code.
func execute() int {
	return executeSeen(func(ctx context.Context) context.Context { return ctx })
}

// executeSeen is execute with a context that passes through seen, where a test interrupts the
// command.
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
	if end, ok := ended(err); ok {
		if ctx.Err() != nil && !end.stopped { // interrupted after its work was done
			return exitInterrupted
		}
		return end.code
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = errors.New("interrupted: nothing was stored, and what was stored before is unchanged")
	}
	printError(err)
	return exitCode(ctx, err)
}

// printError prints an error. Problems of a scenario begin with their place, for editors; all others
// begin with the program's name.
func printError(err error) {
	var invalid *scenario.Invalid
	if errors.As(err, &invalid) {
		fmt.Fprintln(os.Stderr, terminalLines(err.Error()))
		return
	}
	fmt.Fprintln(os.Stderr, terminalLines("simulate: "+err.Error()))
}

func exitCode(ctx context.Context, err error) int {
	var marked *exitError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, new(*runstore.DiskError)), errors.Is(err, fs.ErrPermission):
		return exitEnvironment
	case errors.As(err, &marked):
		return marked.code
	}
	return exitUsage
}

// exitError ends the program with a code. Without an error nothing more is printed.
type exitError struct {
	code    int
	err     error
	stopped bool // Ctrl-C is the regular end of the command, so its result is complete
}

func (e *exitError) Error() string {
	switch {
	case e.err == nil:
		return fmt.Sprintf("exit code %d", e.code)
	case e.code == exitBug:
		return e.err.Error() + "\nThis is a bug of lockstep, not of your scenario. Please report it with the scenario and the seed."
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// ended reports whether an error, also nil, ends the program without a message.
func ended(err error) (end *exitError, ok bool) {
	if err == nil {
		return &exitError{code: exitMet}, true
	}
	ok = errors.As(err, &end) && end.err == nil
	return end, ok
}

// silent ends the program without a message.
func silent(code int) error { return &exitError{code: code} }

// errStopped ends a command that runs until it is stopped.
var errStopped = &exitError{code: exitMet, stopped: true}

// environment marks an error as a problem outside of this program.
func environment(err error) error { return &exitError{code: exitEnvironment, err: err} }

// bug marks an error as a bug of this program, unless it is about something outside of it; nil for
// nil.
func bug(err error) error {
	var marked *exitError
	if err == nil || errors.As(err, new(*runstore.DiskError)) || errors.As(err, &marked) && marked.code == exitEnvironment {
		return err
	}
	return &exitError{code: exitBug, err: err}
}

// unwritable is the error for a file that cannot be written. flag is the flag that chooses its
// place; "" if an argument does.
func unwritable(err error, flag string) error {
	if err == nil {
		return nil
	}
	cure := "choose another place"
	if flag != "" {
		cure += " with " + flag
	}
	return runstore.Unwritten(err, "its folder", cure)
}

// globals are the flags of every command.
type globals struct {
	json     bool
	out      string
	quiet    bool
	noColor  bool
	sets     []string     // changes to scenarios, for commands with --set: see settable
	language say.Language // of the output, for commands with --lang: see speaks
	stdout   *screen
}

// defaultOut is the run store, unless --out names another.
const defaultOut = "reports"

func rootCommand() *cobra.Command { return commandsOn(newScreen()) }

// commandsOn returns the commands, which print to a screen.
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

// group adds commands under a title of the help, which is also the group's id.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// color reports whether to use colours on stdout.
func (g *globals) color() bool {
	return !g.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// paint colours a text by an ANSI code; "" leaves it plain.
func (g *globals) paint(code, text string) string {
	if code == "" || !g.color() {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// wrapped prints a wrapped text, with a head before the first line and an indent of the same width
// before the others. code colours it. Line breaks must not make a harmless text harmful, so each
// line is sanitized.
func (g *globals) wrapped(head, indent, code, text string) {
	ruler := say.RulerFor(g.language)
	for _, line := range ruler.Wrap(text, max(g.width()-ruler.Width(indent), 30)) {
		fmt.Fprintln(g.stdout, sanitize.Log(strings.TrimRight(head+g.paint(code, line), " ")))
		head = indent
	}
}

// signs reports whether stdout is a terminal that shows more than ASCII, according to the locale.
func (g *globals) signs() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	locale = strings.ReplaceAll(strings.ToLower(locale), "-", "")
	return strings.Contains(locale, "utf8") && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// interactive reports whether stdin and stdout are terminals.
func interactive() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// width returns the width of the terminal, or 80 columns without one.
func (g *globals) width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// terminal are the options of stdout.
func (g *globals) terminal() terminal.Options {
	return terminal.Options{Color: g.color(), Signs: g.signs(), Width: g.width(), Brief: g.quiet, Language: g.language}
}

// devCommand groups the commands for working on the program, its measurements and its pages, and
// for distributing work over machines.
func devCommand(g *globals) *cobra.Command {
	dev := &cobra.Command{
		Use:   "dev",
		Short: "Spread work over machines; measure again and write the reference",
		Example: `  simulate dev merge part-*.json       # what several machines have played
  simulate dev docs                    # write the reference`,
		Args: g.subcommand, RunE: showHelp, DisableFlagsInUseLine: true,
	}
	group(dev, "Many machines:", workCommand(g), mergeCommand(g))
	group(dev, "Measurements:", compareWorldsCommand(g), claimsCommand(g))
	group(dev, "The reference:", docsCommand(g), schemaCommand(g))
	return dev
}

// screen is stdout, which records the first error: a failed print must not look like success, and
// callers need not check every line.
type screen struct {
	w    io.Writer
	gone bool  // its reader has closed it, as head does; the rest is discarded
	err  error // the first other error
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
		s.err = environment(fmt.Errorf("cannot print: %w; send the output to another place", err))
	}
	return n, err
}

// errorForBrokenPipe turns the signal for a closed output into a write error, so that it does not
// end the program in the middle of a run. The signal is caught instead of ignored, because child
// processes inherit ignored signals.
func errorForBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// bar is a progress bar on stderr, if that is a terminal. Callers ignore its errors.
func (g *globals) bar(what string, all int) *progressbar.ProgressBar {
	visible := !g.quiet && term.IsTerminal(int(os.Stderr.Fd()))
	return progressbar.NewOptions(all,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(visible),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(),
	)
}

// speaks adds the flag --lang to a command. Unlike the tour, it does not follow the locale: the
// same history gives the same page on every machine. Errors are in English.
func speaks(cmd *cobra.Command, g *globals) *cobra.Command {
	lang := cmd.Flags().String("lang", string(say.English), "the language of the output: en or zh")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		g.language, err = languageOf(*lang)
		return err
	}
	return cmd
}

// said is a phrase as one line for the terminal.
func (g *globals) said(p say.Part) string { return terminalText(p.In(g.language)) }

func (g *globals) printSaid(p say.Part) { fmt.Fprintln(g.stdout, g.said(p)) }

// warn prints a line on stderr.
func warn(format string, args ...any) {
	fmt.Fprintln(os.Stderr, "simulate:", terminalText(fmt.Sprintf(format, args...)))
}

// named is a line that begins with a name, such as report or wrote.
func (g *globals) named(name string, p say.Part) string {
	return say.RulerFor(g.language).Pad(say.Text(name).In(g.language), 9) + g.said(p)
}

// terminalText makes a text from outside safe to print on one line.
func terminalText(s string) string { return sanitize.Line(s) }

// terminalLines is terminalText for several lines.
func terminalLines(s string) string { return sanitize.Lines(s) }
