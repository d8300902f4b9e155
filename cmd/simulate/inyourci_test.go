package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/goccy/go-yaml"

	"lockstep/internal/must"
)

// ciPage has the blocks of docs/in-your-ci.md, by the comments above them.
func ciPage(t *testing.T) map[string]string {
	t.Helper()
	page := must.Get(os.ReadFile("../../docs/in-your-ci.md"))(t)
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)<!-- ([^\n]*) -->\n```\\w+\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]] = m[2]
	}
	if len(blocks) != 7 {
		t.Fatalf("%d blocks", len(blocks))
	}
	return blocks
}

// beside makes the two folders of the page. lockstep links to this checkout, with this program in
// bin.
func beside(t *testing.T) (work string, in func(env []string, script string) (string, error)) {
	t.Helper()
	work = t.TempDir()
	source := must.Get(filepath.Abs("../.."))(t)
	for _, dir := range []string{"lockstep/bin", "mylock/scenarios", "mylock/stories"} {
		must.Do(t, os.MkdirAll(filepath.Join(work, dir), 0o755))
	}
	self := must.Get(os.Executable())(t)
	links := map[string]string{"lockstep/bin/simulate": self}
	for _, name := range []string{"go.mod", "go.sum", "internal", "locktest", "scenarios"} {
		links["lockstep/"+name] = filepath.Join(source, name)
	}
	for from, to := range links { // order: each link on its own
		must.Do(t, os.Symlink(to, filepath.Join(work, from)))
	}
	return work, func(env []string, script string) (string, error) {
		cmd := exec.Command("bash", "-e", "-c", script)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// steps are the commands of a workflow that run simulate or go test.
func steps(t *testing.T, workflow string) (lines []string) {
	t.Helper()
	var w struct {
		Jobs map[string]struct {
			Steps []struct{ Run, Uses string }
		}
	}
	if err := yaml.Unmarshal([]byte(workflow), &w); err != nil || len(w.Jobs) != 1 {
		t.Fatalf("%v\n%s", err, workflow)
	}
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if (s.Run == "") == (s.Uses == "") {
				t.Errorf("a step needs either run or uses: %+v", s)
			}
			if strings.Contains(s.Run, "bin/simulate") || strings.Contains(s.Run, "go test") {
				lines = append(lines, s.Run)
			}
		}
	}
	if len(lines) == 0 {
		t.Fatalf("no commands in\n%s", workflow)
	}
	return lines
}

// The workflow for scenario files passes, and a missed expectation fails it.
func TestScenarioFilesInYourCI(t *testing.T) {
	page := ciPage(t)
	work, in := beside(t)
	writeIn(t, filepath.Join(work, "mylock/scenarios/quick.yaml"), strings.Replace(quick, "%s", "broken", 1))
	for _, line := range steps(t, page["workflow: scenarios"]) {
		if out, err := in(nil, line); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	writeIn(t, filepath.Join(work, "mylock/scenarios/missed.yaml"), strings.Replace(quick, "%s", "kept", 1))
	lines := steps(t, page["workflow: scenarios"])
	if out, err := in(nil, lines[len(lines)-1]); code(err) != exitMissed {
		t.Errorf("%v\n%s", err, out)
	}
	// The story for a program is a scenario.
	writeIn(t, filepath.Join(work, "mylock/stories/crash.yaml"), page["program: stories/crash.yaml"])
	if out, err := in(nil, "lockstep/bin/simulate run mylock/stories"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// myLock writes the module of the page: the lock of the adapter's skeleton, and the page's test.
func myLock(t *testing.T, page map[string]string, work string, in func([]string, string) (string, error)) {
	t.Helper()
	skeleton := must.Get(template.ParseFS(skeletons, "skeleton/adapter/lock.go.tmpl"))(t)
	var lock strings.Builder
	must.Do(t, skeleton.Execute(&lock, map[string]string{"Package": "mylock"}))
	writeIn(t, filepath.Join(work, "mylock/lock.go"), lock.String())
	writeIn(t, filepath.Join(work, "mylock/go.mod"), "module example.com/mylock\n\ngo 1.24\n\nrequire github.com/redis/go-redis/v9 v9.7.0\n")
	if out, err := in([]string{"GOFLAGS=", "GOPROXY=off"}, "cd mylock\n"+page["go: commands"]); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeIn(t, filepath.Join(work, "mylock/locktests/lock_test.go"), page["go: lock_test.go"])
}

// The commands of the page make a module that finds lockstep beside it. Running its test is in the
// second tier, since that needs the module proxy and compiles for a minute.
func TestALockInGoInYourCI(t *testing.T) {
	page := ciPage(t)
	work, in := beside(t)
	myLock(t, page, work, in)
	out, err := in([]string{"GOFLAGS=-mod=mod", "GOPROXY=off"}, "cd mylock/locktests && go mod edit -json && go list -f '{{.Name}} {{.TestImports}}' -e .")
	if err != nil || !strings.Contains(out, `"Path": "../../lockstep"`) || !strings.Contains(out, "example.com/mylock lockstep/locktest") {
		t.Errorf("%v\n%s", err, out)
	}
	if lines := steps(t, page["workflow: go"]); len(lines) != 1 || lines[0] != "cd mylock/locktests && go test ./..." {
		t.Errorf("the workflow runs %q", lines)
	}
}
