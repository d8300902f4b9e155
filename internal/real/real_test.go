package real_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
	"lockstep/internal/scenario/scenariotest"
)

func TestMain(m *testing.M) {
	real.WorkerMain()
	if os.Getenv(envHarness) != "" { // the name of a lock
		harnessMain()
		return
	}
	// Runs that may be played beside others wait more than they compute.
	flag.Parse()
	if most := flag.Lookup("test.parallel").Value; most.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = most.Set(strconv.Itoa(runtime.GOMAXPROCS(0) + 1))
	}
	os.Exit(inOwnDirectory(m.Run))
}

// inOwnDirectory runs all tests with a new directory for temporary files, and fails if their runs
// have left anything.
func inOwnDirectory(tests func() int) (code int) {
	tmp, err := os.MkdirTemp("", "lockstep-tests-")
	if err == nil {
		err = cmp.Or(os.Chmod(tmp, 0o711), os.Setenv("TMPDIR", tmp))
	}
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(tmp)
	before := runtime.NumGoroutine()
	code = tests()
	for _, wrong := range left(tmp, before) {
		fmt.Fprintln(os.Stderr, "after all tests:", wrong)
		code = cmp.Or(code, 1)
	}
	return code
}

// The beginnings of faults.
const (
	inSection = "when: A is in its critical section, "
	enters    = "when: A enters, "
	asks      = "when: A is about to send any command, "
)

// quick is a story for a lock that two clients finish in a second or two, see scenariotest.Story.
// They all want the lock at once, and the lease is the shortest that all variants support. A comes
// first, on a busy machine too.
func quick(t testing.TB, lock string, more ...string) *plan.Plan {
	t.Helper()
	p := scenariotest.Story(t, lock, append([]string{"lease=1s",
		"workload={wait: up to 5s, work: 50ms..60ms, rest: 1ms..2ms, retry: 5ms, stagger: 50ms}",
		"network={latency: 100us..200us, timeout: 300ms}"}, more...)...)
	p.Redis.Failover.After = 20 * time.Millisecond
	return p
}

// run plays a plan with its first lock, possibly beside other runs: TestMain checks that they have
// left nothing.
func run(t *testing.T, p *plan.Plan) *history.History {
	t.Helper()
	realtest.Need(t, "redis-server")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	h := must.Get(real.Run(ctx, p, p.Locks[0], 1, real.Options{}))(t)
	if t.Failed() || testing.Verbose() {
		t.Log("\n" + text(h))
	}
	inOrderWithCauses(t, h)
	return h
}

// left lists new files, child processes and goroutines. One goroutine may stay: the one that forks.
func left(tmp string, goroutines int) (out []string) {
	if files, _ := os.ReadDir(tmp); len(files) > 0 {
		out = append(out, fmt.Sprintf("left in %s: %v", tmp, files))
	}
	if processes := children(os.Getpid()); len(processes) > 0 {
		out = append(out, fmt.Sprintf("child processes left: %v", processes))
	}
	for end := time.Now().Add(3 * time.Second); runtime.NumGoroutine() > goroutines+1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			return append(out, fmt.Sprintf("%d goroutines where %d were before:\n%s", runtime.NumGoroutine(), goroutines, buf[:runtime.Stack(buf, true)]))
		}
	}
	return out
}

func inOrderWithCauses(t *testing.T, h *history.History) {
	t.Helper()
	for i, e := range h.Events {
		if i > 0 && e.At < h.Events[i-1].At {
			t.Errorf("event %d is before event %d", i, i-1)
		}
		if e.Cause >= int32(i) || (e.Cause < 0 && e.Cause != history.NoCause) {
			t.Errorf("event %d has cause %d", i, e.Cause)
		}
		if e.Kind == history.Replied && (e.Cause < 0 || e.Peer == 0) {
			t.Errorf("event %d: a reply from %q with cause %d", i, h.Name(e.Peer), e.Cause)
		}
	}
}

