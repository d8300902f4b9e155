package osproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Children die with the harness, but not all that they leave behind does: children of
// their own, above all those that a fault has stopped and who cannot notice; memory
// that a killed server has not given back; the scratch directory. A reaper removes it.
var remains = Remains{
	Env:    "LOCKSTEP_REAPER_OF",
	Name:   "processes and files",
	Remove: func(dir string) error { return errors.Join(reap(dir), reapInMemory(dir)) },
}

// StartReaper starts a reaper for a scratch directory. The program that calls it has to
// call ReaperMain first thing in main. End has to be called.
func StartReaper(s *Scratch) (*Reaper, error) { return remains.Reaper(s.path) }

// ReaperMain does the work of a scratch directory's reaper and ends the process when it
// was started as one; otherwise it returns at once.
func ReaperMain() { remains.ReaperMain() }

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

// quietLooks is how many looks in a row have to find no process. One is not enough: a daemon on its way
// forks and exits, so the parent is gone and the child was not there yet when the processes were
// listed; and a process in the middle of execve shows no environment.
const quietLooks = 3

// killInside kills the processes that live in a directory. Each look may find some that
// were forked after the one before.
func killInside(dir string) error {
	var shared sharedFiles
	quiet := 0
	for end := time.Now().Add(settleTime); ; nap(time.Millisecond) {
		left := inside(dir)
		if len(left) > 0 {
			quiet = 0
		} else if quiet++; quiet == quietLooks {
			return shared.remove()
		}
		if len(left) > 0 && time.Now().After(end) {
			return fmt.Errorf("processes %v got SIGKILL and were still there after %v: they hang in the kernel", left, settleTime)
		}
		for _, pid := range left {
			shared.add(pid)
			_ = kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// EnvRun is the environment variable that names the run of a process outside the scratch
// directory: a lock that is a user's program, and its descendants. Its value is the scratch directory.
const EnvRun = "LOCKSTEP_RUN"

// belongs reports whether a process has the mark of the run with that scratch directory.
func belongs(pid int, dir string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.Contains(strings.Split(string(env), "\x00"), EnvRun+"="+dir)
}

// inside lists the processes whose working directory is that one or below it, and those with
// the mark of the run. The directory is what the processes of a run have in common, those of
// PostgreSQL as well, which write over their environment. A user's shell may be there, too, but it has a terminal,
// unlike the children of a harness.
func inside(dir string) []int {
	var out []int
	for _, pid := range processes() {
		at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		at = strings.TrimSuffix(at, " (deleted)")
		within := at == dir || strings.HasPrefix(at, dir+string(filepath.Separator))
		if err == nil && (within || belongs(pid, dir)) && pid != os.Getpid() && StartTime(pid) != "" && !atTerminal(pid) {
			out = append(out, pid)
		}
	}
	return out
}
