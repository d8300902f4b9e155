package osproc

import (
	"testing"
	"time"
)

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
