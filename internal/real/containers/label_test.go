package containers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"lockstep/internal/must"
	"lockstep/internal/real/images"
	"lockstep/internal/real/realtest"
)

func TestOnlyWhatBelongsToDeadHarnessesIsAbandoned(t *testing.T) {
	label := must.Get(ownLabel())(t)
	part := strings.Split(label, " ")
	boot, namespace, pid, started := part[0], part[1], part[2], part[3]
	for _, tt := range []struct {
		name string
		give string
		want bool
	}{
		{"this process", label, false},
		{"an older process with our number", fmt.Sprintf("%s %s %s 1 x", boot, namespace, pid), true},
		{"no such process", fmt.Sprintf("%s %s 999999999 %s x", boot, namespace, started), true},
		{"a process that we cannot see", fmt.Sprintf("%s pid:[1] 999999999 %s x", boot, started), false},
		{"before the machine was restarted", fmt.Sprintf("00000000-0000-4000-8000-000000000000 %s %s %s x", namespace, pid, started), true},
		{"another program's label", "mine", false},
		{"no label", "", false},
	} {
		must.Equalf(t, abandoned(tt.give), tt.want, "%s: %q abandoned", tt.name, tt.give)
	}
}

// The next harness removes what a harness that was killed together with its reaper has left.
func TestTheNextHarnessRemovesWhatADeadOneHasLeft(t *testing.T) {
	if err := Answers(t.Context()); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	me := must.Get(self())(t)
	names := map[bool]string{}
	for _, dead := range []bool{true, false} {
		names[dead] = unique("swept")
		pid := os.Getpid()
		if dead {
			pid = 999999999
		}
		label := fmt.Sprintf("%s=%s %s %d %s x", HarnessLabel, me.boot, me.namespace, pid, me.started)
		if out, err := exec.Command("docker", "volume", "create", "--label", label, names[dead]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	e := must.Get(Open(t.Context(), nil, nil))(t)
	defer e.Close()
	for dead, name := range names {
		_, err := e.client.VolumeInspect(t.Context(), name, client.VolumeInspectOptions{})
		must.Equalf(t, err != nil, dead, "the volume of a dead (%v) harness is gone", dead)
		must.Do(t, e.removeVolume(t.Context(), name))
	}
}

// A volume in use by a container that is being removed does not prevent the start of a harness, and
// a reaper tries again.
func TestAVolumeThatIsInUseIsReported(t *testing.T) {
	e, err := Open(t.Context(), nil, nil)
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	defer e.Close()
	image := images.Of(images.Redis)
	name, label := unique("used"), "a label of its own "+random()
	if !e.has(image.Local()) {
		if os.Getenv(realtest.RequireServers) == "1" {
			t.Fatalf("the engine has no image %s: run scripts/local-images (%s=1 asks for it)", image.Local(), realtest.RequireServers)
		}
		t.Skip("NOT TESTED: run scripts/local-images")
	}
	create := []string{"create", "--volume", name + ":/data", image.Local()}
	if out, err := exec.Command("docker", "volume", "create", "--label", HarnessLabel+"="+label, name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	made := must.Get(exec.Command("docker", create...).Output())(t)
	mine := func(l string) bool { return l == label }
	if removed, err := e.remove(t.Context(), mine); removed != 1 || err != errBusy {
		t.Errorf("removed %d, %v, want one that is busy", removed, err)
	}
	must.Do(t, e.removeContainer(t.Context(), strings.TrimSpace(string(made))))
	must.Equalf(t, must.Get(e.remove(t.Context(), mine))(t), 1, "removed")
}

// An engine that the user has named and that does not answer is an error with its name, even if
// another one would answer.
func TestANamedEngineThatDoesNotAnswerIsRefused(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	for _, tt := range []struct{ name, host, context, want string }{
		{"no socket", "unix:///nowhere/docker.sock", "", "unix:///nowhere/docker.sock, which DOCKER_HOST names"},
		{"no engine listens", "tcp://127.0.0.1:1", "", "tcp://127.0.0.1:1, which DOCKER_HOST names"},
		{"a context", "", "work", "unix:///nowhere/work.sock, which DOCKER_CONTEXT=work names"},
		{"an unknown context", "", "play", "DOCKER_CONTEXT=play is unknown"},
		{"no choice", "", "", ""},
		{"the default context", "", "default", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeContext(t, "work", "unix:///nowhere/work.sock")
			t.Setenv("DOCKER_HOST", tt.host)
			t.Setenv("DOCKER_CONTEXT", tt.context)
			host, err := chosenEngine(t.Context())
			if tt.want == "" && (err != nil || host != "") {
				t.Errorf("got %q, %v for no choice", host, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %q, %v, want %q", host, err, tt.want)
			}
		})
	}
}

// An engine of a context that answers is used.
func TestAContextThatAnswersIsChosen(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	socket := filepath.Join(t.TempDir(), "s")
	l := must.Get(net.Listen("unix", socket))(t)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", "1.47")
	})}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	writeContext(t, "work", "unix://"+socket)
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "work")
	must.Equal(t, must.Get(chosenEngine(t.Context()))(t), "unix://"+socket)
}

