//go:build !live || !queue

package main

import (
	"os"
	"path/filepath"
)

// liveProgram is the name of the program built with the tags live and queue.
const liveProgram = "simulate-live"

// besideThis is that program where it lies beside this one, else "".
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
