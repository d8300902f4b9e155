package osproc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
)

// share is the share of a session, by the kernel: "nice 0"; "" without autogroups.
func share(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", pid))
	if err != nil {
		return ""
	}
	_, nice, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return nice
}

func sleeping(t *testing.T) *osproc.Process {
	t.Helper()
	child := must.Get(osproc.Start(exec.Command("sleep", "60")))(t)
	t.Cleanup(func() { _ = child.Kill() })
	return child
}

func TestAChildStepsBackAlone(t *testing.T) {
	child := sleeping(t)
	if share(child.Pid()) == "" {
		if osproc.StepBack(child.Pid()) {
			t.Fatal("a child has stepped back on a machine without autogroups")
		}
		return
	}
	mine := share(os.Getpid())
	if !osproc.StepBack(child.Pid()) {
		t.Fatal("the child has not stepped back")
	}
	if got := share(child.Pid()); got != "nice 10" {
		t.Errorf("a child that has stepped back has %q, want nice 10", got)
	}
	if got := share(os.Getpid()); got != mine {
		t.Errorf("its parent has %q now, %q before", got, mine)
	}
	must.Do(t, osproc.StepForward(child.Pid()))
	if got := share(child.Pid()); got != "nice 0" {
		t.Errorf("a child that has come forward has %q, want nice 0", got)
	}
}

func TestAProcessThatHasEndedNeedNotStepForward(t *testing.T) {
	child := sleeping(t)
	osproc.StepBack(child.Pid())
	must.Do(t, child.Kill())
	if err := osproc.StepForward(child.Pid()); err != nil {
		t.Error(err)
	}
}
