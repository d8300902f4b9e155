package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/interrupt"
	"lockstep/internal/logcheck"
	"lockstep/internal/logcheck/logline"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

type judgeFlags struct {
	*globals
	logFlags
}

func checkCommand(g *globals) *cobra.Command {
	f := &judgeFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "check <file>...",
		Short: "Judge what already ran: logs of production, histories of runs",
		Long: `Judge what already ran. A file is a log of a lock in production, in one of many
forms. These two work as they are:

  time,client,lock,event,token
  2026-03-01T10:00:00.000Z,pod-1,jobs,acquired,34
  2026-03-01T10:00:02.000Z,pod-1,jobs,released,

  {"time":"2026-03-01T10:00:00Z","client":"p1","lock":"jobs","event":"acquired"}

Events are acquired, released, lost, extended, waiting, crashed and write. JSON arrays,
exports of Kibana and Datadog, ECS, zap, klog, logback, log4j and MONITOR of Redis are
recognized; for other text, --pattern says where the values are, and --explain-format
shows how the first lines are read. docs/check.md has the details.

Several files, such as those of the pods of a service, are one log; each lock in it is
judged separately. A file may be gzipped; - reads stdin and keeps a copy in TMPDIR,
except with --follow. The history.jsonl of a run directory is judged, too.

The exit code is 1 if two clients certainly held a lock at once or a property broke, and 3 if
that is only possible or is unknown. Without --clock-error and --released-after, plausible
values are assumed, and an overlap that depends on them is only possible.

` + exitHint,
		Example: `  simulate check production.csv --clock-error 50ms --lease 30s  # a log of yours
  simulate check pod-*.log --mapping app.yaml  # that of all pods
  simulate check reports/latest/history.jsonl  # the history of a run`,
		Args: arguments(1, many, "logs or histories, such as production.csv or reports/latest/history.jsonl; - for stdin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			own := cmd.LocalNonPersistentFlags() // which does not know the given ones
			cmd.Flags().Visit(func(flag *pflag.Flag) {
				if own.Lookup(flag.Name) != nil && flag.Name != "follow" && flag.Name != "lang" {
					f.judged = append(f.judged, flag)
				}
			})
			f.assumed = logcheck.Assumed{ClockError: !cmd.Flags().Changed("clock-error"), ReleasedAfter: !cmd.Flags().Changed("released-after")}
			return f.check(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.clockError, "clock-error", logcheck.PlausibleClockError, "how far the clock of each client may be off, either way; if not given, 0\nis tried as well")
	flags.DurationVar(&f.releasedAfter, "released-after", logcheck.PlausibleReleasedAfter, "how long after a release its line may be written; if not given,\n0 is tried as well")
	flags.DurationVar(&f.lease, "lease", 0, "how long a grant lasts: ends the hold of a client that writes\nno more lines; an extension restarts it")
	flags.BoolVar(&f.reentrant, "reentrant", false, "a client may acquire a lock that it holds; otherwise that may be two clients\nwith one name")
	flags.BoolVar(&f.separate, "separate", false, "judge each file by itself; otherwise several files are one log")
	flags.DurationVar(&f.window, "window", 0, "how far lines may be out of order; a file with more than that is\nsorted on disk first")
	f.formatFlags(flags)
	flags.BoolVar(&f.follow, "follow", false, "keep reading while the log grows, and report each violation as it appears;\nCtrl-C ends it with the verdict so far")
	flags.BoolVar(&f.skip, "skip-invalid", false, "count and skip lines that cannot be read; otherwise the first one ends the check")
	return speaks(cmd, g)
}

// formatFlags adds the flags for the format of a log. A mapping has the same keys.
func (f *logFlags) formatFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.mapping, "mapping", "", "a YAML file that says how the log is written; its keys are preset, pattern,\ncolumns, events, ignore, time-layout, zone, time-unit, encoding, lease,\nclock-error, released-after and reentrant, with the meaning of these flags")
	flags.StringVar(&f.format.Preset, "preset", "", "what writes the log: "+strings.Join(logline.Presets(), ", "))
	flags.StringArrayVar((*[]string)(&f.format.Pattern), "pattern", nil, "for lines of text, or messages: a regular expression with groups such as\n(?<client>...), (?<lock>...), (?<event>...); of several, the first that matches")
	flags.StringVar(&f.columns, "columns", "", "what the log calls its columns, keys or groups: time=ts,client=pod.name;\n=TEXT is that text, @file the file's name, a+b both")
	flags.StringVar(&f.events, "events", "", "what it calls its events: lost=no longer ours,waiting=queued|blocked")
	flags.StringArrayVar((*[]string)(&f.format.Ignore), "ignore", nil, "a regular expression for lines that do not matter although they mention a lock")
	flags.StringVar(&f.format.Layout, "time-layout", "", "how its times are written: yyyy-MM-dd HH:mm:ss,SSS or %d/%b/%Y %H:%M:%S")
	flags.StringVar(&f.format.Zone, "zone", "", "the zone of times that have none: Europe/Berlin or +01:00")
	flags.StringVar(&f.format.Unit, "time-unit", "", "the unit of times that are numbers: s, ms, us or ns")
	flags.StringVar(&f.format.Encoding, "encoding", "", "of its text, if not UTF-8: latin1, utf-16")
	flags.BoolVar(&f.explain, "explain-format", false, "show how the first lines are read, and what is missing; judge nothing")
}

