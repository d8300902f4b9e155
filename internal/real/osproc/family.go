package osproc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Some servers are not one process but a family: PostgreSQL has one for each
// connection. A fault has to hit all of them. The parent stands still first, so
// that it has no more children while the others are looked for.

// FreezeFamily stops a process and its children and returns when all of their
// threads stand still.
func FreezeFamily(pid int) error {
	if err := freeze(pid); err != nil {
		return err
	}
	for _, child := range childrenOf(pid) {
		if err := freeze(child); err != nil && StartTime(child) != "" {
			return err
		}
	}
	return nil
}

// ThawFamily lets a stopped process and its children run again.
func ThawFamily(pid int) error {
	var errs []error
	for _, one := range append(childrenOf(pid), pid) {
		if err := syscall.Kill(one, syscall.SIGCONT); err != nil && StartTime(one) != "" {
			errs = append(errs, fmt.Errorf("process %d cannot be continued: %w", one, err))
		}
	}
	return errors.Join(errs...)
}

// KillFamily kills the children of a process and then the process. It returns when
// the children are gone; the process itself is for its parent to wait for.
func KillFamily(pid int) error {
	if StartTime(pid) == "" || freeze(pid) != nil {
		return nil // it has ended
	}
	children := childrenOf(pid)
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	return awaitDeath(children)
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
		nap(50 * time.Microsecond)
	}
	return nil
}

// killGroup kills the processes of a group and returns when they are gone. Who has
// forked meanwhile is in the group, too.
func killGroup(group int) error {
	var members []int
	var shared sharedFiles
	for _, pid := range processes() {
		if groupOf(pid) == group {
			shared.add(pid)
		}
	}
	for syscall.Kill(-group, syscall.SIGKILL) == nil {
		members = members[:0]
		for _, pid := range processes() {
			if groupOf(pid) == group && StartTime(pid) != "" {
				members = append(members, pid)
			}
		}
		if len(members) == 0 {
			break // those that are left are dead, and nobody has taken notice yet
		}
		if err := awaitDeath(members); err != nil {
			return err
		}
	}
	return shared.remove()
}

// childrenOf lists the processes whose parent is that one.
func childrenOf(pid int) []int {
	var out []int
	for _, child := range processes() {
		if parentOf(child) == pid {
			out = append(out, child)
		}
	}
	return out
}

// processes lists the numbers of all processes.
func processes() []int {
	var out []int
	entries, _ := os.ReadDir("/proc") // none where there is no such thing
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
