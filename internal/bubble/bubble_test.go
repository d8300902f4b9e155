package bubble_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// bare is a lock that uses the protocol directly: SET NX PX to acquire, and an unconditional DEL to
// release. A goroutine of its own sends GET every half second.
func bare(c *bubble.Client) (bubble.Lock, error) {
	own, err := c.Dial(context.Background(), "tcp", c.Addresses()[0])
	if err != nil {
		return nil, err
	}
	go func() {
		for range 100 {
			time.Sleep(500 * time.Millisecond)
			if _, err := ask(own, time.Hour, "GET", "nothing"); err != nil {
				return
			}
		}
	}()
	send := func(args ...string) (string, error) {
		conn, err := c.Dial(context.Background(), "tcp", c.Addresses()[0])
		if err != nil {
			return "", err
		}
		defer conn.Close()
		return ask(conn, c.Timeout(), args...)
	}
	return func(ctx context.Context) (bubble.Lease, error) {
		for ctx.Err() == nil {
			reply, err := send("SET", c.Key(), c.Name(), "NX", "PX", fmt.Sprint(c.Lease().Milliseconds()))
			if err != nil {
				return bubble.Lease{}, err
			}
			if reply == "+OK" {
				return bubble.Lease{Release: func(context.Context) error {
					reply, err := send("DEL", c.Key())
					if reply == ":0" {
						return locks.ErrNotHeld
					}
					return err
				}}, nil
			}
			time.Sleep(c.Retry())
		}
		return bubble.Lease{}, ctx.Err()
	}, nil
}

// ask sends one command and returns the first line of its reply.
func ask(conn net.Conn, timeout time.Duration, args ...string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := io.WriteString(conn, b.String()); err != nil {
		return "", err
	}
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line), err
}

// play plays a story in a bubble and calls look with the history.
func play(t *testing.T, story string, lock func(*bubble.Client) (bubble.Lock, error), look func(w *bubble.World, h *history.History)) {
	t.Helper()
	p := scenariotest.Parse(t, "", "scenario: x\nlocks: [set-nx-lua]\n"+story)
	synctest.Test(t, func(t *testing.T) {
		w := bubble.New(bubble.Config{Name: "bare", Servers: bubble.Servers{Store: locks.StoreRedis, Port: 6379}, Make: lock, On: sim.New()})
		defer w.Close()
		h := must.Get(w.Play(t.Context(), p, "", 1))(t)
		look(w, h)
	})
}

// A stopped or dead client does nothing, in none of its goroutines.
func TestAStoppedClientDoesNothing(t *testing.T) {
	for verb, story := range map[string]string{
		"pause":  "faults: [{when: A is in its critical section, pause: A, for: 12s}]\n",
		"reply":  "faults: [{when: A has the reply of SET, pause: A, for: 12s}]\n",
		"sends":  "faults: [{when: A is about to send DEL, pause: A, for: 12s}]\n",
		"crash":  "faults: [{when: A is in its critical section, crash: A}]\n",
		"dies":   "faults: [{when: A has the reply of SET, crash: A}]\n",
		"host":   "faults: [{when: A is about to send DEL, lose-host: A}]\n",
		"begins": "faults: [{when: A starts waiting, pause: A, for: 12s}]\n",
	} {
		t.Run(verb, func(t *testing.T) {
			play(t, "clients: [A, B]\n"+story, bare, func(_ *bubble.World, h *history.History) {
				a, stopped, times := h.Node("A"), false, 0
				for i, e := range h.Events {
					switch {
					case e.Node != a:
					case e.Kind == history.Froze, e.Kind == history.Crashed:
						stopped = true
						times++
					case e.Kind == history.Thawed:
						stopped = false
					case stopped && e.Kind != history.FaultBegan && e.Kind != history.FaultEnded:
						t.Errorf("event %d: A stands still, and %v at %v: %s", i, e.Kind, e.At, h.Text(e.Text))
					}
				}
				if times != 1 || !h.Whole {
					t.Errorf("stopped %d times, whole: %v", times, h.Whole)
				}
			})
		})
	}
}