type answers struct {
	histories []export.Checked
	logs      []*logcheck.Summary
	worst     checker.Verdict
	shown     int
}

func (f *judgeFlags) check(ctx context.Context, files []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if f.follow && len(files) > 1 {
		return errors.New("--follow follows one log: leave the others out")
	}
	if f.explain {
		return f.explainAll(ctx, files, o)
	}
	all := answers{histories: []export.Checked{}, logs: []*logcheck.Summary{}, worst: checker.Kept}
	var log []*input // the files of one log
	defer func() {
		for _, in := range log {
			in.Close()
		}
	}()
	for _, file := range files {
		in, err := f.open(ctx, file, f.separate || len(files) == 1)
		if err != nil {
			return err
		}
		switch {
		case in.history && !f.follow:
			err = f.history(ctx, in, &all)
			in.Close()
		case f.separate:
			err = f.judge(ctx, []*input{in}, o, &all)
			in.Close()
		default:
			log, err = append(log, in), in.checkNotIn(log)
			if in.info != nil && in.info.Mode().IsRegular() && len(files) > 1 { // opened again when it is read: see logcheck.Source
				in.Close()
				in.Reader = nil
			}
		}
		if err != nil {
			return err
		}
	}
	if len(log) > 0 {
		if err := f.judge(ctx, log, o, &all); err != nil {
			return err
		}
	}
	if f.json {
		if err := f.printJSON(map[string]any{"schema": 1, "verdict": all.worst, "histories": all.histories, "logs": all.logs}); err != nil {
			return err
		}
	}
	code := map[checker.Verdict]int{checker.Broken: exitMissed, checker.Unknown: exitInconclusive, checker.Kept: exitMet}[all.worst]
	return &exitError{code: code, stopped: f.follow}
}

