//go:build linux

package live

import (
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store/consul"
)

// A restarted server starts all lock delays again, even those that were over; for a key with
// several, the shortest counts.
func TestRealConsulAgreesOnARestart(t *testing.T) {
	p := newPair(t, time.Second)
	end := func(key string, delay time.Duration) {
		session := p.Do(consul.CreateSession{TTL: time.Hour, LockDelay: delay}).(string)
		p.Do(consul.Acquire{Key: key, Session: session})
		p.Do(consul.DestroySession{Session: session})
	}
	// The short delay has to be longer than a restart on a busy machine.
	const short, long = 10 * time.Second, time.Minute
	end("over", short)
	end("twice", short)
	end("long", long)
	time.Sleep(short + 500*time.Millisecond)
	p.Clock.Mono += short + 500*time.Millisecond
	end("twice", long)
	var sessions []string
	for range 3 {
		sessions = append(sessions, p.Do(consul.CreateSession{TTL: time.Hour}).(string))
	}
	server := p.server.Members[0]
	must.Do(t, server.Kill())
	if _, err := p.Served(consul.Get{Key: "over"}); err != ports.ErrConnection {
		t.Errorf("a dead server answers %v", err)
	}
	must.Do(t, server.Relaunch(t.Context()))
	// The delays start when the server leads, so the locks follow at once, with sessions made
	// before.
	p.Awaits(consul.Get{Key: "over"})
	p.Clock.Mono++
	p.model.LeaderRuns(p.Clock.Mono)
	p.model.Lead(p.Clock)
	lock := func() {
		for i, key := range []string{"over", "twice", "long"} {
			p.Do(consul.Acquire{Key: key, Session: sessions[i]})
		}
	}
	lock()
	time.Sleep(short + 500*time.Millisecond)
	p.Clock.Mono += short + 500*time.Millisecond
	lock()
}
