package real_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

// envHarness makes the test's program play a long run, to be killed in it.
const envHarness = "LOCKSTEP_TEST_HARNESS"

// long returns a plan that takes a minute, one client of which is stopped.
func long(t testing.TB) *plan.Plan {
	p := quick("A", "B", "C")
	p.Redis.Replicas = 1
	p.Workload.Repeat = 100
	p.Workload.Work = plan.Range{Min: 600 * time.Millisecond, Max: 600 * time.Millisecond}
	fault(t, p, when(faults.InSection, "A", ""), "pause", "A", 0, faults.End{Forever: true})
	return p
}

func harnessMain() {
	_, err := real.Run(context.Background(), long(&testing.T{}), "set-nx-lua", 1, real.Options{})
	fmt.Println(err)
}

// children returns the numbers of a process's living children.
func children(pid int) []int {
	var out []int
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		text := string(raw)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if fields[1] == strconv.Itoa(pid) && fields[0] != "Z" {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out = append(out, child)
		}
	}
	return out
}

func TestNothingIsLeftAfterACancel(t *testing.T) {
	realtest.Need(t, "redis-server")
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond} {
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithTimeout(context.Background(), after)
		h, err := real.Run(ctx, long(t), "set-nx-lua", 1, real.Options{})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", after, err)
		}
		if after == 300*time.Millisecond {
			if h == nil || len(find(h, history.Acquired, "")) == 0 {
				t.Error("what had happened was not returned")
			}
		}
		nothingLeft(t, tmp, before)
	}
}

func TestNothingIsLeftAfterTheHarnessIsKilled(t *testing.T) {
	realtest.Need(t, "redis-server")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envHarness+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var family []int
	stopped := func() bool { // 2 servers, 3 clients and the probe, and A stands still
		family = children(cmd.Process.Pid)
		for _, pid := range family {
			raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if strings.Contains(string(raw), ") T ") {
				return len(family) == 6
			}
		}
		return false
	}
	for end := time.Now().Add(10 * time.Second); !stopped(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the harness did not come up: children %v", family)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = cmd.Wait()
	for _, pid := range family {
		for osproc.StartTime(pid) != "" {
			if time.Since(killed) > 3*time.Second {
				t.Fatalf("process %d still lives", pid)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
	t.Logf("all %d children were gone %v after the kill", len(family), time.Since(killed))
	if left, _ := os.ReadDir(tmp); len(left) != 1 {
		t.Fatalf("left by the killed harness: %v", left)
	}
	if n := osproc.RemoveStale(); n != 1 {
		t.Errorf("%d stale directories removed, want 1", n)
	}
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("still there: %v", left)
	}
}
