package worker

import (
	"context"
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
