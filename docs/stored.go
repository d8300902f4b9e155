// Package docs carries what was measured and stored, so that an installed program can
// answer from it.
package docs

import "embed"

// Explore is the stored result of simulate explore.
//
//go:embed explore.json
var Explore []byte

// Libraries are the Go libraries that were measured by their own code, a file for each.
//
//go:embed libraries/*.json
var Libraries embed.FS

// Programs are the programs of examples that were measured on real servers, a file for each.
//
//go:embed programs/*.json
var Programs embed.FS
