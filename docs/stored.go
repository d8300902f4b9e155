// Package docs carries what was measured and stored, so that an installed program can
// answer from it.
package docs

import _ "embed"

// Explore is the stored result of simulate explore.
//
//go:embed explore.json
var Explore []byte
