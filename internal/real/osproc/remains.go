package osproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// remains are what children leave when they die with the harness: children of their own, such as
// those that a fault has stopped; shared memory of a killed server; the scratch directory.
var remains = Remains{
	Env:    "LOCKSTEP_REAPER_OF",
	Name:   "processes and files",
	Remove: func(dir string) error { return errors.Join(reap(dir), reapInMemory(dir)) },
}

// StartReaper starts a reaper for a scratch directory. The program has to call ReaperMain first
// in main. End has to be called.
func StartReaper(s *Scratch) (*Reaper, error) { return remains.Reaper(s.path) }

// ReaperMain is Remains.ReaperMain for scratch directories.
func ReaperMain() { remains.ReaperMain() }

// reap kills the processes in a scratch directory and removes it.
func reap(dir string) error { return errors.Join(killInside(dir), discardAll(dir)) }

// reapInMemory does the same with the directories in memory of the dead harness that the name of
// a scratch directory identifies.
func reapInMemory(dir string) error {
	m := scratchName.FindStringSubmatch(filepath.Base(dir))
	if m == nil {
		return nil
	}
	if pid, err := strconv.Atoi(m[1]); err != nil || StartTime(pid) == m[2] {
		return err // the harness lives, but failed to clean up
	}
	others, err := filepath.Glob(filepath.Join(memory, scratchPrefix+m[1]+"-"+m[2]+"-*"))
	for _, other := range others {
		err = errors.Join(err, reap(other))
	}
	return err
}

// killInside kills the processes in a directory, and removes their shared memory.
func killInside(dir string) error {
	var shared sharedFiles
	err := killAll(func() []int { return inside(dir) }, shared.add)
	return errors.Join(err, shared.remove())
}

// EnvRun is the environment variable that marks the processes of a run outside its scratch
// directory: a lock that is a user's program, and its descendants. Its value is the directory.
const EnvRun = "LOCKSTEP_RUN"

// belongs reports whether a process has the mark of a run.
func belongs(pid int, dir string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.Contains(strings.Split(string(env), "\x00"), EnvRun+"="+dir)
}

// inside lists the processes whose working directory is that one or below it, and those with
// the mark of the run, which PostgreSQL's processes overwrite. A user's shell in the directory
// is not listed: it has a terminal, unlike the children of a harness.
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
