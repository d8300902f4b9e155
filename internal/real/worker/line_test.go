package worker

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/redis"
)

// A command ends with its context, not only at its deadline; the connection goes with
// it, so that the late reply is dropped.
func TestACancelledCommandTakesItsConnectionWithIt(t *testing.T) {
	p := connected(t, realServer(t).Addr)
	background := context.Background()
	id := func() string { return p.Do(background, redis.Command("CLIENT", "ID")).String() }
	first := id()
	if again := id(); again != first {
		t.Fatalf("a second connection without a need: %s after %s", again, first)
	}
	for round := range 50 {
		ctx, cancel := context.WithCancel(background)
		time.AfterFunc(time.Duration(round)*20*time.Microsecond, cancel)
		began := time.Now()
		reply := p.Do(ctx, redis.Command("BLPOP", "nothing", "0"))
		if reply.Err != context.Canceled {
			t.Fatalf("round %d: got %v", round, reply)
		}
		if took := time.Since(began); took > 150*time.Millisecond {
			t.Fatalf("round %d: it took %v, as if only its timeout had ended it", round, took)
		}
	}
	if now := id(); now == first {
		t.Error("a connection that a reply may still come on was used again")
	}
}

// A deadline that go-redis sets after the cut does not undo it.
func TestADeadlineDoesNotUndoACut(t *testing.T) {
	s := realServer(t)
	l := newLine(s.Addr, time.Minute)
	defer l.client.Close()
	must.Do(t, l.client.Ping(context.Background()).Err())
	l.cut()
	began := time.Now()
	if err := l.client.Do(context.Background(), "BLPOP", "nothing", "2").Err(); err == nil || time.Since(began) > time.Second {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
}

// Before a run begins, connections wait longer for an answer than requests of the run do, and greet
// again when a link loses the greeting. Here every other connection gets no answer, and the answers
// on the others are late.
func TestAGreetingHasTime(t *testing.T) {
	const timeout = 20 * time.Millisecond
	var connections atomic.Int64
	addr := realtest.Serve(t, func(conn net.Conn) {
		lost := connections.Add(1)%2 == 1
		for said := make([]byte, 1024); ; {
			n, err := conn.Read(said)
			if err != nil {
				return
			}
			if lost {
				continue
			}
			answer := "+PONG\r\n"
			if strings.Contains(string(said[:n]), "hello") {
				answer = "-ERR unknown command\r\n" // as before version 6
			}
			time.Sleep(5 * timeout)
			_, _ = conn.Write([]byte(answer))
		}
	})
	lines := newLines(addr, timeout)
	defer lines.Close()
	if err := lines.warm(t.Context(), 3); err != nil {
		t.Errorf("a server that is late: %v", err)
	}
	if reply := lines.do(t.Context(), raw("PING")); reply.Err != ports.ErrTimeout {
		t.Errorf("the same server in the run: %v, want its timeout", reply)
	}
}

// connected returns a port whose harness answers every question, and
// whose server is at addr.
func connected(t testing.TB, addr string) *port {
	t.Helper()
	w, _ := alone(t, 200*time.Millisecond)
	w.redis = []*lines{newLines(addr, 200*time.Millisecond)}
	p := &port{w, w.primary}
	t.Cleanup(func() { w.redis[0].Close() })
	return p
}

// answering is a server that gives the same bytes as answer to everything but
// the greeting of the client library; "" stands for silence, "bye" for closing
// the connection.
func answering(t testing.TB, bytes string) (addr string) {
	t.Helper()
	return realtest.Serve(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			answer := bytes
			if strings.Contains(strings.ToLower(string(buf[:n])), "hello") {
				answer = "-ERR unknown command\r\n"
			}
			if answer == "bye" {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	})
}

func TestRepliesAreWhatTheServerSent(t *testing.T) {
	tests := []struct{ give, want string }{
		{"+OK\r\n", "OK"}, {"$2\r\nOK\r\n", `"OK"`}, {"$-1\r\n", "(nil)"}, {":1\r\n", "(integer) 1"},
		{"*2\r\n:1\r\n$1\r\na\r\n", `[(integer) 1 "a"]`},
		{"-READONLY You can't write\r\n", "(error) READONLY You can't write"},
	}
	for _, tt := range tests {
		p := connected(t, answering(t, tt.give))
		if got := p.Do(context.Background(), redis.Get("lock")); got.String() != tt.want {
			t.Errorf("%q became %v, want %s", tt.give, got, tt.want)
		}
	}
	p := connected(t, answering(t, "-ERR x\r\n"))
	var server redis.ServerError
	if err := p.Do(context.Background(), redis.Get("lock")).Err; !errors.As(err, &server) {
		t.Errorf("an error of the server became %T", err)
	}
}

func TestErrorsAreThoseOfThePort(t *testing.T) {
	closed := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	closed.Close()
	always := func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }
	deadline := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), 50*time.Millisecond)
	}
	cancelled := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		return ctx, cancel
	}
	for _, tt := range []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
		addr string
		want error
		took time.Duration
	}{
		{"silence", always, answering(t, ""), ports.ErrTimeout, 200 * time.Millisecond},
		{"the deadline comes first", deadline, answering(t, ""), context.DeadlineExceeded, 50 * time.Millisecond},
		{"a cancellation comes first", cancelled, answering(t, ""), context.Canceled, 50 * time.Millisecond},
		{"the connection closes", always, answering(t, "bye"), ports.ErrConnection, 0},
		{"no server listens", always, closed.Addr().String(), ports.ErrConnection, 0},
		{"not Redis", always, answering(t, "HTTP/1.1 400\r\n"), ports.ErrConnection, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := connected(t, tt.addr)
			ctx, cancel := tt.ctx()
			defer cancel()
			began := time.Now()
			err := p.Do(ctx, redis.Get("lock")).Err
			took := time.Since(began)
			must.Equal(t, err, tt.want)
			if took < tt.took-30*time.Millisecond || took > tt.took+100*time.Millisecond {
				t.Errorf("after %v, want %v", took, tt.took)
			}
		})
	}
}
