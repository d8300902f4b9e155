package osproc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Linux schedules sessions first (autogroups, sched(7)). Each child leads a session of its own,
// so one number is the share of a server with all of its threads and children, and restoring it
// needs no privilege.

// back is a ninth of the usual share. With the smallest one, a seventieth, servers would take
// minutes to start on a machine with four busy processes.
const back = 10

// StepBack gives a child and its children a small share of the processors. It reports whether it
// did: a kernel without autogroups cannot, and others limit such changes.
func StepBack(pid int) bool { return setShare(pid, back) == nil }

// StepForward restores the usual share of a child. It retries until it succeeds, since a starved
// server would change the run.
func StepForward(pid int) error {
	for {
		err := setShare(pid, 0)
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ESRCH):
			return nil
		case errors.Is(err, syscall.EAGAIN): // without privileges, ten times per second
			time.Sleep(10 * time.Millisecond)
		case err != nil:
			return fmt.Errorf("process %d cannot have its share of the processors back: %w", pid, err)
		default:
			return nil
		}
	}
}

// setShare sets the nice value of the session of a process, from -20, the largest share, to 19.
func setShare(pid, nice int) error {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/autogroup", pid), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(strconv.Itoa(nice))
	return err
}
