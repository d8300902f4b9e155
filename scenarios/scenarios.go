// Package scenarios carries the stories inside of the program, so that an
// installed one can play them anywhere, without a copy of this repository.
package scenarios

import "embed"

// Files holds lessons/<name>.yaml, search/<name>.yaml, bugs/<name>.yaml and questions/<name>.yaml.
//
//go:embed lessons/*.yaml search/*.yaml bugs/*.yaml questions/*.yaml
var Files embed.FS