// text is a history for people.
func text(h *history.History) string {
	var b strings.Builder
	for i, e := range h.Events {
		if e.Node != 0 && h.Role(e.Node) == history.RoleProbe && (e.Kind == history.Sent || e.Kind == history.Replied) {
			continue
		}
		fmt.Fprintf(&b, "%3d %10.3fms %-8s %-14v", i, float64(e.At)/1e6, h.Name(e.Node), e.Kind)
		for _, n := range []history.NodeID{e.Peer, e.Owner} {
			if n != 0 {
				fmt.Fprintf(&b, " %s", h.Name(n))
			}
		}
		fmt.Fprintf(&b, " %d %s", e.Value, h.Text(e.Text))
		if e.Cause != history.NoCause {
			fmt.Fprintf(&b, "  <- %d", e.Cause)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// find returns the events of a kind of one node; "" stands for all nodes.
func find(h *history.History, kind history.Kind, node string) []history.Event {
	var out []history.Event
	for _, e := range h.Events {
		if e.Kind == kind && (node == "" || h.Name(e.Node) == node) {
			out = append(out, e)
		}
	}
	return out
}

// overlaps counts the pairs of hold intervals of different clients that overlap.
func overlaps(h *history.History) int {
	n := 0
	holds := history.Holds(h)
	for i, a := range holds {
		for _, b := range holds[:i] {
			if a.Client != b.Client && a.Start < b.End && b.Start < a.End {
				n++
			}
		}
	}
	return n
}

// wantOverlaps compares the number of overlaps.
func wantOverlaps(t *testing.T, h *history.History, want int) {
	t.Helper()
	must.Equalf(t, overlaps(h), want, "overlaps")
}

// wantEvents compares the number of events of a kind of one node; "" stands for all nodes.
func wantEvents(t *testing.T, h *history.History, want int, kind history.Kind, node string) {
	t.Helper()
	must.Equalf(t, len(find(h, kind, node)), want, "%q: events %q", node, kind)
}

// wantSome demands an event of a kind of one node.
func wantSome(t *testing.T, h *history.History, kind history.Kind, node string) {
	t.Helper()
	if len(find(h, kind, node)) == 0 {
		t.Errorf("%q: no event %q", node, kind)
	}
}

// once returns the one event of a kind of one node; "" stands for all nodes.
func once(t *testing.T, h *history.History, kind history.Kind, node string) history.Event {
	t.Helper()
	all := find(h, kind, node)
	if len(all) != 1 {
		t.Fatalf("%q: %d events %q, want one", node, len(all), kind)
	}
	return all[0]
}

func TestWithoutFaultsOneClientHoldsAtATime(t *testing.T) {
	t.Parallel()
	all := []string{"set-nx-lua", "watchdog-lua", "setnx", "setnx-expire", "set-nx-ex-del", "set-nx-token-getdel"}
	for _, lock := range all[:realtest.Tiers(2, len(all))] {
		t.Run(lock, func(t *testing.T) {
			p := quick(t, lock, "clients=[A, B, C]", "workload.repeat=3 times")
			h := run(t, p)
			wantOverlaps(t, h, 0)
			for _, name := range p.Clients {
				wantEvents(t, h, 3, history.Acquired, name)
			}
			wantEvents(t, h, 1, history.Acquired, "probe")
			wantEvents(t, h, 10, history.Granted, "redis-1")
			wantEvents(t, h, 10, history.WriteAccepted, "")
			for _, e := range find(h, history.Removed, "") {
				must.Equalf(t, e.Peer, e.Owner,
					"%s removed %s's entry", h.Name(e.Peer), h.Name(e.Owner))
			}
		})
	}
}

func TestAPauseLongerThanTheLeaseLetsTheNextOneIn(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"set-nx-ex-del", "watchdog-lua"} {
		t.Run(lock, func(t *testing.T) {
			h := run(t, quick(t, lock, inSection+"pause: A, for: 1500ms", "when: B enters, slow: B, by: 900ms"))
			if overlaps(h) == 0 {
				t.Error("no overlap")
			}
			froze, thawed := once(t, h, history.Froze, "A"), once(t, h, history.Thawed, "A")
			if d := thawed.At.Sub(froze.At); d < 1490*time.Millisecond || d > 1700*time.Millisecond {
				t.Errorf("paused for %v", d)
			}
			for _, e := range h.Events {
				if e.Kind != history.FaultEnded && h.Name(e.Node) == "A" && e.At > froze.At && e.At < thawed.At {
					t.Errorf("A did something while it was stopped: %v at %v", e.Kind, e.At)
				}
			}
			foreign := 0
			for _, e := range find(h, history.Removed, "") {
				if h.Name(e.Peer) == "A" && h.Name(e.Owner) == "B" {
					foreign++
				}
			}
			must.Equalf(t, foreign, map[string]int{"set-nx-ex-del": 1, "watchdog-lua": 0}[lock],
				"A removed B's entry … times")
		})
	}
}

func TestALostReplyOfAScript(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "when: A has unlock executed, drop: reply"))
	wantEvents(t, h, 1, history.ReleaseFailed, "A")
	wantOverlaps(t, h, 0)
}

