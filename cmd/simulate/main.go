// Command simulate plays distributed locks through faults and judges what
// happened. See `simulate --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

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

// errStopped is the end of a command that goes on until somebody stops it.
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

// bugError is a mistake of this program.
type bugError struct{ err error }

func (e *bugError) Error() string {
	return e.err.Error() + "\nThis is a bug of lockstep, not of your scenario. Please report it with the scenario and the seed."
}
func (e *bugError) Unwrap() error { return e.err }
