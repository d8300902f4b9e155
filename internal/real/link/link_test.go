package link_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/rng/spread"
	"lockstep/internal/store/redis/resp"
)

// counter is a fake server: it counts the commands that it executes and answers
// each with the count.
func counter(t *testing.T) (addr string, executed *atomic.Int64) {
	t.Helper()
	executed = new(atomic.Int64)
	return realtest.Serve(t, func(c net.Conn) {
		commands := resp.NewReader(c)
		for {
			if _, err := commands.Next(); err != nil {
				return
			}
			fmt.Fprintf(c, ":%d\r\n", executed.Add(1))
		}
	}), executed
}

// client is one connection that sends commands one at a time.
type client struct {
	t *testing.T
	c net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, addr string) *client {
	t.Helper()
	return dialFrom(t, "127.0.0.1", addr)
}

// dialFrom connects from a loopback address.
func dialFrom(t *testing.T, ip, addr string) *client {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	c := must.Get(d.Dial("tcp", addr))(t)
	t.Cleanup(func() { c.Close() })
	return &client{t, c, bufio.NewReader(c)}
}

// aSet is a command of A that a fault waits for.
var aSet = link.Command{
	Call: faults.Call{Client: "A", ID: 3}, Mark: string(resp.AppendCommand(nil, "SET")),
}

func (c *client) send(args ...string) {
	c.t.Helper()
	if _, err := c.c.Write(resp.AppendCommand(nil, args...)); err != nil {
		c.t.Fatal(err)
	}
}

// reply returns the next line, or "" when none comes within d.
func (c *client) reply(d time.Duration) string {
	c.t.Helper()
	c.c.SetReadDeadline(time.Now().Add(d))
	line, err := c.r.ReadString('\n')
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (c *client) want(reply string) {
	c.t.Helper()
	must.Equalf(c.t, c.reply(2*time.Second), reply, "got reply")
}

const short = 50 * time.Millisecond

// A client that only reads, or sends heartbeats, changes nothing. The link keeps what may change an
// entry, and its reply.
func TestALinkCountsRequestsThatMayChangeAnEntry(t *testing.T) {
	addr := realtest.Serve(t, func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			q, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			fmt.Fprintf(c, "HTTP/1.1 200 %s\r\nContent-Length: 0\r\n\r\n", q.Method)
		}
	})
	put := func(method, _ string) bool { return method == http.MethodPut }
	l := linktest.Open(t, link.Options{Name: "A", Upstream: addr, Protocol: func() link.Dissector { return &link.HTTP{Changes: put} }})
	c := dial(t, l.Addr())
	for i, method := range []string{"GET", "PUT", "GET", "PUT"} {
		fmt.Fprintf(c.c, "%s / HTTP/1.1\r\nHost: a\r\n\r\n", method)
		c.want("HTTP/1.1 200 " + method)
		c.want("Content-Length: 0")
		c.want("")
		must.Equalf(t, l.Changes(), int64(i+1)/2, "after request %d there are … changes", i+1)
	}
	for _, c := range l.Changed() {
		up, down := string(c.Bytes[link.Up]), string(c.Bytes[link.Down])
		if !strings.HasPrefix(up, "PUT / ") || down != "HTTP/1.1 200 PUT\r\nContent-Length: 0\r\n\r\n" || c.Sent.IsZero() || c.Answered.Before(c.Sent) {
			t.Errorf("the link has kept %q with the reply %q, at %v and %v", up, down, c.Sent, c.Answered)
		}
	}
}

func TestHoldThenHealDeliversLateBytes(t *testing.T) {
	addr, executed := counter(t)
	l := linktest.Open(t, link.Options{Name: "A", Upstream: addr})
	c := dial(t, l.Addr())
	c.send("ONE")
	c.want(":1")

	linktest.Switch(l, link.Hold)
	c.send("TWO")
	if got := c.reply(short); got != "" || executed.Load() != 1 {
		t.Fatalf("a held link let something pass: reply %q, %d executed", got, executed.Load())
	}
	linktest.Switch(l, link.Pass)
	c.want(":2") // on the same connection

	// One way: the command is executed, its reply is late.
	l.Switch(link.Down, link.Hold)
	c.send("THREE")
	if got := c.reply(short); got != "" || executed.Load() != 3 {
		t.Fatalf("reply %q, %d executed", got, executed.Load())
	}
	l.Switch(link.Down, link.Pass)
	c.want(":3")
}

func TestAHeldRequestArrivesAfterItsClientHasGone(t *testing.T) {
	addr, executed := counter(t)
	l := linktest.Open(t, link.Options{Name: "A", Upstream: addr})
	c := dial(t, l.Addr())
	c.send("ONE")
	c.want(":1")
	linktest.Switch(l, link.Hold)
	c.send("LATE")
	c.c.Close()
	time.Sleep(short)
	if executed.Load() != 1 {
		t.Fatal("a held link let the request pass")
	}
	linktest.Switch(l, link.Pass)
	eventually(t, "the late request is executed", func() bool { return executed.Load() == 2 })
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !realtest.Soon(5*time.Second, ok) {
		t.Fatalf("not within 5 s: %s", what)
	}
}

