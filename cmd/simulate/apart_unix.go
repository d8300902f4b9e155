//go:build queue && unix

package main

import (
	"os/exec"
	"syscall"
)

// apart has a process not get the signals of this one's terminal.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
