//go:build unix

package osproc

import "syscall"

// Signals that stop a process and let it go on.
const (
	signalStop     = syscall.SIGSTOP
	signalContinue = syscall.SIGCONT
)

// kill sends a signal to a process, or to a group by its negative number.
func kill(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// apart is a child in a session of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
