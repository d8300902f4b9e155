//go:build !linux

package osproc

import (
	"errors"
	"os"
	"syscall"
	"time"
)

var errUnsupported = errors.New("real servers need Linux: children that die with the harness and the state of a stopped process are Linux features; use the sim backend, or run this in a Linux container")

// Supported says that the live world cannot run here.
func Supported() error { return errUnsupported }

var processStart = time.Now()

func childAttr(*syscall.SysProcAttr) *syscall.SysProcAttr { return nil }
func stopped(int) (bool, error)                           { return false, errUnsupported }
func parentOf(int) int                                    { return 0 }
func groupOf(int) int                                     { return 0 }
func atTerminal(int) bool                                 { return false }
func lockFile(*os.File) bool                              { return false }

// Now is the time since this process started.
func Now() time.Duration { return time.Since(processStart) }

// Nap sleeps.
func Nap(d time.Duration) { time.Sleep(d) }

// Adopt does nothing here.
func Adopt() error { return errUnsupported }

// KeepToMyself does nothing here.
func KeepToMyself(...int) {}

// StartTime returns "": unknown.
func StartTime(int) string { return "" }

// RemoveSharedMemory does nothing here.
func RemoveSharedMemory(int) error { return errUnsupported }

// StepBack does nothing here.
func StepBack(int) bool { return false }

// StepForward does nothing here.
func StepForward(int) error { return nil }
