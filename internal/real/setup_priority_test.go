package real

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
)

func TestProcessesHaveALowPriorityUntilTheRunBegins(t *testing.T) {
	if _, err := os.Stat("/proc/self/autogroup"); err != nil {
		t.Skip("a kernel without autogroups: no process can step back")
	}
	var b setupPriority
	early, late := sleeper(t), sleeper(t)
	b.enter(early.Pid())
	if !isBack(t, early) {
		t.Error("a process that started before the run has not stepped back")
	}
	must.Do(t, b.open())
	b.enter(late.Pid())
	if isBack(t, early) || isBack(t, late) {
		t.Error("the run has begun, and a process still has a low priority")
	}
}

func sleeper(t *testing.T) *osproc.Process {
	t.Helper()
	p := must.Get(osproc.Start(exec.Command("sleep", "60")))(t)
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func isBack(t *testing.T, p *osproc.Process) bool {
	t.Helper()
	text := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", p.Pid())))(t)
	return strings.HasSuffix(strings.TrimSpace(string(text)), "nice 10")
}