func TestWhatWaitsForAClientToWakeComesBeforeTheClient(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", inSection+"pause: A, for: 100ms", "when: A wakes, crash: A"))
	thawed := once(t, h, history.Thawed, "A")
	once(t, h, history.Crashed, "A")
	for _, e := range h.Events {
		if h.Name(e.Node) == "A" && e.At > thawed.At && e.Kind < history.FaultBegan {
			t.Errorf("A did something: %v", e.Kind)
		}
	}
}

func TestALossyNetwork(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "lease=200ms", "network.loss=20%", "network.timeout=30ms", "workload.repeat=3 times"))
	if len(find(h, history.RequestDropped, ""))+len(find(h, history.ReplyDropped, "")) == 0 {
		t.Error("nothing was lost")
	}
	wantSome(t, h, history.TimedOut, "")
}

func TestAMomentOnTheWireIsExact(t *testing.T) {
	t.Parallel()
	// A is stopped when the store has executed its SET and the reply is not
	// delivered; then A has had no chance to see it.
	for _, kind := range []faults.MomentKind{faults.AboutToSend, faults.Sends, faults.HasExecuted, faults.HasReply} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			moment := faults.Trigger{Moment: kind, Subject: "A", Command: "SET", Nth: 1}
			h := run(t, quick(t, "set-nx-lua", "network.timeout=2s", "when: "+moment.Text()+", pause: A, for: 200ms"))
			froze, thawed := once(t, h, history.Froze, "A"), once(t, h, history.Thawed, "A")
			sent, replied := find(h, history.Sent, "A"), find(h, history.Replied, "A")
			must.Equalf(t, sent[0].At > thawed.At, kind == faults.AboutToSend,
				"sent at %v, thawed at %v", sent[0].At, thawed.At)
			must.Equalf(t, replied[0].At < froze.At, kind == faults.HasReply,
				"replied at %v, frozen at %v", replied[0].At, froze.At)
			if acquired := once(t, h, history.Acquired, "A"); acquired.At < thawed.At {
				t.Error("A acquired before the end of its pause")
			}
		})
	}
}

// The answer to the last command of a server that dies is still in its buffers.
func TestADeadServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "servers.redis.replicas=1", "when: A has SET executed, fail-over: operator"))
	sent, replied, missed := find(h, history.Sent, "A"), find(h, history.Replied, "A"), find(h, history.TimedOut, "A")
	if len(missed) == 0 || missed[0].Value != sent[0].Value || h.Text(missed[0].Text) != "connection lost" {
		t.Fatalf("A missed %d answers, want that to its SET, by a lost connection", len(missed))
	}
	if len(replied) > 0 && replied[0].Value == sent[0].Value {
		t.Error("A has the answer of a dead server")
	}
	wantEvents(t, h, 0, history.ReplyDropped, "")
}

func TestSlowWorkIsRenewed(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "watchdog-lua", enters+"slow: A, by: 1500ms", "when: A renews, pause: B, for: 10ms"))
	wantOverlaps(t, h, 0)
	if hold := history.Holds(h)[0]; hold.End.Sub(hold.Start) < 1500*time.Millisecond {
		t.Errorf("A held for %v", hold.End.Sub(hold.Start))
	}
	wantEvents(t, h, 1, history.Froze, "B")
}

