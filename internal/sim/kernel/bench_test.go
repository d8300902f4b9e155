package kernel

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

func instant(n int64) history.Instant { return history.Instant(n) }

// BenchmarkSleep is one timer, one park and one resumption, on the task's own stack.
func BenchmarkSleep(b *testing.B) { benchmarkSleeps(b, 1) }

// BenchmarkSwitch is the same with two tasks in turn: each resumption is a switch.
func BenchmarkSwitch(b *testing.B) { benchmarkSleeps(b, 2) }

func benchmarkSleeps(b *testing.B, tasks int) {
	k := New()
	defer k.Close()
	p := k.NewProc("A", Clock{})
	for range tasks {
		k.Spawn(p, "main", func() {
			for range b.N / tasks {
				_ = k.Sleep(p.Background(), time.Millisecond)
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	must.Do(b, k.Run(0, nil))
}
