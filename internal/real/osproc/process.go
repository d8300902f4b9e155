// Package osproc is the operating system's part of the live world, which is Linux: child processes
// that cannot outlive the harness, freezing and killing them, one clock for all of them, and
// scratch directories that are always removed.
//
// A child started here dies when the harness ends or kills it, and also when the harness itself
// is killed by SIGKILL and cannot clean up. A run's Reaper, which outlives the harness then,
// removes the rest.
package osproc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Process is a running child.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// forks passes commands to the goroutine that starts all children.
//
// SIGKILL at the parent's death is tied to the thread that forked, not to the process: a child
// of another goroutine would be killed when the Go runtime ends that goroutine's thread, some
// minutes into a run. So one goroutine is locked to its thread and never ends.
var forks = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// Start starts a child that dies with this process. Its outputs should be files, so that nothing
// has to be copied and nothing is lost when it is killed. Of cmd.SysProcAttr it uses only the
// account (Credential) and the signal at this process's death (Pdeathsig), for a child that then
// ends by itself.
func Start(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = childAttr(cmd.SysProcAttr)
	started := make(chan error, 1)
	forks() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s could not be started: %w", cmd.Path, err)
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // ProcessState has the result
	}()
	return p, nil
}

// Output runs a command to its end, at a low priority, and returns its output. The command dies
// with this process. When ctx ends, it is killed with its descendants, and its output until then
// is returned with the error.
func Output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	out, err := os.CreateTemp(cmd.Dir, "output-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	p, err := Start(cmd)
	if err != nil {
		return nil, err
	}
	StepBack(p.Pid())
	var late error
	select {
	case <-p.Done():
	case <-ctx.Done():
		late = errors.Join(context.Cause(ctx), killGroup(p.Pid())) // a child leads its group
	}
	said, err := os.ReadFile(out.Name())
	switch {
	case late != nil:
		return said, late
	case !p.cmd.ProcessState.Success():
		err = errors.New(p.Ended())
	}
	return said, err
}

// Pid returns the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended and has been reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended says how the process ended: "exit status 1", "signal: killed".
func (p *Process) Ended() string {
	select {
	case <-p.done:
		return p.cmd.ProcessState.String()
	default:
		return "it is running"
	}
}

// settleTime bounds the time in which the kernel stops or kills a process, a fraction of a
// millisecond unless the machine is very busy.
const settleTime = 5 * time.Second

// Freeze stops the process and returns when all of its threads have stopped.
func (p *Process) Freeze() error { return p.freezeBy(freeze) }

func (p *Process) freezeBy(stop func(pid int) error) error {
	select {
	case <-p.done: // its number may belong to another process by now
		return fmt.Errorf("process %d cannot be stopped: %s", p.Pid(), p.Ended())
	default:
		return stop(p.Pid())
	}
}

func freeze(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("process %d cannot be stopped: %w", pid, err)
	}
	for end := time.Now().Add(settleTime); ; {
		still, err := stopped(pid)
		if err != nil {
			return fmt.Errorf("process %d cannot be seen to stop: %w", pid, err)
		}
		if still {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d got SIGSTOP and still ran after %v: the machine is overloaded", pid, settleTime)
		}
		Nap(50 * time.Microsecond)
	}
}

// Thaw lets a stopped process run again.
func (p *Process) Thaw() error {
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("process %d cannot be continued: %w", p.Pid(), err)
	}
	return nil
}

// Signal sends a signal. Freeze and Kill also wait for its effect.
func (p *Process) Signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// Kill ends the process with SIGKILL, stopped or not, and returns when it is
// gone. Killing a dead process is not an error.
func (p *Process) Kill() error {
	_ = p.cmd.Process.Signal(syscall.SIGKILL) // fails only when it has ended already
	select {
	case <-p.done:
		return nil
	case <-time.After(settleTime):
		return fmt.Errorf("process %d got SIGKILL and was still there after %v: it hangs in the kernel", p.Pid(), settleTime)
	}
}
