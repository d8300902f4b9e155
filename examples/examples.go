// Package examples carries lock programs in several languages inside of the program, so that
// `simulate new adapter` can write them anywhere. docs/own-lock-programs.md describes what they
// speak. What writes logs of locks (logging) is no program: docs/log-your-locks.md shows it.
package examples

import "embed"

// Files holds one file for each program, below the name of its language.
//
//go:embed */*.sh */*.py */*.php */*.rb */*.java
var Files embed.FS