func TestAFailOverForgetsWhatWasNotReplicated(t *testing.T) {
	t.Parallel()
	for _, replicas := range []int{1, 2} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			h := run(t, quick(t, "set-nx-lua", fmt.Sprintf("servers.redis={replicas: %d, lag: 300ms}", replicas), "workload.work=400ms",
				inSection+"fail-over: operator"))
			once(t, h, history.Crashed, "redis-1")
			promoted := once(t, h, history.Promoted, "redis-2")
			if overlaps(h) == 0 {
				t.Error("no overlap: the new primary knew of A's lock")
			}
			b := once(t, h, history.Acquired, "B")
			t.Logf("B holds %v after the promotion", b.At.Sub(promoted.At))
			wantSome(t, h, history.Granted, "redis-2")
		})
	}
}

func TestWithoutLagAFailOverKeepsTheLock(t *testing.T) {
	t.Parallel()
	p := quick(t, "set-nx-lua", "servers.redis.replicas=1", "workload.work=400ms", inSection+"after: 50ms, fail-over: operator")
	wantOverlaps(t, run(t, p), 0)
}

func TestTheFenceRefusesAStaleWrite(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "workload.fence=writes")) // it has no tokens for the fence to check
	wantEvents(t, h, 3, history.WriteAccepted, "")
	for _, e := range find(h, history.WriteAccepted, "") {
		if e.Cause < 0 || h.Events[e.Cause].Kind != history.ReadDone || h.Events[e.Cause].Peer != e.Peer {
			t.Errorf("an accepted write has cause %d", e.Cause)
		}
	}
}

func TestAStoppedServerAndAFrozenClientDoNotHangTheRun(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "lease=100ms", "workload.wait=up to 300ms", "network.timeout=100ms",
		inSection+"pause: the primary, forever: true", inSection+"pause: A, forever: true"))
	wantEvents(t, h, 1, history.Froze, "redis-1")
	wantEvents(t, h, 1, history.GaveUp, "probe")
}

func TestClocksAreAsThePlanSays(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "clocks={A: {offset: +1h, drift: -100000ppm}}", "workload.work=220ms"))
	for _, e := range h.Events {
		off := time.Duration(e.Clock) - e.At.Duration()
		switch h.Name(e.Node) {
		case "A":
			if want := time.Hour - e.At.Duration()/10; off < want-time.Millisecond || off > want+time.Millisecond {
				t.Fatalf("at %v A's clock is off by %v, want %v", e.At, off, want)
			}
		case "B":
			if off != 0 {
				t.Fatalf("B's clock is off by %v", off)
			}
		}
	}
	for _, hold := range history.Holds(h)[:2] {
		d, want := hold.End.Sub(hold.Start), 220*time.Millisecond
		if h.Name(hold.Client) == "A" {
			want = 244 * time.Millisecond // A's clock is slow
		}
		if d < want { // more only says that the machine is busy
			t.Errorf("%s worked for %v of true time, want %v at least", h.Name(hold.Client), d, want)
		}
	}
}

func TestAWorkerThatDiesByItselfIsAnError(t *testing.T) {
	realtest.Need(t, "redis-server")
	m := lookAround(t)
	_, err := real.Run(context.Background(), quick(t, "set-nx-lua"), "set-nx-lua", 1, real.Options{Worker: "/bin/false"})
	// All workers die at once, and the harness may notice any of them first.
	if want := regexp.MustCompile(`the worker of (A|B|probe) ended by itself \(exit status 1\)`); err == nil || !want.MatchString(err.Error()) {
		t.Errorf("got %v, want %v", err, want)
	}
	_, err = real.Run(context.Background(), quick(t, "set-nx-lua"), "set-nx-lua", 1, real.Options{Worker: "/no/such/program"})
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	m.nothingLeft()
}

// open returns a directory for temporary files that other accounts can enter: PostgreSQL does not
// run as root.
func open(t *testing.T) string {
	t.Helper()
	tmp := t.TempDir()
	for _, dir := range []string{tmp, filepath.Dir(tmp)} {
		must.Do(t, os.Chmod(dir, 0o711))
	}
	return tmp
}
