package osproc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

// state is the letter that the kernel gives a process; "" when there is none.
func state(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))[0]
}

func TestAFamilyIsFrozenAndKilledAsOne(t *testing.T) {
	out := must.Get(os.CreateTemp(t.TempDir(), "children"))(t)
	defer out.Close()
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo $!; sleep 1000 & echo $!; wait")
	cmd.Stdout = out
	p := must.Get(osproc.Start(cmd))(t)
	defer p.Kill()
	family := []int{p.Pid(), 0, 0}
	if !realtest.Soon(10*time.Second, func() bool {
		raw, _ := os.ReadFile(out.Name())
		n, _ := fmt.Sscan(string(raw), &family[1], &family[2])
		return n == 2
	}) {
		t.Fatal("no children")
	}
	must.Do(t, osproc.FreezeFamily(p.Pid()))
	for _, pid := range family {
		if s := state(pid); s != "T" {
			t.Errorf("process %d is in state %q after the freeze, want T", pid, s)
		}
	}
	must.Do(t, osproc.ThawFamily(p.Pid()))
	for _, pid := range family {
		if s := state(pid); s == "T" {
			t.Errorf("process %d is still stopped", pid)
		}
	}
	must.Do(t, osproc.KillFamily(p.Pid()))
	<-p.Done()
	for _, pid := range family {
		if osproc.StartTime(pid) != "" {
			t.Errorf("process %d is still alive", pid)
		}
	}
	if err := osproc.KillFamily(p.Pid()); err != nil {
		t.Errorf("a dead family: %v", err)
	}
}
