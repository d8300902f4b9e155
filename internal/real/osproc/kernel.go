package osproc

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tie is a simultaneous reading of the kernel's monotonic clock and of Go's. Go reads the same
// clock, but without a system call, and counts from the start of the process.
var tie = tied()

type tieOfClocks struct {
	kernel time.Duration
	ours   time.Time
}

// tied reads Go's clock between two readings of the kernel's, a few times, and keeps the one
// whose two readings are closest to each other.
func tied() (best tieOfClocks) {
	closest := time.Duration(math.MaxInt64)
	for range 16 {
		before, ours, after := kernelMonotonic(), time.Now(), kernelMonotonic()
		if apart := after - before; apart < closest {
			closest, best = apart, tieOfClocks{kernel: before + apart/2, ours: ours}
		}
	}
	return best
}

// Now is the clock of the live world: nanoseconds of the host's monotonic clock, the same value
// in every process of the machine. It goes on while a process is stopped.
func Now() time.Duration { return tie.kernel + time.Since(tie.ours) }

func kernelMonotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(fmt.Sprintf("osproc: the monotonic clock cannot be read: %v", err))
	}
	return time.Duration(ts.Nano())
}

// Nap sleeps for at most a few milliseconds, more exactly than time.Sleep, but blocks a thread.
// A signal may end it early.
func Nap(d time.Duration) {
	if d > 0 {
		ts := unix.NsecToTimespec(int64(d))
		_ = unix.Nanosleep(&ts, nil)
	}
}

// childAttr makes a child that gets SIGKILL, unless another signal is asked for, when the thread
// that forked it ends, and that has no terminal, so that a Ctrl-C reaches only the harness.
func childAttr(asked *syscall.SysProcAttr) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if asked != nil {
		attr.Credential, attr.Pdeathsig = asked.Credential, cmp.Or(asked.Pdeathsig, attr.Pdeathsig)
	}
	return attr
}

// Adopt makes this process the parent of its descendants whose own parent has ended.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("this process cannot become the parent of orphans: %w", err)
	}
	return nil
}

// stat returns the fields of /proc/PID/stat after the command's name, the first of which is the
// state. The name may contain blanks and parentheses, so the last one ends it.
func stat(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := string(raw)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return nil, fmt.Errorf("%s has %d fields: not the format of this kernel's manual", path, len(fields))
	}
	return fields, nil
}

// StartTime returns when a process started, in the kernel's own unit; "" when there is no such
// process or it is a zombie. Together with the PID it identifies a process: PIDs are reused.
func StartTime(pid int) string {
	fields, err := stat(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

func parentOf(pid int) int { return numberOf(pid, 1) }
func groupOf(pid int) int  { return numberOf(pid, 2) }

// numberOf returns one of the fields of stat, a number; 0 when there is no such process.
func numberOf(pid, field int) int {
	fields, err := stat(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	number, _ := strconv.Atoi(fields[field]) // the kernel writes a number
	return number
}

// atTerminal reports whether a process has a terminal.
func atTerminal(pid int) bool {
	fields, err := stat(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && fields[4] != "0"
}

// stopped reports whether every thread of a process has stopped. The state of the process is
// only that of its first thread; another one may run some microseconds longer on another core,
// and send a command after the pause has begun. A zombie never stops: it is gone.
func stopped(pid int) (bool, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	there := false
	for _, path := range threads {
		fields, err := stat(path)
		switch {
		case os.IsNotExist(err) || err == syscall.ESRCH:
			continue // this thread has ended meanwhile
		case err != nil:
			return false, err
		case fields[0] == "Z" || fields[0] == "X":
			continue
		case fields[0] != "T" && fields[0] != "t":
			return false, nil
		}
		there = true
	}
	if err != nil || !there {
		return false, fmt.Errorf("process %d is gone", pid)
	}
	return true, nil
}

// lockFile takes a lock that the kernel releases when this process dies; false when another
// process holds it.
func lockFile(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// RemoveSharedMemory removes a segment of shared memory of a dead process, if there is one.
func RemoveSharedMemory(id int) error {
	_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err == unix.EINVAL || err == unix.EIDRM { // never wrapped
		return nil
	}
	return err
}