func TestDropLoses(t *testing.T) {
	addr, executed := counter(t)
	l := linktest.Open(t, link.Options{Name: "A", Upstream: addr})
	c := dial(t, l.Addr())
	l.Switch(link.Up, link.Drop)
	c.send("ONE")
	if got := c.reply(short); got != "" {
		t.Fatalf("got reply %q", got)
	}
	l.Switch(link.Up, link.Pass)
	if got := c.reply(short); got != "" || executed.Load() != 0 {
		t.Fatalf("a dropped request came back: reply %q, %d executed", got, executed.Load())
	}
	c.send("TWO")
	c.want(":1")
}

func TestDelayAndLatency(t *testing.T) {
	addr, _ := counter(t)
	l := linktest.Open(t, link.Options{Name: "A", Upstream: addr, Latency: spread.Range{Min: 5 * time.Millisecond, Max: 5 * time.Millisecond}})
	c := dial(t, l.Addr())
	began := time.Now()
	c.send("ONE")
	c.want(":1")
	if took := time.Since(began); took < 10*time.Millisecond {
		t.Errorf("a round trip over 5 ms of latency took %v", took)
	}
	l.Delay(link.Down, 40*time.Millisecond)
	began = time.Now()
	for range 20 { // all at once: they share the delay and do not queue up
		c.send("MANY")
	}
	for i := range 20 {
		c.want(fmt.Sprintf(":%d", i+2))
	}
	if took := time.Since(began); took < 50*time.Millisecond || took > 400*time.Millisecond {
		t.Errorf("20 delayed replies took %v, want a little over 50 ms", took)
	}
}

func TestOneCommandIsTamperedWith(t *testing.T) {
	for _, tt := range []struct {
		name     string
		half     faults.Half
		delay    time.Duration // 0: lose it
		executed int64         // at once
		late     string        // the reply that comes later, "" for none
	}{
		{"request lost", faults.RequestHalf, 0, 1, ""},
		{"reply lost", faults.ReplyHalf, 0, 2, ""},
		{"request delayed", faults.RequestHalf, 150 * time.Millisecond, 1, ":2"},
		{"reply delayed", faults.ReplyHalf, 150 * time.Millisecond, 2, ":2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, executed := counter(t)
			var lost []string
			var mu sync.Mutex
			l := linktest.Open(t, link.Options{Name: "A", Upstream: addr, Lost: func(c faults.Call, h faults.Half) {
				mu.Lock()
				defer mu.Unlock()
				lost = append(lost, fmt.Sprint(c.ID, " ", h))
			}})
			other, c := dial(t, l.Addr()), dial(t, l.Addr())
			l.Watch(link.Command{Call: faults.Call{Client: "A", ID: 7}, Mark: string(resp.AppendCommand(nil, "DEL", "lock"))})
			if tt.delay > 0 {
				l.Postpone(7, tt.half, tt.delay)
			} else {
				l.Lose(7, tt.half)
			}
			other.send("GET", "lock") // another task of the same client slips in
			other.want(":1")
			c.send("DEL", "lock")
			if got := c.reply(short); got != "" || executed.Load() != tt.executed {
				t.Errorf("reply %q, %d executed, want none and %d", got, executed.Load(), tt.executed)
			}
			must.Equalf(t, c.reply(300*time.Millisecond), tt.late, "later: reply")
			mu.Lock()
			defer mu.Unlock()
			if want := fmt.Sprint(7, " ", tt.half); tt.delay == 0 && (len(lost) != 1 || lost[0] != want) {
				t.Errorf("lost %v, want %s", lost, want)
			}
		})
	}
}

// A fault that waits for a moment acts before the command that reaches it passes.
func TestMomentsComeBeforeTheBytes(t *testing.T) {
	addr, executed := counter(t)
	var l *link.Link
	var seen []string
	l = linktest.Open(t, link.Options{Name: "A", Upstream: addr, Reached: func(k faults.MomentKind, cmd link.Command) bool {
		c := cmd.Call
		seen = append(seen, fmt.Sprint(k == faults.Sends, c.ID, executed.Load()))
		if k == faults.HasExecuted {
			l.Lose(c.ID, faults.ReplyHalf)
		}
		return true
	}})
	c := dial(t, l.Addr())
	l.Watch(aSet, faults.Sends, faults.HasExecuted)
	c.send("SET")
	must.Equalf(t, c.reply(short), "", "got reply")
	l.Close()
	must.Equal(t, fmt.Sprint(seen), "[true 3 0 false 3 1]")
}

