package osproc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

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
	out, err := os.CreateTemp(t.TempDir(), "children")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo $!; sleep 1000 & echo $!; wait")
	cmd.Stdout = out
	p, err := osproc.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	family := []int{p.Pid(), 0, 0}
	if !realtest.Soon(10*time.Second, func() bool {
		raw, _ := os.ReadFile(out.Name())
		n, _ := fmt.Sscan(string(raw), &family[1], &family[2])
		return n == 2
	}) {
		t.Fatal("no children")
	}
	if err := osproc.FreezeFamily(p.Pid()); err != nil {
		t.Fatal(err)
	}
	for _, pid := range family {
		if s := state(pid); s != "T" {
			t.Errorf("process %d is in state %q after the freeze, want T", pid, s)
		}
	}
	if err := osproc.ThawFamily(p.Pid()); err != nil {
		t.Fatal(err)
	}
	for _, pid := range family {
		if s := state(pid); s == "T" {
			t.Errorf("process %d is still stopped", pid)
		}
	}
	if err := osproc.KillFamily(p.Pid()); err != nil {
		t.Fatal(err)
	}
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
