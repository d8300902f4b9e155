package osproc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Remains are what a killed harness would leave behind. Each run therefore has a reaper, a
// process that outlives the harness. It holds one end of a pipe; when the harness dies in any
// way, the kernel closes the other end, and the reaper removes everything of the run.
type Remains struct {
	// Env is the environment variable that makes a process the reaper of such remains.
	// Its value, which must not be empty, identifies them.
	Env    string
	Name   string                   // what they are, in errors
	Remove func(which string) error // called when the harness is dead
}

// Reaper is the process that cleans up after this one: this program, started again.
type Reaper struct {
	cmd   *exec.Cmd
	alive *os.File // the harness's end of the pipe
}

const (
	pipeFD     = 3             // file descriptor of a reaper's end of the pipe
	allRemoved = "all removed" // message of a harness that has left nothing
)

// Reaper starts a reaper. The program has to call ReaperMain of the same remains first in main.
// End has to be called.
func (r *Remains) Reaper(which string) (*Reaper, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program's own path is unknown, so nothing would clean up after it: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe to the process that cleans up: %w: raise the limit of open files (ulimit -n)", err)
	}
	defer read.Close()
	reaper := &Reaper{cmd: exec.Command(program), alive: write}
	reaper.cmd.Env = append(os.Environ(), r.Env+"="+which)
	reaper.cmd.ExtraFiles = []*os.File{read} // becomes pipeFD
	reaper.cmd.Stderr = os.Stderr
	reaper.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a signal to the harness's group or terminal does not reach it
	if err := reaper.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("the process that cleans up could not be started: %w", err), write.Close())
	}
	return reaper, nil
}

// Pid returns the PID of the reaper.
func (r *Reaper) Pid() int { return r.cmd.Process.Pid }

// End ends the reaper, which first removes what is left unless removed is true.
func (r *Reaper) End(removed bool) error {
	if removed {
		_, _ = io.WriteString(r.alive, allRemoved) // fails only when the reaper is dead
	}
	_ = r.alive.Close()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("the process that cleans up: %w", err)
	}
	return nil
}

// ReaperMain is the main function of a reaper, which ends the process; it returns at once if
// this process is not one.
func (r *Remains) ReaperMain() {
	which := os.Getenv(r.Env)
	if which == "" {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // the harness may get them, too
	said, err := io.ReadAll(os.NewFile(pipeFD, "harness"))
	if err == nil && string(said) != allRemoved {
		err = r.Remove(which)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "lockstep: not all %s were removed that a dead harness has left (%s): %v\n", r.Name, which, err)
		os.Exit(1)
	}
	os.Exit(0)
}
