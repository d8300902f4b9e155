// Package servers starts real servers as child processes on the loopback
// interface, each with a directory of its own, and stops them without leaving
// anything behind.
package servers

import (
	"fmt"
	"os/exec"
	"path/filepath"
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
	"etcd":         "sudo apt-get install -y etcd-server",
	"mariadbd":     "sudo apt-get install -y mariadb-server",
	"postgres":     "sudo apt-get install -y postgresql",
	"initdb":       "sudo apt-get install -y postgresql",

	"mariadb-install-db": "sudo apt-get install -y mariadb-server",
}

// Find returns the path of a server program, or a MissingError.
func Find(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		path, err = besideThePath(program)
	}
	if err != nil {
		return "", &MissingError{Program: program, Install: installs[program]}
	}
	return path, nil
}

// besideThePath looks where Debian puts what it keeps out of the path: the
// programs of PostgreSQL, one directory for each version, and libraries of Java.
func besideThePath(program string) (string, error) {
	for _, dir := range []string{"/usr/lib/postgresql/*/bin/", "/usr/share/java/"} {
		found, err := filepath.Glob(dir + program)
		if err == nil && len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", exec.ErrNotFound
}
