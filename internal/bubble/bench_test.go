package bubble_test

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSpeed(t *testing.T) {
	n := 100
	for range 2 {
		t0 := time.Now()
		ev := 0
		for range n {
			synctest.Test(t, func(t *testing.T) { ev = playBench(t) })
		}
		t.Log(float64(n)/time.Since(t0).Seconds(), "runs/s", ev, "events")
	}
}
