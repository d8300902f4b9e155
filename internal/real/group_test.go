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

// A server that a fault has killed may be running again before its exit status is read. Only its
// second death, by itself, is an error.
func TestADeathByAFaultIsExpectedAfterARestart(t *testing.T) {
	h := &harness{fatal: make(chan error, 2)}
	g := &group{h: h}
	first, second := &mortal{done: make(chan struct{})}, &mortal{done: make(chan struct{})}
	m := g.add("redis-1", "", first)
	h.mu.Lock() // so that the death is not seen before the restart
	m.dead = true
	close(first.done)
	m.Running = second
	g.returns(m)
	h.mu.Unlock()
	close(second.done)
	h.background.Wait()
	if n := len(h.fatal); n != 1 {
		t.Errorf("%d of two deaths are errors, want the second one", n)
	}
}
