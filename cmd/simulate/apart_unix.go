//go:build queue && unix

package main

import (
	"os/exec"
	"syscall"
)

// apart shields a process from the signals of this terminal.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
