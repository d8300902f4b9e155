//go:build !live || !queue

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// liveProgram is the name of the program built with the tags live and queue.
const liveProgram = "simulate-live"

// besideThis is the path of that program if it is next to this one, else "".
func besideThis() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	beside := filepath.Join(filepath.Dir(self), liveProgram)
	if info, err := os.Stat(beside); err != nil || info.IsDir() || beside == self {
		return ""
	}
	return beside
}

// become replaces this process by a program with the same arguments. It returns only on failure.
func become(program string) error {
	err := syscall.Exec(program, append([]string{program}, os.Args[1:]...), os.Environ())
	return environment(fmt.Errorf("cannot start %s: %w", program, err))
}
