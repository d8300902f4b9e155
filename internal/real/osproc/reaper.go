package osproc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Children die with the harness, but not all that they leave behind does: children of
// their own, above all those that a fault has stopped and who cannot notice; memory
// that a killed server has not given back; the scratch directory. So a run has a
// reaper besides, a process that outlives the harness. It holds one end of a pipe;
// when the harness is gone, however that came about, the kernel closes the other end,
// and the reaper removes all that belongs to the run.

// Reaper is the process that cleans up after this one. It is this program, started
// once more.
type Reaper struct {
	cmd   *exec.Cmd
	alive *os.File // the harness's end of the pipe
}

const (
	// envScratch makes a program the reaper of that scratch directory.
	envScratch = "LOCKSTEP_REAPER_OF"
	// pipeFD is where a reaper finds its end of the pipe.
	pipeFD = 3
	// allRemoved is what a harness says that has left nothing.
	allRemoved = "all removed"
)

// StartReaper starts a reaper for a scratch directory. The program that calls it has to
// call ReaperMain first thing in main. End has to be called.
func StartReaper(s *Scratch) (*Reaper, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program's own path is unknown, so nothing would clean up after it: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe to the process that cleans up: %w: raise the limit of open files (ulimit -n)", err)
	}
	defer read.Close()
	r := &Reaper{cmd: exec.Command(program), alive: write}
	r.cmd.Env = append(os.Environ(), envScratch+"="+s.path)
	r.cmd.ExtraFiles = []*os.File{read} // becomes pipeFD
	r.cmd.Stderr = os.Stderr
	// A session of its own: what ends the harness's group or terminal passes it by.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := r.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("the process that cleans up could not be started: %w", err), write.Close())
	}
	return r, nil
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
func ReaperMain() {
	dir := os.Getenv(envScratch)
	if dir == "" {
		return
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // the harness may get them, too
	said, err := io.ReadAll(os.NewFile(pipeFD, "harness"))
	if err == nil && string(said) != allRemoved {
		err = errors.Join(reap(dir), reapInMemory(dir))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "lockstep: not all was removed of %s, which a dead harness has left: %v\n", dir, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// reap kills the processes that live in a scratch directory and removes it.
func reap(dir string) error { return errors.Join(killInside(dir), discardAll(dir)) }

// reapInMemory does the same with the directories that a dead harness has in memory
// besides that one. The name of each says whose it is.
func reapInMemory(dir string) error {
	m := scratchName.FindStringSubmatch(filepath.Base(dir))
	if m == nil {
		return nil
	}
	if pid, err := strconv.Atoi(m[1]); err != nil || StartTime(pid) == m[2] {
		return err // it lives, and has failed to remove what it leaves
	}
	others, err := filepath.Glob(filepath.Join(memory, scratchPrefix+m[1]+"-"+m[2]+"-*"))
	for _, other := range others {
		err = errors.Join(err, reap(other))
	}
	return err
}

// killInside kills the processes that live in a directory. Each look may find some that
// were forked after the one before.
func killInside(dir string) error {
	for end := time.Now().Add(settleTime); ; nap(time.Millisecond) {
		left := inside(dir)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("processes %v got SIGKILL and were still there after %v: they hang in the kernel", left, settleTime)
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// inside lists the processes whose working directory is that one or below it. That is
// what the processes of a run have in common, those of PostgreSQL as well, which write
// over their environment. Somebody's shell may be there, too, but it has a terminal,
// which children of a harness have not.
func inside(dir string) []int {
	var out []int
	for _, pid := range processes() {
		at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		at = strings.TrimSuffix(at, " (deleted)")
		within := at == dir || strings.HasPrefix(at, dir+string(filepath.Separator))
		if err == nil && within && pid != os.Getpid() && StartTime(pid) != "" && !atTerminal(pid) {
			out = append(out, pid)
		}
	}
	return out
}
