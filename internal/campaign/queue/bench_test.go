//go:build unix

package queue

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/queue/queuetest"
	"lockstep/internal/must"
)

// spent is the processor time that this process has taken: coordinators and workers, without their
// players.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The cost of a queue beside ranges of one second, for which a player waits: so 64 workers fit on
// two cores. overhead-% is the processor time of server, coordinator and workers for each second of
// a range, and is independent of other load on the machine. share-% is the part of the time in
// which players were at a range.
func BenchmarkWorkers(b *testing.B) {
	const each = time.Second
	const rounds = 5 // ranges of each worker
	self := must.Get(os.Executable())(b)
	for _, workers := range []int{1, 2, 8, 64} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			server := queuetest.Start(b, b.TempDir(), queuetest.Ports(b, 1)[0], "")
			h := &house{}
			connect := func() *Queue {
				q := must.Get(Connect(b.Context(), "nats://"+server.Host(), "bench", h.record))(b)
				b.Cleanup(q.Close)
				return q
			}
			ctx, stop := context.WithCancel(b.Context())
			var over sync.WaitGroup
			defer over.Wait()
			defer stop()
			for range workers {
				w := NewWorker(connect(), "v1", 1, func() *exec.Cmd {
					cmd := exec.Command(self)
					cmd.Env = append(os.Environ(), patientPlayer+"="+each.String())
					return cmd
				})
				over.Go(func() { _ = w.Work(ctx) })
			}
			q := connect()
			do := func(text string, ranges int) {
				work, err := campaign.NewWork("v1", "search", &campaign.Scenario{File: "storm.yaml", Text: text}, struct{}{})
				if err == nil {
					_, _, err = q.Do(b.Context(), Job{Work: work, Of: ranges})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			do("first, for which players are started", 2*workers)
			var used, served, passed time.Duration
			for i := range b.N {
				before, began, serverBefore := spent(b), time.Now(), server.Spent(b)
				do(strings.Repeat("scenario: one of 2 KiB\n", 90)+fmt.Sprint(i), workers*rounds)
				used, served, passed = used+spent(b)-before, served+server.Spent(b)-serverBefore, passed+time.Since(began)
			}
			ranges := float64(b.N * workers * rounds)
			b.ReportMetric(served.Seconds()*1000/ranges, "server-ms/range")
			b.ReportMetric(used.Seconds()*1000/ranges, "others-ms/range")
			b.ReportMetric(100*(used+served).Seconds()/(ranges*each.Seconds()), "overhead-%")
			b.ReportMetric(100*ranges*each.Seconds()/float64(workers)/passed.Seconds(), "share-%")
			b.ReportMetric(0, "ns/op")
		})
	}
}
