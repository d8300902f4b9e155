package main

import (
	"strings"
	"testing"

	"lockstep/internal/real/programs"
)

// Where real servers are not to be had, doctor says so, and proposes nothing that only Debian has.
func TestDoctorOnOtherSystems(t *testing.T) {
	for goos, name := range map[string]string{"windows": "Windows", "darwin": "macOS"} {
		t.Setenv("PATH", t.TempDir())
		found := examineAll(t.Context(), goos)
		var b strings.Builder
		if err := printDoctor(&b, goos, found); err != nil {
			t.Fatal(err)
		}
		said := b.String()
		for _, want := range []string{"The simulator is ready", "Real servers need Linux, and this is " + name, container, "docker", "Docker Desktop"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: doctor does not say %q:\n%s", goos, want, said)
			}
		}
		for _, not := range []string{"apt-get", "sudo", "systemctl", "redis-server", "ptrace", "Debian", "--backend"} {
			if strings.Contains(said, not) {
				t.Errorf("%s: doctor speaks of %s:\n%s", goos, not, said)
			}
		}
		if len(found) == 0 || len(found) >= len(programs.All()) {
			t.Errorf("%s: %d programs", goos, len(found))
		}
		for _, line := range strings.Split(said, "\n") {
			if len(line) > helpWidth+30 {
				t.Errorf("%s: a line of %d columns: %s", goos, len(line), line)
			}
		}
	}
	if said := noLive("linux"); said != "" {
		t.Errorf("on Linux: %q", said)
	}
}
