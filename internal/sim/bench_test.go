package sim

import (
	"iter"
	"runtime"
	"slices"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// stormPlan is the reference workload of the whole-run benchmarks: five clients,
// twenty acquisitions each, watchdogs, a replica, drifting clocks, one pause and
// one failover. With a lease of 150 ms the watchdogs renew; with one of 1 s they
// are never due.
func stormPlan(lease time.Duration, work plan.Range) plan.Plan {
	p := plan.Default()
	p.Name = "storm"
	p.Lease = lease
	p.Clients = []string{"A", "B", "C", "D", "E"}
	p.Workload.Repeat = 20
	p.Workload.Work = work
	p.Workload.Rest = plan.Range{Min: time.Millisecond, Max: 10 * time.Millisecond}
	p.Workload.Retry = 12 * time.Millisecond
	p.Workload.Stagger = time.Millisecond
	p.Network.Latency = plan.Range{Min: 200 * time.Microsecond, Max: time.Millisecond}
	p.Network.Timeout = 500 * time.Millisecond
	p.Redis.Replicas = 1
	p.Redis.Lag = 5 * time.Millisecond
	p.Redis.Failover.After = 300 * time.Millisecond
	p.Clocks = []plan.Clock{{Node: "B", Offset: time.Second, DriftPPM: 200}, {Node: "C", DriftPPM: -150}}
	p.Faults = []faults.Fault{
		verb("pause", 1, "C", faults.Trigger{Moment: faults.InSection, Subject: "C", Nth: 3}, faults.End{For: 1900 * time.Millisecond}),
		verb("fail-over", 2, "operator", faults.Trigger{Moment: faults.InSection, Subject: "D", Nth: 8}, faults.End{}),
	}
	return p
}

// verb builds a fault without a scenario file.
func verb(name string, number int, target string, at faults.Trigger, end faults.End) faults.Fault {
	return lasting(name, number, target, 0, at, end)
}

// lasting is a fault with a value for its one duration, 0 for the usual one.
func lasting(name string, number int, target string, d time.Duration, at faults.Trigger, end faults.End) faults.Fault {
	spec, ok := faults.Lookup(name)
	if !ok {
		panic("no such verb: " + name)
	}
	args := faults.Args{Value: target}
	for _, p := range slices.Concat(spec.Params, []faults.Param{spec.Value}) {
		if p.Timed() && d != 0 {
			args.Durations = map[string]time.Duration{p.Name: d}
		}
	}
	return faults.Make(number, spec, args, at, end)
}

// apart is a partition.
func apart(number int, at faults.Trigger, d time.Duration, sides ...[]string) faults.Fault {
	spec, _ := faults.Lookup("partition")
	return faults.Make(number, spec, faults.Args{Sides: sides}, at, faults.End{For: d})
}

func restartOf(number int, node string, down time.Duration, at faults.Trigger) faults.Fault {
	return lasting("restart", number, node, down, at, faults.End{})
}

func BenchmarkRunWithRenewals(b *testing.B) {
	benchmarkRuns(b, stormPlan(150*time.Millisecond, plan.Range{Min: 5 * time.Millisecond, Max: 120 * time.Millisecond}))
}

func BenchmarkRunShort(b *testing.B) {
	benchmarkRuns(b, stormPlan(time.Second, plan.Range{Min: 5 * time.Millisecond, Max: 30 * time.Millisecond}))
}

// referencePull is what one round trip through iter.Pull took on the machine of the first
// prototype, on which the goal of 1000 runs/s was set.
const referencePull = 59 * time.Nanosecond

// pull is what one round trip through iter.Pull takes here and now. Machines differ by a
// factor of three and change from second to second; a run's time in these units
// (pulls/run) is what can be compared between them.
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

// benchmarkRuns measures whole runs on one core: play, judge, hash. Every few runs it looks
// what a pull takes, and reports the median of these ratios: in pulls, and in the runs per
// second that they would be on the reference machine.
func benchmarkRuns(b *testing.B, p plan.Plan) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	w := New()
	defer w.Close()
	var fired int64
	run := func(seed int) {
		h, err := w.Run(&p, "watchdog-lua", uint64(seed))
		if err != nil {
			b.Fatal(err)
		}
		j := checker.Judge(h)
		for _, f := range j.Faults {
			fired += int64(f.Times)
		}
		_ = h.Hash()
	}
	const chunk = 20
	var took time.Duration
	var pulls []float64 // a run, in each chunk
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += chunk { // the timer is not stopped meanwhile, which would stop the world each time
		n := min(chunk, b.N-i)
		before, began := pull(), time.Now()
		for k := range n {
			run(i + k)
		}
		its := time.Since(began)
		took += its
		pulls = append(pulls, float64(its)/float64(n)/float64((before+pull())/2))
	}
	b.StopTimer()
	if fired == 0 {
		b.Fatal("no fault ever fired: the benchmark measures nothing of interest")
	}
	slices.Sort(pulls)
	each := pulls[len(pulls)/2]
	b.ReportMetric(float64(took)/float64(b.N), "ns/op")
	b.ReportMetric(float64(b.N)/took.Seconds(), "runs/s")
	b.ReportMetric(each, "pulls/run")
	b.ReportMetric(float64(time.Second)/(each*float64(referencePull)), "reference-runs/s")
}
