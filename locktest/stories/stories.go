// Package stories has the stories that a user's own lock should survive: in Go (package locktest),
// and as a program (simulate run --lock-command).
package stories

import "embed"

//go:embed *.yaml
var files embed.FS

// Names are those for a program, in the order of playing.
func Names() []string {
	return []string{
		"contention", "failed-try", "crash", "lost-acquire", "lost-reply", "lost-request", "late-acquire", "late-release", "late-own-release",
		"late-heartbeat", "pause", "restart", "failover",
	}
}

// Read returns the story with that name.
func Read(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".yaml")
	return data, err == nil
}