func writeContext(t *testing.T, name, host string) {
	t.Helper()
	dir := filepath.Join(os.Getenv("DOCKER_CONFIG"), "contexts", "meta", fmt.Sprintf("%x", sha256.Sum256([]byte(name))))
	must.Do(t, os.MkdirAll(dir, 0o700))
	text := fmt.Sprintf(`{"Name":%q,"Endpoints":{"docker":{"Host":%q,"SkipTLSVerify":false}}}`, name, host)
	must.Do(t, os.WriteFile(filepath.Join(dir, "meta.json"), []byte(text), 0o600))
}

func TestAnEngineElsewhereIsNoticed(t *testing.T) {
	const id, host = "40fe673b93248b03", "net:[1]"
	for _, tt := range []struct {
		name    string
		self    string // our namespace of process numbers
		group   string // the control group of the process with the container's number; "": there is none
		network string // of that process
		seen    bool
		here    bool
	}{
		{"an engine of this machine", allProcesses, "0::/docker/" + id, host, true, true},
		{"an engine of systemd", allProcesses, "0::/system.slice/docker-" + id + ".scope", host, true, true},
		{"a rootless engine", allProcesses, "0::/user.slice/docker-" + id + ".scope", "net:[2]", true, false},
		{"a virtual machine", allProcesses, "", "", false, false},
		{"a virtual machine, and some process with that number", allProcesses, "0::/init.scope", host, false, false},
		{"a harness in a container", "pid:[7]", "", "", false, true},
		{"a harness in a container, and some process with that number", "pid:[7]", "0::/", "net:[2]", false, true},
	} {
		proc := t.TempDir()
		link := func(to string, at ...string) {
			path := filepath.Join(append([]string{proc}, at...)...)
			must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(to, path)))
		}
		link(tt.self, "self", "ns", "pid")
		link(host, "self", "ns", "net")
		if tt.group != "" {
			link(tt.network, "42", "ns", "net")
			must.Do(t, os.WriteFile(filepath.Join(proc, "42", "cgroup"), []byte(tt.group+"\n"), 0o600))
		}
		seen, err := sees(proc, id, 42)
		if seen != tt.seen || (err == nil) != tt.here {
			t.Errorf("%s: seen %v, %v; want %v and here %v", tt.name, seen, err, tt.seen, tt.here)
		}
	}
}

// Only a label in the form of a harness can belong to a dead harness, whose containers are removed,
// and only an address of this machine is accepted.
func FuzzLabels(f *testing.F) {
	own := must.Get(ownLabel())(f)
	for _, s := range []string{own, "", "a b c d e", "1 2 3 4 5", own[1:], "00000000-0000-0000-0000-000000000000 pid:[1] 7 8 9", "00000000-0000-0000-0000-000000000000 pid:[1] -7 8 9"} {
		f.Add(s, "127.0.0.1:6401")
	}
	f.Add(own, "evil.example:6379")
	f.Add(own, "[::1]:1")
	f.Add(own, "127.0.0.1:0")
	form := regexp.MustCompile(`^[-0-9a-f]{36} pid:\[[0-9]*\] [0-9]+ [0-9]+ [0-9a-z]+$`)
	local := regexp.MustCompile(`^(127\.[0-9.]+|\[(::ffff:127|0*:|::)[0-9a-fA-F:.]*\]):[0-9]+$`)
	f.Fuzz(func(t *testing.T, label, addr string) {
		if abandoned(label) && (label == own || !form.MatchString(label)) {
			t.Fatalf("%q counts as the label of a dead harness", label)
		}
		if err := checkAddr(addr); err == nil && !local.MatchString(addr) {
			t.Fatalf("%q counts as an address of this machine", addr)
		}
	})
}