// A reply that arrives during a pause is read after it, even if the deadline has passed; without a
// reply, the deadline applies.
func TestRepliesAreReadAfterAPause(t *testing.T) {
	for _, test := range []struct {
		fault string
		want  error
	}{
		{"{when: A has the reply of GET, pause: A, for: 12s}", nil},
		{"{when: A is about to send GET, drop: reply}", os.ErrDeadlineExceeded},
	} {
		var line string
		var err error
		lock := func(c *bubble.Client) (bubble.Lock, error) {
			if c.Name() == "A" {
				var conn net.Conn
				if conn, err = c.Dial(context.Background(), "tcp", c.Addresses()[0]); err == nil {
					line, err = ask(conn, time.Second, "GET", "x")
				}
			}
			return bare(c)
		}
		play(t, "clients: [A, B]\nfaults: ["+test.fault+"]\n", lock, func(*bubble.World, *history.History) {})
		if !errors.Is(err, test.want) || test.want == nil && (err != nil || line != "$-1") {
			t.Errorf("%s: %q, %v", test.fault, line, err)
		}
	}
}

// After a lost reply nothing arrives on its connection, neither replies nor unrequested messages.
func TestNothingArrivesAfterALostReply(t *testing.T) {
	heard := errors.New("nothing was read yet")
	lock := func(c *bubble.Client) (bubble.Lock, error) {
		dial := func() net.Conn {
			return must.Get(c.Dial(context.Background(), "tcp", c.Addresses()[0]))(t)
		}
		if c.Name() == "A" {
			looks, changes := dial(), dial()
			for _, line := range []string{"HELLO 3", "CLIENT TRACKING ON", "GET k"} {
				_, heard = ask(looks, time.Second, strings.Fields(line)...)
			}
			if _, err := ask(changes, time.Second, "SET", "k", "1"); err != nil {
				t.Error(err)
			}
			if !errors.Is(heard, os.ErrDeadlineExceeded) {
				t.Errorf("GET is answered despite the fault: %v", heard)
			}
			_, heard = ask(looks, time.Second, "PING")
		}
		return bare(c)
	}
	play(t, "clients: [A, B]\nfaults: [{when: A is about to send GET, drop: reply}]\n", lock, func(*bubble.World, *history.History) {})
	if !errors.Is(heard, os.ErrDeadlineExceeded) {
		t.Errorf("something arrives after the lost reply: %v", heard)
	}
}

// A lock that is real code gets the same letters as the modelled lock in the simulator.
func TestTheLettersAreThoseOfTheSimulator(t *testing.T) {
	for _, story := range []string{
		"clients: [A, B, C]\nworkload: {repeat: 3 times}\n",
		"clients: [A, B, C]\nworkload: {work: 8s..9s}\nfaults: [{when: A is in its critical section, after: 1s, pause: A, for: 15s}]\n",
		"clients: [A, B, C]\nfaults: [{when: A is in its critical section, crash: A}]\n",
		"clients: [A, B, C]\nworkload: {repeat: 2 times, work: 4s}\nfaults: [{when: A is about to send DEL, delay: request, by: 12s}]\n",
		"clients: [A, B, C]\nfaults: [{when: A is about to send DEL, drop: request}]\n",
		"clients: [A, B, C]\nfaults: [{when: A is in its critical section, evict: lock}]\n",
		"clients: [A, B, C]\nfaults: [{when: A is in its critical section, restart: the primary}]\n",
		"clients: [A, B, C]\nfaults: [{when: A is in its critical section, jump-clock: redis-1, by: +12s}]\n",
		"clients: [A, B, C]\nfaults: [{when: A is in its critical section, partition: [A, store], for: 15s}]\n",
		"clients: [A, B, C]\nservers: {redis: {replicas: 1, lag: 500ms}}\nfaults: [{when: A enters, fail-over: operator}]\n",
	} {
		p := scenariotest.Parse(t, "", "scenario: x\nlocks: [set-nx-ex-del]\n"+story)
		h := must.Get(sim.Run(p, "set-nx-ex-del", 1))(t)
		want := outcome(h)
		play(t, story, bare, func(_ *bubble.World, h *history.History) {
			if got := outcome(h); got != want {
				t.Errorf("%sit ends with %s, in the simulator with %s", story, got, want)
			}
		})
	}
}

