//go:build linux

package consul

import (
	"errors"
	"testing"
	"time"
)

// A server that is started again begins all lock delays anew, those that were over as well, and of several
// of one key the shortest counts.
func TestRealConsulAgreesOnARestart(t *testing.T) {
	p := newPair(t, time.Second, 4)
	end := func(key string, delay time.Duration) {
		session := p.exec(CreateSession{TTL: time.Hour, LockDelay: delay}).(string)
		p.exec(Acquire{Key: key, Session: session})
		p.exec(DestroySession{Session: session})
	}
	// A busy machine may take seconds until the server leads and has answered: the short delay has to last longer.
	const short, long = 10 * time.Second, time.Minute
	end("over", short)
	end("twice", short)
	end("long", long)
	time.Sleep(short + 500*time.Millisecond)
	p.now.Mono += short + 500*time.Millisecond
	end("twice", long)
	var sessions []string
	for range 3 {
		sessions = append(sessions, p.exec(CreateSession{TTL: time.Hour}).(string))
	}
	if err := errors.Join(p.real.process.Kill(), p.real.process.Relaunch(t.Context())); err != nil {
		t.Fatal(err)
	}
	// Its delays begin when it leads, so nothing stands between that and the locks: the sessions are older.
	for try := 0; ; try++ {
		if _, err := p.real.exec(Get{Key: "over"}); err == nil {
			break
		} else if try > 1000 {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.now.Mono++
	p.model.LeaderRuns(p.now.Mono)
	p.model.Lead(p.now)
	lock := func() {
		for i, key := range []string{"over", "twice", "long"} {
			p.exec(Acquire{Key: key, Session: sessions[i]})
		}
	}
	lock()
	time.Sleep(short + 500*time.Millisecond)
	p.now.Mono += short + 500*time.Millisecond
	lock()
}
