package explore

import (
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
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

// Schedules per second of one core: all single faults in the plain profile, or another one, played and
// judged, with memory collected as in a walk.
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

// Pairs as the walk plays them: moments of each first fault, then all schedules that begin with it.
// Schedules that are not minimal by definition are counted.
func BenchmarkPairs(b *testing.B) {
	for _, lock := range []string{"set-nx-lua", "setnx-expire", "redlock", "zk-sequential"} {
		b.Run(lock, func(b *testing.B) {
			o := options(b, lock, 1)
			o.In = []string{plainProfile}
			known := walked(b, o).Locks[0].plainer(2, 0)
			p := playerIn(b, o, 0, world())
			_, h := played(b, p, nil, true)
			first := p.longer(h, &branch{}, 2)
			var playing, pulls time.Duration
			var all unit
			for i := 0; b.Loop(); i++ {
				pulls += pull()
				u := &unit{p: p, known: known, faults: 2}
				start := time.Now()
				must.Do(b, u.walk(b.Context(), &first[i*7%len(first)]))
				playing += time.Since(start)
				all.add(u.tally)
				all.closed += u.closed
			}
			walked := float64(all.Walked)
			b.ReportMetric(walked/playing.Seconds(), "schedules/s")
			b.ReportMetric(float64(playing)/walked/(float64(pulls)/float64(b.N)), "pulls/schedule")
			b.ReportMetric(100*float64(all.closed)/(float64(all.closed)+walked), "%left-out")
		})
	}
}
