// Package servers starts real servers as child processes on the loopback
// interface, each with a directory of its own, and stops them without leaving
// anything behind.
package servers

import (
	"fmt"
	"os/exec"
)

// MissingError says that a program is not installed, and how to install it.
type MissingError struct {
	Program string
	Install string // the command that installs it
}

// Error is the one sentence that a user needs.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not installed: %s", e.Program, e.Install)
}

// installs says how to install the programs that this package starts.
var installs = map[string]string{
	"redis-server": "sudo apt-get install -y redis-server",
}

// Find returns the path of a server program, or a MissingError.
func Find(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", &MissingError{Program: program, Install: installs[program]}
	}
	return path, nil
}
