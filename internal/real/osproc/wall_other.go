//go:build !linux || !amd64

package osproc

import (
	"errors"
	"os/exec"
)

var errNoWall = errors.New("the wall clock of a process can be made wrong on Linux and 64-bit x86 processors only: play this in the simulator")

// NewWall returns an error: there is no such thing here.
func NewWall() (*Wall, error) { return nil, errNoWall }

// CanSetWall is nil where processes can be started with a Wall.
func CanSetWall() error { return errNoWall }

// Close does nothing here.
func (w *Wall) Close() error { return nil }

func (w *Wall) start(*exec.Cmd) error { return errNoWall }
