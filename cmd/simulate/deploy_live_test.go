//go:build live

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// A container engine starts the image of deploy/Dockerfile as an Indexed Job starts its pods: all
// at once, each with its index, with a shared volume. One of them is killed and started again.
func TestContainersPlayTheShardsOfAnIndexedJob(t *testing.T) {
	realtest.SecondTier(t)
	if err := exec.Command("docker", "info").Run(); err != nil {
		if os.Getenv(realtest.RequireMore) == "1" {
			t.Fatal("no container engine answers: docker info")
		}
		t.Skip("no container engine answers: docker info")
	}
	image, name := "lockstep/simulate:test", fmt.Sprintf("lockstep-shard-%d", os.Getpid())
	dir := t.TempDir()
	output := func(name string, args ...string) ([]byte, error) {
		cmd := exec.Command(name, args...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, &said)
		}
		return out, err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "simulate"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must.Get(output("docker", "build", "--quiet", "--tag", image, "--file", "../../deploy/Dockerfile", dir))(t)
	t.Cleanup(func() { _ = exec.Command("docker", "image", "rm", "--force", image).Run() })
	parts := filepath.Join(dir, "parts")
	must.Do(t, os.Mkdir(parts, 0o777))
	d := kubernetes(t)
	pod := func(c copyOf) []string {
		line := []string{"run", "--rm", "--network", "none", "--volume", parts + ":/parts"}
		for _, e := range c.env {
			line = append(line, "--env", e)
		}
		line = append(line, image)
		for _, word := range c.line[1:] {
			line = append(line, strings.ReplaceAll(word, "1000000", "6400"))
		}
		return line
	}
	pods := make([]*exec.Cmd, len(d.copies))
	for i, c := range d.copies {
		pods[i] = exec.Command("docker", pod(c)...)
		if i == 3 {
			pods[i].Args = slices.Insert(pods[i].Args, 2, "--name", name)
			t.Cleanup(func() { _ = exec.Command("docker", "rm", "--force", name).Run() })
		}
		must.Do(t, pods[i].Start())
		if i == 3 {
			_ = exec.Command("docker", "kill", name).Run()
		}
	}
	for i := range pods {
		if err := pods[i].Wait(); err != nil && i != 3 {
			t.Fatalf("pod %d: %v", i, err)
		}
	}
	if _, err := output("docker", pod(d.copies[3])...); err != nil {
		t.Fatalf("started again: %v", err)
	}
	merged, err := output("docker", pod(copyOf{line: d.merge})...)
	if code(err) != exitMissed {
		t.Fatalf("merge: %v\n%s", err, merged)
	}
	one, err := output("docker", pod(copyOf{line: []string{"simulate", "search", "redlock-storm", "--seeds", "1000000", "--json", "--out", "/parts/reports"}})...)
	if code(err) != exitMissed {
		t.Fatalf("one machine: %v\n%s", err, one)
	}
	if a, b := withoutRunDir(one), withoutRunDir(merged); !bytes.Equal(a, b) {
		t.Errorf("one machine prints\n%s\nand the containers\n%s", a, b)
	}
}
