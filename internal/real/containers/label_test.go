package containers

import (
	"fmt"
	"os"
	"os/exec"
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
	tests := []struct {
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
	}
	for _, tt := range tests {
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
		if err := e.removeVolume(t.Context(), name); err != nil {
			t.Error(err)
		}
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
	if removed, err := e.remove(t.Context(), mine); removed != 1 || err != nil {
		t.Errorf("removed %d, %v, want one", removed, err)
	}
}
