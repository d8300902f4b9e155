package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/scenario/scenariotest"
)

// Skeletons compile in a copy of the sources, also with names close to existing identifiers.
func TestSkeletonsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles three packages")
	}
	copied := copySources(t)
	t.Chdir(copied)
	for _, args := range [][]string{
		{"lock", "my-lock"}, {"lock", "string"}, {"lock", "lock"}, {"lock", "set-nx"}, {"lock", "spin"},
		{"fault", "melt"}, {"fault", "panic"}, {"fault", "world"}, {"fault", "drop-all"},
		{"property", "no-two-holders"}, {"property", "progress2"}, {"property", "mutual"},
		{"scenario", "my-story", "--lock", "set-nx-lua,redlock"},
	} {
		if _, err := inProcess(append([]string{"new"}, args...)...); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	vet := exec.Command("go", "vet", "./internal/locks", "./internal/faults", "./internal/checker")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("the skeletons do not compile: %v\n%s", err, out)
	}
	format := exec.Command("gofmt", "-l", "internal/locks", "internal/faults", "internal/checker")
	if out, err := format.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the skeletons are not formatted: %v\n%s", err, out)
	}
	p := scenariotest.Load(t, "scenarios/lessons/my-story.yaml")
	if got := strings.Join(p.Locks, " "); got != "set-nx-lua redlock" || p.Name != "My story" {
		t.Errorf("the scenario is %q with the locks %s", p.Name, got)
	}
}

// copySources copies the three packages and what they import.
func copySources(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data := must.Get(os.ReadFile(filepath.Join("../..", name)))(t)
		must.Do(t, os.WriteFile(filepath.Join(to, name), data, 0o644))
	}
	for _, dir := range []string{"locks", "faults", "checker", "history", "ports", "say", "rng", "store"} {
		from := filepath.Join("../../internal", dir)
		must.Do(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			rel, err := filepath.Rel("../..", path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			target := filepath.Join(to, rel)
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return err
			}
			return os.WriteFile(target, data, 0o644)
		}))
	}
	return to
}

func TestNewNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"my-lock": true, "my-lock2": true, "linux": true, "unix": true,
		"x-linux": false, "x-amd64": false, "my-test": false,
	} {
		if why := notAlwaysCompiled(name); (why == "") != ok {
			t.Errorf("%s: %q", name, why)
		}
	}
	for name, want := range map[string]string{"my-lock": "myLock", "my": "myLock", "lock": "lockLock", "a-b2-c": "aB2CLock"} {
		if got := lockIdent(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"when", "by", "pause", "forever"} {
		if faultTaken(name) == "" {
			t.Errorf("a fault may be called %s", name)
		}
	}
}

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
