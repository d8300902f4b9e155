package worker

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/world"
)

// A command ends with its context, not only at its deadline; the connection goes with
// it, so that the late reply is nobody's.
func TestACancelledCommandTakesItsConnectionWithIt(t *testing.T) {
	p := connected(t, realServer(t).Addr)
	background := context.Background()
	id := func() string { return p.Do(background, world.Command("CLIENT", "ID")).String() }
	first := id()
	if again := id(); again != first {
		t.Fatalf("a second connection without a need: %s after %s", again, first)
	}
	for round := range 50 {
		ctx, cancel := context.WithCancel(background)
		time.AfterFunc(time.Duration(round)*20*time.Microsecond, cancel)
		began := time.Now()
		reply := p.Do(ctx, world.Command("BLPOP", "nothing", "0"))
		if reply.Err != context.Canceled {
			t.Fatalf("round %d: got %v", round, reply)
		}
		if took := time.Since(began); took > 150*time.Millisecond {
			t.Fatalf("round %d: it took %v, like one that only its timeout ends", round, took)
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
	if err := l.client.Ping(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	l.cut()
	began := time.Now()
	if err := l.client.Do(context.Background(), "BLPOP", "nothing", "2").Err(); err == nil || time.Since(began) > time.Second {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
}
