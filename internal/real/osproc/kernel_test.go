package osproc

import (
	"os/exec"
	"testing"
	"time"

	"lockstep/internal/must"
)

// A zombie is gone: a freeze that waited for it to stop would hold up the run, while its family
// stands still.
func TestAZombieIsNotWaitedFor(t *testing.T) {
	cmd := exec.Command("true")
	must.Do(t, cmd.Start())
	defer cmd.Wait()
	for StartTime(cmd.Process.Pid) != "" {
		Nap(time.Millisecond)
	}
	if still, err := stopped(cmd.Process.Pid); err == nil {
		t.Errorf("a zombie counts as a process that has stopped (%v) and can be waited for", still)
	}
}

// All processes of a run must read the same clock: the kernel's.
func TestNowIsTheKernelsClock(t *testing.T) {
	const off = time.Millisecond // far more than two system calls take, far less than a fault lasts
	for range 100 {
		before, now, after := kernelMonotonic(), Now(), kernelMonotonic()
		if now < before-off || now > after+off {
			t.Fatalf("Now is %v between %v and %v on the kernel's clock", now, before, after)
		}
	}
}
