package osproc

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Family is a child with its descendants, all of which a fault has to hit: PostgreSQL has one for each
// connection, and a client the program of its lock.
type Family struct{ *Process }

// Freeze stops the processes and returns when all of their threads have stopped.
func (f Family) Freeze() error {
	return f.freezeBy(func(pid int) error {
		_, err := freezeFamily(pid)
		return err
	})
}

// Kill also kills the descendants. Those that serve connections would end by themselves, but may
// execute a request until then.
func (f Family) Kill() error {
	select {
	case <-f.done: // its number may belong to another process by now
		return nil
	default:
		return errors.Join(killFamily(f.Pid()), f.Process.Kill())
	}
}

// freezeFamily stops a process and its descendants, and returns these. The parent is stopped first,
// so that it starts no more children meanwhile. It looks again until it finds no new ones, which
// were forked while the others were being stopped.
func freezeFamily(pid int) (still []int, err error) {
	if err := freeze(pid); err != nil {
		return nil, err
	}
	for {
		found := len(still)
		for _, one := range descendantsOf(pid) {
			if slices.Contains(still, one) {
				continue
			}
			if err := freeze(one); err != nil && StartTime(one) != "" {
				return still, err
			}
			still = append(still, one)
		}
		if len(still) == found {
			return still, nil
		}
	}
}

// Thaw lets the stopped processes run again.
func (f Family) Thaw() error {
	select {
	case <-f.done: // its number may belong to another process by now
		return nil
	default:
	}
	var errs []error
	for _, one := range append(descendantsOf(f.Pid()), f.Pid()) {
		if err := syscall.Kill(one, syscall.SIGCONT); err != nil && StartTime(one) != "" {
			errs = append(errs, fmt.Errorf("process %d cannot be continued: %w", one, err))
		}
	}
	return errors.Join(errs...)
}

// killFamily kills the descendants of a process and then the process. It returns when
// the descendants are gone; its caller waits for the process itself.
func killFamily(pid int) error {
	if StartTime(pid) == "" {
		return nil // it has ended
	}
	family, err := freezeFamily(pid)
	if err != nil && StartTime(pid) == "" {
		return nil
	}
	for _, one := range family {
		_ = syscall.Kill(one, syscall.SIGKILL) // it may have ended
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	return awaitDeath(family)
}

// quietLooks is the number of successive looks that have to find no process. One may miss a
// process: a daemon forks and exits while the processes are listed, and a process has no
// environment during execve.
const quietLooks = 3

// killAll kills the processes that list returns, with their descendants, until none is left. Each
// look may find some that were forked after the previous one. before is called for each.
func killAll(list func() []int, before func(pid int)) error {
	quiet := 0
	for end := time.Now().Add(settleTime); ; Nap(time.Millisecond) {
		left := slices.DeleteFunc(list(), func(pid int) bool { return StartTime(pid) == "" })
		if len(left) > 0 {
			quiet = 0
		} else if quiet++; quiet == quietLooks {
			return nil
		}
		if len(left) > 0 && time.Now().After(end) {
			return fmt.Errorf("processes %v got SIGKILL and were still there after %v: they hang in the kernel", left, settleTime)
		}
		for _, pid := range left {
			before(pid)
		}
		var errs []error
		for _, pid := range left { // a descendant may not be in the list
			errs = append(errs, killFamily(pid))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
}

// KillDescendants kills the descendants of this process, which has adopted orphans (Adopt).
func KillDescendants() error {
	return killAll(func() []int { return descendantsOf(os.Getpid()) }, func(int) {})
}

// killGroup kills the processes of a group, and removes their shared memory.
func killGroup(group int) error {
	var shared sharedFiles
	err := killAll(func() []int {
		return slices.DeleteFunc(processes(), func(pid int) bool { return groupOf(pid) != group })
	}, shared.add)
	return errors.Join(err, shared.remove())
}

// awaitDeath returns when processes that got SIGKILL are gone.
func awaitDeath(pids []int) error {
	for end := time.Now().Add(settleTime); len(pids) > 0; {
		if StartTime(pids[0]) == "" {
			pids = pids[1:]
			continue
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d got SIGKILL and was still there after %v: it hangs in the kernel", pids[0], settleTime)
		}
		Nap(50 * time.Microsecond)
	}
	return nil
}

// descendantsOf lists the children of a process, theirs, and so on, parents first.
func descendantsOf(pid int) []int {
	children := map[int][]int{}
	for _, one := range processes() {
		parent := parentOf(one)
		children[parent] = append(children[parent], one)
	}
	out := slices.Clone(children[pid])
	for i := 0; i < len(out); i++ {
		out = append(out, children[out[i]]...)
	}
	return out
}

// processes lists the numbers of all processes.
func processes() []int {
	var out []int
	entries, _ := os.ReadDir("/proc") // empty on other systems than Linux
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
