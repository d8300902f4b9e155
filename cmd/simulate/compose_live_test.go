//go:build live

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/containers/enginetest"
	"lockstep/internal/real/images"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis"
)

// findCompose finds the tool, which is a separate program of older engines; nil without one.
var findCompose = sync.OnceValue(func() []string {
	for _, words := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(words[0], append(words[1:], "version")...).Run() == nil {
			return words
		}
	}
	return nil
})

func composeTool(t *testing.T) []string {
	t.Helper()
	if findCompose() == nil {
		t.Skip("NOT TESTED: neither docker compose nor docker-compose is installed")
	}
	return slices.Clone(findCompose())
}

// compose runs the tool on docker-compose.yml in a separate project.
func compose(t *testing.T, env []string, args ...string) string {
	t.Helper()
	root := must.Get(filepath.Abs("../.."))(t)
	nothing := filepath.Join(os.TempDir(), fmt.Sprintf("lockstep-test-%d.env", os.Getpid()))
	if err := os.WriteFile(nothing, nil, 0o600); err != nil { // not the developer's .env
		t.Fatal(err)
	}
	defer os.Remove(nothing)
	words := append(composeTool(t), "--project-name", "lockstep-test", "--env-file", nothing, "--file", filepath.Join(root, "docker-compose.yml"))
	words = append(words, args...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, stderrOf(err))
	}
	return string(out)
}

func stderrOf(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

func localImages() (env []string) {
	for _, image := range images.All() {
		env = append(env, image.Variable()+"="+image.Local())
	}
	return env
}

func TestTheTopologyIsValidAndTakesOtherImages(t *testing.T) {
	composeTool(t)
	public, local := compose(t, nil, "config"), compose(t, localImages(), "config")
	for _, image := range images.All() {
		if os.Getenv(image.Variable()) == "" && !strings.Contains(public, "image: "+image.Public+"\n") {
			t.Errorf("without a choice, %s is not used", image.Public)
		}
		if !strings.Contains(local, "image: "+image.Local()+"\n") {
			t.Errorf("%s=%s has no effect", image.Variable(), image.Local())
		}
	}
	for line := range strings.Lines(public) {
		if strings.Contains(line, "0.0.0.0") || strings.Contains(line, "ports:") {
			t.Errorf("a server is open to other machines: %s", line)
		}
	}
}

// A run uses servers that the user has brought up, and restores them.
func TestARunOnServersThatAreUp(t *testing.T) {
	enginetest.Need(t, images.Redis)
	composeTool(t)
	up, err := exec.Command("docker", "ps", "--all", "--quiet", "--filter", "label=lockstep.service").Output()
	if err != nil || len(up) > 0 {
		t.Skipf("NOT TESTED: the topology is up already: docker compose down (%v)", err)
	}
	image := images.Of(images.Redis)
	if os.Getenv(image.Variable()) == "" {
		t.Setenv(image.Variable(), image.Local())
	}
	t.Cleanup(func() { compose(t, nil, "down", "--volumes") })
	compose(t, nil, "up", "--detach", "--build", "redis-1", "redis-2", "redis-3", "sentinel-1", "sentinel-2", "sentinel-3")
	compose(t, nil, "pause", "sentinel-1") // as a run that is killed leaves it
	player := func() *exec.Cmd {
		return simulate(t, "../..", "run", "failover-forgets-the-lock", "--lock", "set-nx-lua", "--backend", "compose", "--scale", "0.2", "--out", t.TempDir())
	}
	play := func() (string, error) {
		out, err := player().CombinedOutput()
		return string(out), err
	}
	if out, err := play(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	redis := func(port int, args ...string) string {
		service := map[int]string{6401: "redis-1", 6402: "redis-2", 6411: "sentinel-1"}[port]
		return compose(t, nil, append([]string{"exec", "-T", service, "redis-cli", "-p", fmt.Sprint(port)}, args...)...)
	}
	if got := redis(6401, "DBSIZE"); got != "0\n" {
		t.Errorf("the primary has %s entries after the run, want 0", got)
	}
	if got := redis(6402, "ROLE"); !strings.HasPrefix(got, "slave\n127.0.0.1\n6401\n") {
		t.Errorf("the replica's role after the run is %q", got)
	}
	if got := redis(6411, "PING"); got != "PONG\n" {
		t.Errorf("a sentinel answers %q after the run", got)
	}
	killAmidst(t, player())
	redis(6401, "SET", "mine", "1")
	out, err := play()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitEnvironment || !strings.Contains(out, "has entries that no run has made") {
		t.Errorf("a server with a user's entries was taken: %v\n%s", err, out)
	}
	if got := redis(6401, "GET", "mine"); got != "1\n" {
		t.Errorf("the user's entry is %q, want 1", got)
	}
}

// killAmidst kills a run that has begun to use servers; a reaper restarts them and resumes the
// sentinels.
func killAmidst(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	must.Do(t, cmd.Start())
	await := func(what string, reached func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !reached(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("not within a minute: %s", what)
			}
		}
	}
	used := func(port int) bool {
		reply := askRedis(t, port, "CONFIG", "GET", "bind-source-addr")
		return len(reply.Elements()) == 2 && reply.Elements()[1].Str != ""
	}
	await("the run uses both servers", func() bool { return used(6401) && used(6402) })
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	await("the servers and the sentinels are as before", func() bool {
		for _, port := range []int{6401, 6402} {
			if reply := askRedis(t, port, "CONFIG", "GET", "bind-source-addr"); len(reply.Elements()) != 2 || reply.Elements()[1].Str != "" {
				return false
			}
		}
		return askRedis(t, 6401, "DBSIZE").IsInt(0) && askRedis(t, 6411, "PING").Str == "PONG"
	})
}

// askRedis sends a command to a server of the topology; without an answer the reply is empty.
func askRedis(t *testing.T, port int, args ...string) redis.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s := servers.Server{Addr: fmt.Sprintf("127.0.0.1:%d", port)}
	reply, _ := s.Command(ctx, args...)
	return reply
}
