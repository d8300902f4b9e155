// Package enginetest helps tests that start servers in containers.
package enginetest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/real/containers"
	"lockstep/internal/real/images"
	"lockstep/internal/real/realtest"
)

// Need skips the test without a container engine. It also skips it without the images, or fails
// if the environment demands servers (realtest.RequireServers). Tests do not pull images.
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

// Left lists the containers and volumes of lockstep in the engine, other than those in before.
func Left(t testing.TB, before []string) []string {
	t.Helper()
	all := list(t, "container", "ls", "--all", "--format", "{{.Names}}")
	all = append(all, list(t, "volume", "ls", "--format", "{{.Name}}")...)
	return slices.DeleteFunc(all, func(name string) bool {
		return slices.Contains(before, name)
	})
}

func list(t testing.TB, args ...string) []string {
	t.Helper()
	out, err := exec.Command("docker", append(args, "--filter", "label="+containers.HarnessLabel)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