func (f *judgeFlags) explainAll(ctx context.Context, files []string, o logcheck.Options) error {
	for i, file := range files {
		in, err := f.open(ctx, file, true)
		if err != nil {
			return err
		}
		err = f.explained(ctx, in, o, i == 0)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// apart prints an empty line between results.
func (f *judgeFlags) apart(all *answers) {
	if all.shown++; all.shown > 1 && !f.json {
		fmt.Fprintln(f.stdout)
	}
}

func (f *judgeFlags) judge(ctx context.Context, files []*input, o logcheck.Options, all *answers) error {
	c, err := f.log(ctx, files, o)
	if err != nil {
		return err
	}
	all.worst = checker.Worse(all.worst, ofLog[c.Verdict])
	all.logs = append(all.logs, c)
	f.apart(all)
	if !f.json {
		f.showLog(c)
	}
	return nil
}

func (f *judgeFlags) history(ctx context.Context, in *input, all *answers) error {
	histories, err := runstore.ReadHistories(ctx, in.name, in)
	if err != nil {
		return err
	}
	for i, h := range histories {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		c := export.CheckedOf(in.name, i+1, h)
		all.worst = checker.Worse(all.worst, c.Verdict)
		f.apart(all)
		if !f.json {
			showChecked(f.globals, &c)
			continue
		}
		c.Judgement = checker.Judgement{} // the history may be large
		all.histories = append(all.histories, c)
	}
	return nil
}

var ofLog = map[logcheck.Verdict]checker.Verdict{
	logcheck.Certain: checker.Broken, logcheck.Possible: checker.Unknown, logcheck.Unknown: checker.Unknown, logcheck.None: checker.Kept,
}

// input is a file to judge, or stdin.
type input struct {
	io.Reader
	io.Closer
	name    string                        // for people
	path    string                        // "" for stdin
	again   func() (io.ReadCloser, error) // reopens it; nil for what is neither a file nor kept
	info    fs.FileInfo                   // nil for stdin
	history bool                          // a stored history, or empty, which ReadHistories reports
}

// open opens a file and recognizes a history. What is neither kept nor a file can be read once.
func (f *judgeFlags) open(ctx context.Context, file string, alone bool) (*input, error) {
	in, err := openInput(ctx, file)
	if err != nil || f.follow && !f.explain {
		return in, err
	}
	err = in.look(ctx, alone)
	if err == nil && !in.history && in.again == nil && !f.explain {
		err = in.keep()
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func openInput(ctx context.Context, file string) (*input, error) {
	if file == "-" {
		return &input{Reader: os.Stdin, Closer: io.NopCloser(nil), name: "stdin"}, nil
	}
	f, err := interrupt.Unless(ctx, "opening "+file, func() (*os.File, error) { return os.Open(file) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file", file)
	case err != nil:
		return nil, runstore.NotRead(err)
	}
	in := &input{Reader: f, Closer: f, name: file, path: file}
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		f.Close()
		return nil, fmt.Errorf("%s is a directory: name a file, such as %s/history.jsonl, or `simulate report %s`", file, file, file)
	case err == nil && info.Mode().IsRegular():
		in.again = func() (io.ReadCloser, error) { return os.Open(file) }
	}
	in.info = info
	return in, nil
}

// checkNotIn refuses a file that is already in the log, because its lines would count twice.
func (in *input) checkNotIn(others []*input) error {
	for _, other := range others {
		if in.info == nil && other.info == nil || in.info != nil && other.info != nil && os.SameFile(in.info, other.info) {
			return fmt.Errorf("%s and %s are the same file: leave one out, or add --separate", other.name, in.name)
		}
	}
	return nil
}

// look recognizes a history by its first bytes. An empty file is none if it is one of the files of
// a log.
func (in *input) look(ctx context.Context, alone bool) error {
	start, err := interrupt.Unless(ctx, "reading "+in.name, func() ([]byte, error) {
		b := bufio.NewReaderSize(in.Reader, 64<<10)
		in.Reader = b               // unchanged: the log may not have the encoding that it seems to have
		ahead, _ := b.Peek(4 << 10) // reading will return the error again
		plain, err := logcheck.Plain(bytes.NewReader(ahead), "")
		if err != nil {
			return nil, err
		}
		start, _ := bufio.NewReader(plain).Peek(16)
		return start, nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%s: %w", in.name, err)
	}
	if in.history = alone && len(start) == 0 || history.IsHistory(start); in.history {
		in.Reader, err = logcheck.Plain(in.Reader, "")
	}
	return err
}

// keep copies what is read of a pipe to a file in the temporary folder, so that it can be read
// again: to sort its lines, or when a lock that an earlier line names is known at last. The file
// has no name, and ends with the program.
func (in *input) keep() error {
	f, err := os.CreateTemp("", "simulate-pipe-")
	if err != nil {
		return fmt.Errorf("%s cannot be copied to the temporary folder, which TMPDIR names: %w", in.name, err)
	}
	_ = os.Remove(f.Name()) // fails on Windows, where the file stays in the temporary folder
	rest := io.TeeReader(in.Reader, f)
	in.Reader = rest
	in.again = func() (io.ReadCloser, error) {
		_, err := io.Copy(io.Discard, rest)
		return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), err
	}
	return nil
}

func showChecked(g *globals, c *export.Checked) {
	h := c.Judgement.History
	where := c.File
	if c.Number > 1 {
		where = say.HistoryOf.With(say.Verbatim(c.File), say.Number(c.Number)).In(g.language)
	}
	fmt.Fprintln(g.stdout, g.said(say.OfLock.With(say.Verbatim(where), say.Said.With(say.Series{
		say.Verbatim(c.Lock), say.SeedIs.With(say.Seed(c.Seed)), say.Verbatim(c.Backend),
		say.ClientsOf.With(say.Number(len(h.NodesOf(history.RoleClient)))), say.EventsOver.With(say.Number(c.Events), say.Seconds(h.End())),
	}))))
	fmt.Fprintf(g.stdout, "%s  %s\n\n", c.Letter, g.said(c.Said()))
	var rows [][]string
	for _, id := range bundle.Properties(c.Judgement.Findings) {
		f := c.Judgement.Finding(id)
		words := f.Reason
		switch {
		case f.Verdict == checker.Broken && len(f.Violations) > 0:
			words = c.FirstViolation(&f)
		case f.Verdict == checker.Kept && !h.Whole:
			words = say.UntilLastLine.With(say.Seconds(h.End()))
		}
		rows = append(rows, []string{id, bundle.VerdictText(&f, g.language), words.In(g.language)})
	}
	g.printTable([]string{"property", "verdict", "first violation, or why it is unknown"}, rows)
	if ids := c.Judgement.NotAsked(); len(ids) > 0 {
		g.printSaid(say.NotAsked.With(say.Verbatim(strings.Join(ids, ", "))))
	}
}
