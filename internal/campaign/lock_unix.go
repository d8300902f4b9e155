//go:build linux || darwin

package campaign

import (
	"os"
	"syscall"
)

// lock keeps other writers from a file until it is closed, also by the end of the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
