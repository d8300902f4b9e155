//go:build !unix

package osproc

import "syscall"

// Without these signals, nothing is started that could get one: see Supported.
const (
	signalStop     = syscall.Signal(0)
	signalContinue = syscall.Signal(0)
)

func kill(int, syscall.Signal) error { return errUnsupported }
func apart() *syscall.SysProcAttr    { return nil }
