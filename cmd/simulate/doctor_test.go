package main

import (
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/programs"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// On systems without real servers doctor says so, and proposes nothing that only Debian has.
func TestDoctorOnOtherSystems(t *testing.T) {
	for goos, name := range map[string]string{"windows": "Windows", "darwin": "macOS"} {
		t.Setenv("PATH", t.TempDir())
		found := examineAll(t.Context(), goos)
		var b strings.Builder
		must.Do(t, printDoctor(&b, say.English, goos, found))
		said := b.String()
		for _, want := range []string{"The simulator is ready", "Real servers need Linux, and this is " + name, container, "docker", "Docker Desktop"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: doctor does not say %q:\n%s", goos, want, said)
			}
		}
		for _, not := range []string{"apt-get", "sudo", "systemctl", "redis-server", "Debian", "--backend"} {
			if strings.Contains(said, not) {
				t.Errorf("%s: doctor mentions %s:\n%s", goos, not, said)
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
	if said := noLive("linux"); !said.Empty() {
		t.Errorf("on Linux: %q", said.English())
	}
}

// The output of doctor for each program, found or missing, has its Chinese.
func TestDoctorSpeaksChinese(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, goos := range []string{"linux", "darwin"} {
		for _, found := range []bool{false, true} {
			all := append(examineAll(t.Context(), goos), examineImages(t.Context(), "docker")...)
			for i := range all {
				all[i].Found = found
			}
			for _, p := range programs.On(goos) {
				all = append(all, examined{Kind: "tool", Found: true, Problem: p.Silent})
			}
			var b strings.Builder
			must.Do(t, printDoctor(&b, say.Chinese, goos, all))
			said := strings.ReplaceAll(b.String(), container, "")
			for line := range strings.Lines(said) {
				if !strings.Contains(line, "sudo") && !strings.Contains(line, "docker pull") && len(reporttest.EnglishRuns(line)) > 0 || !strings.ContainsFunc(said, isHan) {
					t.Errorf("%s: %s", goos, line)
				}
			}
		}
	}
}
