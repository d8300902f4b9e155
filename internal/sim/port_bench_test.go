package sim

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/store/redis"
)

// BenchmarkCommand is the round trip of one command through the port: request,
// execution, reply, and their three events in the history.
func BenchmarkCommand(b *testing.B) {
	benchmarkClient(b, func(ctx context.Context, d locks.Deps) {
		d.Redis.Do(ctx, redis.Get("lock"))
	})
}

// BenchmarkSpin is one attempt of a contender: a SET that finds the lock taken, and a sleep.
func BenchmarkSpin(b *testing.B) {
	benchmarkClient(b, func(ctx context.Context, d locks.Deps) {
		d.Redis.Do(ctx, redis.Set("lock", "token").PX(10*time.Second).NX())
		_ = d.Env.Sleep(ctx, time.Millisecond)
	})
}

func benchmarkClient(b *testing.B, turn func(context.Context, locks.Deps)) {
	w := New()
	defer w.Close()
	p := story(b, "set-nx-lua", "network.latency=1us..2us")
	v, _ := locks.Lookup("set-nx-lua")
	must.Do(b, w.setUp(p, v, 1))
	c := w.clients[0]
	d := w.deps(c, p.Workload)
	w.k.Spawn(c.proc, "main", func() {
		ctx := c.Background()
		for i := range b.N {
			turn(ctx, d)
			if i%10_000 == 0 { // a run is not that long
				w.hist.Events = w.hist.Events[:0]
			}
		}
		w.k.Halt()
	})
	b.ReportAllocs()
	b.ResetTimer()
	must.Do(b, w.k.Run(0, nil))
}