// A cut that begins when a request is sent does not hold this request, but its reply. A cut that
// began earlier holds both.
func TestACutHoldsNothingThatWasSentBefore(t *testing.T) {
	for _, before := range []bool{false, true} {
		addr, executed := counter(t)
		var l *link.Link
		cut := func() { linktest.Switch(l, link.Hold) }
		l = linktest.Open(t, link.Options{Name: "A", Upstream: addr, Reached: func(faults.MomentKind, link.Command) bool {
			cut()
			return true
		}})
		c := dial(t, l.Addr())
		l.Watch(aSet, faults.Sends)
		if before {
			cut()
		}
		c.send("SET")
		must.Equalf(t, c.reply(short), "", "cut before: %v: got reply", before)
		must.Equalf(t, executed.Load() == 1, !before, "cut before: %v: executed", before)
		l.Close()
	}
}

// The reply of a server that dies at a moment counts as never sent, not as lost on the way.
func TestAReplyDiesWithItsServer(t *testing.T) {
	addr, executed := counter(t)
	lost := 0
	l := linktest.Open(t, link.Options{
		Name: "A", Upstream: addr,
		Reached: func(k faults.MomentKind, _ link.Command) bool { return k != faults.HasExecuted },
		Lost:    func(faults.Call, faults.Half) { lost++ },
	})
	c := dial(t, l.Addr())
	l.Watch(aSet, faults.HasExecuted)
	c.send("SET")
	if got := c.reply(short); got != "" || executed.Load() != 1 {
		t.Errorf("got reply %q, and %d commands were executed", got, executed.Load())
	}
	l.Close()
	must.Equalf(t, lost, 0, "halves lost")
}

func TestLossByChance(t *testing.T) {
	addr, executed := counter(t)
	var lost [2]atomic.Int64
	l := linktest.Open(t, link.Options{
		Name: "A", Upstream: addr, LossPPM: 300_000, Seed: 1,
		Lost: func(_ faults.Call, h faults.Half) { lost[h].Add(1) },
	})
	const n = 200
	c := dial(t, l.Addr())
	for range n {
		c.send("ONE")
	}
	replies := 0
	for c.reply(200*time.Millisecond) != "" {
		replies++
	}
	requests, answers := lost[faults.RequestHalf].Load(), lost[faults.ReplyHalf].Load()
	if executed.Load() != n-requests || int64(replies) != n-requests-answers {
		t.Errorf("%d executed, %d replies; %d requests and %d replies lost", executed.Load(), replies, requests, answers)
	}
	if requests < 15 || answers < 15 {
		t.Errorf("30 %% loss of %d commands lost %d requests and %d replies", n, requests, answers)
	}
}

// While servers are frozen, killed and restarted, links change their modes under large pipelines.
// Adding and removing toxics would deadlock here.
func TestKillingTheServerNeverHangs(t *testing.T) {
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	before := runtime.NumGoroutine()
	rounds := realtest.Rounds(t, realtest.Tiers(60, 120))
	worst := time.Duration(0)
	for round := range rounds {
		began := time.Now()
		watchdog := time.AfterFunc(time.Minute, func() {
			stacks := make([]byte, 1<<20)
			panic(fmt.Sprintf("round %d hangs:\n%s", round, stacks[:runtime.Stack(stacks, true)]))
		})
		killRound(t, round)
		watchdog.Stop()
		worst = max(worst, time.Since(began))
	}
	t.Logf("%d rounds, the longest took %v", rounds, worst)
	eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before+1 }) // +1: the one that forks
}

func killRound(t *testing.T, round int) {
	s := must.Get(servers.StartRedis(context.Background(), servers.RedisOptions{}))(t)
	l := must.Get(link.Open(link.Options{Name: "A", Upstream: s.Addr}))(t)
	var busy sync.WaitGroup
	stop := make(chan struct{})
	value := strings.Repeat("x", 400_000)
	for i := range 4 {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				hammer(l.Addr(), i, value)
			}
		})
	}
	busy.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
				l.Switch(link.Direction(i%2), link.Mode((i/2)%3))
				l.Delay(link.Direction(i%2), time.Duration(i%7)*time.Millisecond)
			}
		}
	})
	pause := time.Duration(round%10+1) * time.Millisecond
	time.Sleep(pause)
	if round%2 == 0 { // the connections stay, and their buffers run full
		must.Do(t, s.Freeze())
		time.Sleep(pause)
	}
	if round%4 == 0 {
		must.Do(t, s.Thaw())
	}
	must.Do(t, s.Kill())
	time.Sleep(time.Millisecond)
	if round%3 == 0 {
		must.Do(t, s.Restart(context.Background(), ""))
		time.Sleep(pause)
	}
	must.Do(t, l.Close())
	close(stop)
	busy.Wait()
	must.Do(t, s.Stop())
}

func hammer(addr string, i int, value string) {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(100 * time.Millisecond))
	var all []byte
	for range 3 {
		all = resp.AppendCommand(all, "SET", fmt.Sprint("k", i), value)
		all = resp.AppendCommand(all, "GET", fmt.Sprint("k", i))
	}
	if _, err := c.Write(all); err != nil {
		return
	}
	buf := make([]byte, 1<<16)
	for total := 0; total < len(value); {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		total += n
	}
}