// Unsupported plans are refused, with the reason.
func TestWhatIsRefused(t *testing.T) {
	for want, change := range map[string]func(*plan.Plan){
		"the clock of A": func(p *plan.Plan) { p.Clocks = []plan.Clock{{Node: "A", Offset: time.Second}} },
		"Redis Cluster":  func(p *plan.Plan) { p.Redis.Cluster = plan.DefaultRedisCluster() },
		"sentinels":      func(p *plan.Plan) { p.Redis.Replicas, p.Redis.Failover.By = 1, plan.BySentinel },
	} {
		p := plan.Default()
		must.Do(t, bubble.Refuse(&p))
		change(&p)
		must.Fail(t, bubble.Refuse(&p), want)
	}
}

// Commands without a model are noted, whether they concern the store or the connection.
func TestWhatHasNoModelIsNoted(t *testing.T) {
	for talk, want := range map[string]string{
		"SELECT 0|PING|CLIENT SETNAME x|INFO replication|SET k 1|WAIT 0 1":           "",
		"MULTI|SET k 1|EXEC|PING|CLIENT ID|MULTI|GET k|DISCARD|WAIT 0 1|SUBSCRIBE x": "",
		"HELLO 3|CLIENT TRACKING ON|CLIENT TRACKING OFF":                             "",
		"SELECT 3":                          "SELECT 3",
		"OBJECT FREQ k":                     "OBJECT",
		"CLIENT KILL x":                     "CLIENT KILL",
		"HELLO 3|CLIENT TRACKING ON BCAST":  "CLIENT TRACKING BCAST",
		"HELLO 3|CLIENT TRACKING ON prefix": "CLIENT TRACKING PREFIX",
		"SCRIPT FLUSH":                      "SCRIPT FLUSH",
		"INFO keyspace":                     "INFO KEYSPACE",
		"PSUBSCRIBE x":                      "PSUBSCRIBE",
		"SUBSCRIBE __keyevent@0__:expired":  "notifications of keys",
		"SET k 1 ifeq 2":                    "SET IFEQ",
		"SET IFEQ IFNE NX":                  "",
		"MULTI|PING":                        "PING within MULTI",
		"MULTI|WAIT 0 1":                    "WAIT within MULTI",
		"MULTI|SUBSCRIBE x":                 "SUBSCRIBE within MULTI",
	} {
		var err error
		lock := func(c *bubble.Client) (bubble.Lock, error) {
			if c.Name() == "A" {
				var conn net.Conn
				if conn, err = c.Dial(context.Background(), "tcp", c.Addresses()[0]); err == nil {
					for line := range strings.SplitSeq(talk, "|") {
						_, answer := ask(conn, time.Second, strings.Fields(line)...)
						err = errors.Join(err, answer)
					}
				}
			}
			return bare(c)
		}
		play(t, "clients: [A, B]\n", lock, func(w *bubble.World, _ *history.History) {
			missed := strings.Join(w.Notes().Missed, ", ")
			if !strings.HasPrefix(missed, strings.TrimSuffix(want, " within MULTI")) || want == "" && missed != "" || err != nil {
				t.Errorf("%s: %q is noted, want %q: %v", talk, missed, want, err)
			}
		})
	}
}

// A lock acquired after its client has given up is released: otherwise it would keep the others
// out.
func TestALateSuccessIsUndone(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var tries, undone atomic.Int64
		lock := func(c *bubble.Client) (bubble.Lock, error) {
			if c.Name() != "A" {
				return bare(c)
			}
			return func(context.Context) (bubble.Lease, error) {
				tries.Add(1)
				time.Sleep(c.Settings().Wait + 3*c.Timeout())
				if fails {
					return bubble.Lease{}, errors.New("too late")
				}
				return bubble.Lease{Release: func(context.Context) error { undone.Add(1); return nil }}, nil
			}, nil
		}
		play(t, "clients: [A, B]\nworkload: {repeat: 6 times, wait: up to 5s}\n", lock, func(*bubble.World, *history.History) {})
		want := tries.Load() - 1 // the last one ends with the run
		if fails {
			want = 0
		}
		if tries.Load() < 2 || undone.Load() != want {
			t.Errorf("fails: %v: %d of %d late successes are undone", fails, undone.Load(), tries.Load())
		}
	}
}
