// Package examples embeds lock programs in several languages, so that `simulate new adapter` can
// write them anywhere. docs/own-lock-programs.md describes their protocol. The code in logging,
// which writes logs of locks, is shown in docs/log-your-locks.md.
package examples

import "embed"

// Files holds one file for each program, below the name of its language.
//
//go:embed */*.sh */*.py */*.php */*.rb */*.java
var Files embed.FS
