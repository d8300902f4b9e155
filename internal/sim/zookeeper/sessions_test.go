//go:build linux

package zookeeper

import (
	"fmt"
	"testing"
	"time"

	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// hangUp closes a client's connection on both sides, and leaves its session alone.
func (p *pair) hangUp(s *slot) {
	p.t.Helper()
	_ = s.real.conn.CloseWrite()
	var err error
	for err == nil {
		_, err = s.real.read()
	}
	_ = s.real.conn.Close()
	p.model.Closed(store.Clock{Mono: p.now}, s.conn)
	p.log = append(p.log, fmt.Sprintf("client %d hangs up", s.client))
}

// A session outlives its connection for its whole timeout, one that is taken up in time begins it anew though
// the client asks for nothing, and sessions of one tick end together; their ephemeral nodes and those who watch
// them are told apart by none of it. The observer speaks all the while, and the model's clock is set by hand.
func TestSessionsWithoutAConnection(t *testing.T) {
	const tick, timeout = 100 * time.Millisecond, 2 * time.Second
	p := newPair(t, tick, 5)
	observer := p.slots[0]
	p.ask(observer, Create{Path: "/lock"})
	began := time.Now()
	reach := func(at time.Duration) { // with signs of life on the way
		for time.Since(began) < at {
			if _, err := observer.real.ask(Ping{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		p.now = at
		p.exec(observer.conn, Ping{})
	}
	for i, s := range p.slots[1:] {
		s.asked = timeout
		p.move(s, false, SetWatches{})
		p.ask(s, Create{Path: "/lock/q-", Mode: world.ZKEphemeralSequential})
		p.ask(s, Create{Path: fmt.Sprintf("/e-%d", i), Mode: world.ZKEphemeral})
		if i != 3 {
			p.hangUp(s) // the last one is silent on an open connection
		}
	}
	saved := p.slots[1]
	reach(1200 * time.Millisecond)
	p.connect(saved, saved.session)
	p.hangUp(saved)
	for i := range p.slots[1:] {
		p.ask(observer, Exists{Path: fmt.Sprintf("/e-%d", i), Watch: true})
	}
	ends := func(after time.Duration, gone ...int) {
		t.Helper()
		for len(observer.real.events) < len(gone) {
			if _, err := observer.real.ask(Ping{}); err != nil {
				t.Fatal(err)
			}
			if time.Since(began) > 20*time.Second {
				t.Fatalf("%d sessions have ended, want %d", len(observer.real.events), len(gone))
			}
		}
		if lasted := time.Since(began); lasted < after {
			t.Errorf("sessions that last until %v have ended after %v", after, lasted)
		}
		p.now = after + tick
		p.model.Tick(store.Clock{Mono: p.now})
		p.collect()
		p.ask(observer, Children{Path: "/lock"}) // with the events
		for _, i := range gone {
			p.connect(p.slots[i], p.slots[i].session) // is over
		}
	}
	ends(timeout, 2, 3, 4)
	p.ask(observer, Exists{Path: "/e-0"})
	ends(1200*time.Millisecond+timeout, 1)
}
