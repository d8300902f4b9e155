// Package servers starts real servers as child processes on the loopback
// interface, each with a directory of its own, and stops them without leaving
// anything behind.
package servers

import "lockstep/internal/real/programs"

// MissingError says that a program is not installed, and how to install it.
type MissingError = programs.MissingError

// Find returns the path of a server program, or a MissingError.
func Find(program string) (string, error) { return programs.Find(program) }
