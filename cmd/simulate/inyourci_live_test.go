//go:build live

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// The whole page works: with `go mod tidy`, which needs the module proxy, with `go mod vendor`,
// which makes it unnecessary, and with a program on a real server.
func TestAllOfThePageInYourCI(t *testing.T) {
	realtest.SecondTier(t)
	page := ciPage(t)
	work, in := beside(t)
	myLock(t, page, work, in)
	if out, err := in([]string{"GOFLAGS="}, "cd mylock/locktests\n"+page["go: test"]); err != nil || !strings.Contains(out, "ok") {
		t.Errorf("%v\n%s", err, out)
	}
	nothing := []string{"GOFLAGS=", "GOPROXY=off", "GOMODCACHE=" + t.TempDir()}
	if out, err := in(nothing, "cd mylock/locktests; GOPROXY= GOMODCACHE= go mod vendor; rm ../../lockstep/go.mod; go test ./..."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	realtest.Need(t, "redis-server")
	writeIn(t, filepath.Join(work, "mylock/stories/crash.yaml"), page["program: stories/crash.yaml"])
	python := filepath.Join(work, "python")
	must.Do(t, os.Mkdir(python, 0o755))
	if err := os.Symlink("/usr/bin/python3", filepath.Join(python, "python3")); err != nil { // Debian's, which has Debian's libraries
		t.Fatal(err)
	}
	path := []string{"PATH=" + python + ":" + os.Getenv("PATH")}
	if out, err := in(path, "cd mylock && ../lockstep/bin/simulate new adapter mylock --in python"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range steps(t, page["workflow: program"]) {
		if out, err := in(path, line); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}
