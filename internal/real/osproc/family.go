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

// A fault has to hit all processes of a server: PostgreSQL has one for each connection. The
// parent is stopped first, so that it starts no more children meanwhile.

// FreezeFamily stops a process and its descendants and returns when all of their
// threads have stopped.
func FreezeFamily(pid int) error {
	_, err := freezeFamily(pid)
	return err
}

// freezeFamily also returns the descendants. It looks again until it finds no new ones, which
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

// ThawFamily lets a stopped process and its descendants run again.
func ThawFamily(pid int) error {
	var errs []error
	for _, one := range append(descendantsOf(pid), pid) {
		if err := syscall.Kill(one, syscall.SIGCONT); err != nil && StartTime(one) != "" {
			errs = append(errs, fmt.Errorf("process %d cannot be continued: %w", one, err))
		}
	}
	return errors.Join(errs...)
}

// KillFamily kills the descendants of a process and then the process. It returns when
// the descendants are gone; its caller waits for the process itself.
func KillFamily(pid int) error {
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

// KillDescendants kills the descendants of this process, which has adopted orphans (Adopt).
func KillDescendants() {
	end := time.Now().Add(settleTime)
	for quiet := 0; quiet < quietLooks && time.Now().Before(end); Nap(time.Millisecond) {
		quiet++
		for _, one := range descendantsOf(os.Getpid()) {
			if StartTime(one) != "" {
				quiet = 0
				_ = syscall.Kill(one, syscall.SIGKILL) // it may have ended
			}
		}
	}
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

// killGroup kills the processes of a group, children forked meanwhile included, and returns when
// they are gone.
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
			break // only zombies are left
		}
		if err := awaitDeath(members); err != nil {
			return err
		}
	}
	return shared.remove()
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
