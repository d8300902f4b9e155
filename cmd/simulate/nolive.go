//go:build !live

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"lockstep/internal/plan"
	"lockstep/internal/real/images"
	"lockstep/internal/run"
)

// The live world needs client libraries and a proxy, which would double the time to the first
// report. So the plain build leaves them out, and builds and becomes the other program when the
// user asks for real servers.

// live reports whether this program includes the live world.
const live = false

// workerMain does nothing here: the live program starts itself as a worker.
func workerMain() {}

// errNoLive is the error on systems without the live world.
var errNoLive = errors.New(noLive(runtime.GOOS).English() + " " + container)

// liveBackend replaces this process by the live program. It returns only on failure.
func liveBackend(string, int64, map[images.Product]string) (run.Factory, error) {
	if runtime.GOOS != "linux" {
		return nil, environment(errNoLive)
	}
	program, err := findLive()
	if err != nil {
		return nil, environment(err)
	}
	return nil, become(program)
}

// liveRefusal is never called: liveBackend comes first.
func liveRefusal(string, int64, *plan.Plan, string) error { return nil }

// findLive returns the live program: the one next to this program, or one built from the sources in
// the current folder.
func findLive() (string, error) {
	if beside := besideThis(); beside != "" {
		return beside, nil
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || path != "lockstep" {
		return "", errors.New("this program was built without the live world: run it in the folder of its sources, " +
			"where it can build the rest, or put " + liveProgram + " next to it (make build-live, in those sources)")
	}
	target := filepath.Join(dir, "bin", liveProgram)
	fmt.Fprintln(os.Stderr, "building the live world ...")
	build := exec.Command("go", "build", "-tags", "live,queue", "-o", target, "./cmd/simulate")
	build.Dir = dir
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("cannot build the live world: %w: try `go build -tags live,queue ./cmd/simulate`", err)
	}
	return target, nil
}
