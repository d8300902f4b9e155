package kernel

import (
	"testing"
	"time"

	"lockstep/internal/history"
)

func instant(n int64) history.Instant { return history.Instant(n) }

// BenchmarkSleep is one timer, one park and one resumption, on the task's own stack.
func BenchmarkSleep(b *testing.B) {
	k := New()
	defer k.Close()
	p := k.NewProc("A", Clock{})
	k.Spawn(p, "main", func() {
		for range b.N {
			_ = k.Sleep(p.Background(), time.Millisecond)
		}
	})
	b.ReportAllocs()
	b.ResetTimer()
	if err := k.Run(0, nil); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSwitch is the same with two tasks in turn: each resumption is a switch.
func BenchmarkSwitch(b *testing.B) {
	k := New()
	defer k.Close()
	p := k.NewProc("A", Clock{})
	for range 2 {
		k.Spawn(p, "main", func() {
			for range b.N / 2 {
				_ = k.Sleep(p.Background(), time.Millisecond)
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	if err := k.Run(0, nil); err != nil {
		b.Fatal(err)
	}
}
