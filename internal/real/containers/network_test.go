package containers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/must"
)

func TestAnEngineElsewhereIsNoticed(t *testing.T) {
	const id, host = "40fe673b93248b03", "net:[1]"
	tests := []struct {
		name    string
		self    string // our namespace of process numbers
		group   string // the control group of the process with the container's number; "": there is none
		network string // of that process
		seen    bool
		here    bool
	}{
		{"an engine of this machine", allProcesses, "0::/docker/" + id, host, true, true},
		{"an engine of systemd", allProcesses, "0::/system.slice/docker-" + id + ".scope", host, true, true},
		{"a rootless engine", allProcesses, "0::/user.slice/docker-" + id + ".scope", "net:[2]", true, false},
		{"a virtual machine", allProcesses, "", "", false, false},
		{"a virtual machine, and some process with that number", allProcesses, "0::/init.scope", host, false, false},
		{"a harness in a container", "pid:[7]", "", "", false, true},
		{"a harness in a container, and some process with that number", "pid:[7]", "0::/", "net:[2]", false, true},
	}
	for _, tt := range tests {
		proc := t.TempDir()
		link := func(to string, at ...string) {
			path := filepath.Join(append([]string{proc}, at...)...)
			must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(to, path)))
		}
		link(tt.self, "self", "ns", "pid")
		link(host, "self", "ns", "net")
		if tt.group != "" {
			link(tt.network, "42", "ns", "net")
			must.Do(t, os.WriteFile(filepath.Join(proc, "42", "cgroup"), []byte(tt.group+"\n"), 0o600))
		}
		seen, err := sees(proc, id, 42)
		if seen != tt.seen || (err == nil) != tt.here {
			t.Errorf("%s: seen %v, %v; want %v and here %v", tt.name, seen, err, tt.seen, tt.here)
		}
	}
}
