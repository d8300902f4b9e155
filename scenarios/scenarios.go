// Package scenarios carries the stories inside of the program, so that an
// installed one can play them anywhere, without a copy of this repository.
package scenarios

import "embed"

// Lessons holds the files lessons/<name>.yaml.
//
//go:embed lessons/*.yaml
var Lessons embed.FS
