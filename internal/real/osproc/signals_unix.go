//go:build unix

package osproc

import "syscall"

const (
	signalStop     = syscall.SIGSTOP
	signalContinue = syscall.SIGCONT
)

// kill sends a signal to a process, or to a group by its negative number.
func kill(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// apart puts a child in a session of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
