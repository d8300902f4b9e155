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

// Remains are what a harness leaves behind when it is killed. So a run has a reaper
// besides, a process that outlives the harness. It holds one end of a pipe; when the
// harness is gone, however that came about, the kernel closes the other end, and the
// reaper removes all that belongs to the run.
type Remains struct {
	// Env is the environment variable that makes a program the reaper of such remains.
	// Its value, which must not be empty, says which ones.
	Env string
	// Name is what they are, in errors.
	Name string
	// Remove removes them when the harness is dead.
	Remove func(which string) error
}

// Reaper is the process that cleans up after this one. It is this program, started
// once more.
type Reaper struct {
	cmd   *exec.Cmd
	alive *os.File // the harness's end of the pipe
}

const (
	// pipeFD is where a reaper finds its end of the pipe.
	pipeFD = 3
	// allRemoved is what a harness says that has left nothing.
	allRemoved = "all removed"
)

// Reaper starts a reaper. The program that calls it has to call ReaperMain of the same
// remains first thing in main. End has to be called.
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
	// A session of its own: what ends the harness's group or terminal passes it by.
	reaper.cmd.SysProcAttr = apart()
	if err := reaper.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("the process that cleans up could not be started: %w", err), write.Close())
	}
	return reaper, nil
}

// Pid returns the number of the reaper's process.
func (r *Reaper) Pid() int { return r.cmd.Process.Pid }

// End ends the reaper. Unless all is removed already, it does that first.
func (r *Reaper) End(removed bool) error {
	if removed {
		_, _ = io.WriteString(r.alive, allRemoved) // fails only when the reaper is gone
	}
	_ = r.alive.Close()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("the process that cleans up: %w", err)
	}
	return nil
}

// ReaperMain does a reaper's work and ends the process when it was started as one;
// otherwise it returns at once.
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
