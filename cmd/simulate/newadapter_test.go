package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// An adapter written outside the sources passes its tests, without downloads.
func TestNewAdapterWorks(t *testing.T) {
	realtest.SecondTier(t)
	source := must.Get(filepath.Abs("../.."))(t)
	t.Chdir(t.TempDir())
	if out, err := inProcess("new", "adapter", "my-lock", "--in", "go", "--source", source); err != nil || !strings.Contains(out, "cd my-lock && go test") {
		t.Fatalf("%s, %v", out, err)
	}
	module := must.Get(os.ReadFile("my-lock/go.mod"))(t)
	for line := range strings.Lines(string(module)) { // only imported modules are direct requirements
		direct := strings.Contains(line, " v") && !strings.Contains(line, "// indirect") && !strings.Contains(line, "go-redis/v9")
		if direct && !strings.HasPrefix(line, "require lockstep v0.0.0") {
			t.Errorf("go.mod requires %s", line)
		}
	}
	cmd := exec.Command("go", "test", "-v", ".")
	cmd.Dir = "my-lock"
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestLock/walk/late-reply") {
		t.Errorf("%v\n%s", err, out)
	}
	// A relative --source stays relative.
	here := must.Get(os.Getwd())(t)
	beside := must.Get(filepath.Rel(here, source))(t)
	if out, err := inProcess("new", "adapter", "other", "--source", beside); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	module, err = os.ReadFile("other/go.mod")
	if want := "replace lockstep => " + filepath.ToSlash(filepath.Join("..", beside)); err != nil || !strings.Contains(strings.ReplaceAll(string(module), `"`, ""), want) {
		t.Errorf("%v: go.mod has no %s:\n%s", err, want, module)
	}
	if out, err := inProcess("new", "adapter", "my-lock", "--source", source); err == nil || !strings.Contains(err.Error(), "nothing is overwritten") {
		t.Errorf("it is written twice: %s, %v", out, err)
	}
}
