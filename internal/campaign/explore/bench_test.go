package explore

import (
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// pull is the time of one round trip through iter.Pull: the time of a schedule in this unit can be
// compared between machines.
func pull() time.Duration {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(0) {
		}
	})
	defer stop()
	const trips = 2_000
	start := time.Now()
	for range trips {
		next()
	}
	return time.Since(start) / trips
}

// Schedules per second of one core: all single faults in the plain profile, or another one, played
// and judged, with memory collected as in a walk.
func BenchmarkSchedules(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(GCPercent))
	for _, name := range []string{
		"set-nx-lua", "watchdog-lua", "redisson-lease", "redlock", "redlock/five-nodes", "zk-sequential", "etcd-txn", "pg-advisory",
	} {
		lock, used, _ := strings.Cut(name, "/")
		b.Run(name, func(b *testing.B) {
			o := options(b, lock, 1)
			index := max(0, slices.IndexFunc(profiles, func(x profile) bool { return x.Name == used }))
			p := playerIn(b, o, index, world())
			_, h := played(b, p, nil, true)
			places := p.next(h, nil)
			var playing, pulls time.Duration
			for i := 0; b.Loop(); i++ {
				if i%500 == 0 {
					pulls += pull()
				}
				start := time.Now()
				if _, _, err := p.play(b.Context(), schedule{places[i%len(places)]}, false); err != nil {
					b.Fatal(err)
				}
				playing += time.Since(start)
			}
			b.ReportMetric(float64(b.N)/playing.Seconds(), "schedules/s")
			b.ReportMetric(float64(playing)/float64(b.N)/(float64(pulls)/float64((b.N+499)/500)), "pulls/schedule")
		})
	}
}
