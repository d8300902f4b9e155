package osproc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// The scheduler of Linux shares the processors out among sessions first (autogroups,
// sched(7)). Each child leads a session of its own, so the share of a server with all
// of its threads and children is one number, and restoring it needs
// no privilege.

// back is a ninth of the usual share. The least there is would be a seventieth, and on a
// machine that four strangers keep busy, servers would take minutes to get ready.
const back = 10

// StepBack lets a child and its children have little of what others want, too. It reports
// whether it did: a kernel without autogroups cannot, nor one that does not want to now.
func StepBack(pid int) bool { return setShare(pid, back) == nil }

// StepForward gives a child that has stepped back its usual share again. It has to
// succeed, since a starved server makes a different story; a process that has ended
// needs no share.
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

// setShare sets what the kernel calls the nice value of the session of a process:
// from -20, most, to 19.
func setShare(pid, nice int) error {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/autogroup", pid), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(strconv.Itoa(nice))
	return err
}
