package containers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// reaper is a process that outlives the harness. It holds one end of a pipe; when
// the harness is gone, however that came about, the kernel closes the other end,
// and the reaper removes the harness's containers. It is this program, started
// once more.
type reaper struct {
	label string // of the harness's containers
	cmd   *exec.Cmd
	alive *os.File // the harness's end of the pipe
}

const (
	// envReaper makes a program the reaper of the containers with that label.
	envReaper = "LOCKSTEP_REAPER"
	// pipeFD is where the reaper finds its end of the pipe.
	pipeFD = 3
	// allRemoved is what a harness says that has left nothing.
	allRemoved = "all removed"
)

func startReaper() (*reaper, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program's own path is unknown, so no reaper of containers can be started: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe to the reaper of containers: %w: raise the limit of open files (ulimit -n)", err)
	}
	defer read.Close()
	label, err := ownLabel()
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	r := &reaper{label: label, alive: write, cmd: exec.Command(program)}
	r.cmd.Env = append(os.Environ(), envReaper+"="+label)
	r.cmd.ExtraFiles = []*os.File{read} // becomes pipeFD
	// A session of its own: what ends the harness's group or terminal passes it by.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := r.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("the reaper of containers could not be started: %w", err), write.Close())
	}
	return r, nil
}

// end ends the reaper. Unless all is removed already, it does that first.
func (r *reaper) end(removed bool) error {
	if removed {
		_, _ = io.WriteString(r.alive, allRemoved) // fails only when it is gone already
	}
	_ = r.alive.Close()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("the reaper of containers: %w", err)
	}
	return nil
}

// ReaperMain does a reaper's work and ends the process when it was started as
// one; otherwise it returns at once.
func ReaperMain() {
	label := os.Getenv(envReaper)
	if label == "" {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // the harness may get them, too
	if err := reap(label, os.NewFile(pipeFD, "harness")); err != nil {
		fmt.Fprintln(os.Stderr, "lockstep: containers of a dead harness were not removed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Times of the reaper. An engine goes on with what a harness has asked it for
// before it died, so a container may appear afterwards.
const (
	reapPause = 200 * time.Millisecond // between two looks
	reapQuiet = 2 * time.Second        // how long nothing has to appear
)

// reap waits for the end of the harness and removes what it has left.
func reap(label string, harness io.Reader) error {
	said, err := io.ReadAll(harness)
	if err != nil || string(said) == allRemoved {
		return err
	}
	e, err := connect(context.Background())
	if err != nil {
		return err
	}
	defer e.client.Close()
	for quiet := time.Duration(0); quiet < reapQuiet; quiet += reapPause {
		removed, err := e.remove(context.Background(), func(l string) bool { return l == label })
		if err != nil {
			return err
		}
		if removed > 0 {
			quiet = 0
		}
		time.Sleep(reapPause)
	}
	return nil
}
