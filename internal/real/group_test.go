package real

import (
	"testing"

	"lockstep/internal/real/servers"
)

// mortal is a server's process that a test ends.
type mortal struct {
	servers.Running
	done chan struct{}
}

func (m *mortal) Done() <-chan struct{} { return m.done }
func (m *mortal) Ended() string         { return "signal: killed" }
func (m *mortal) LastLog() string       { return "" }

// A server that a fault has killed may be back before its exit status is read.
// In its second life it ends by itself, which is the one thing to tell.
func TestADeathIsJudgedByTheLifeThatItEnds(t *testing.T) {
	h := &harness{fatal: make(chan error, 2)}
	g := &group{h: h}
	first, second := &mortal{done: make(chan struct{})}, &mortal{done: make(chan struct{})}
	m := g.add("redis-1", "", first)
	h.mu.Lock() // so that the death is not seen before the return
	m.dead = true
	close(first.done)
	m.Running = second
	g.returns(m)
	h.mu.Unlock()
	close(second.done)
	h.background.Wait()
	if n := len(h.fatal); n != 1 {
		t.Errorf("%d of two deaths count as one that no fault has caused, want the second one", n)
	}
}
