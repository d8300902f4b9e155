// Package enginetest helps tests that start servers in containers.
package enginetest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lockstep/internal/real/containers"
	"lockstep/internal/real/images"
	"lockstep/internal/real/realtest"
)

// Need skips the test when no container engine answers. Where one does, the images
// have to be there: without them the test is skipped, too, or fails when the
// environment asks for servers (realtest.RequireServers). Tests do not pull.
func Need(t testing.TB, products ...images.Product) {
	t.Helper()
	if err := containers.Answers(context.Background()); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	for _, p := range products {
		image := images.Of(p)
		name := image.Chosen(nil, has)
		if has(name) {
			continue
		}
		if os.Getenv(realtest.RequireServers) == "1" {
			t.Fatalf("the engine has no image %s: run scripts/local-images (%s=1 asks for it)", name, realtest.RequireServers)
		}
		t.Skipf("NOT TESTED: the engine has no image %s: run scripts/local-images", name)
	}
}

func has(image string) bool {
	return exec.Command("docker", "image", "inspect", image).Run() == nil
}

// Left lists the containers and volumes of lockstep that there are in the engine
// beyond those in before.
func Left(t testing.TB, before []string) []string {
	t.Helper()
	known := map[string]bool{}
	for _, name := range before {
		known[name] = true
	}
	var left []string
	for _, name := range append(list(t, "container", "ls", "--all", "--format", "{{.Names}}"), list(t, "volume", "ls", "--format", "{{.Name}}")...) {
		if !known[name] {
			left = append(left, name)
		}
	}
	return left
}

func list(t testing.TB, args ...string) []string {
	t.Helper()
	out, err := exec.Command("docker", append(args, "--filter", "label="+containers.HarnessLabel)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
