package real

import (
	"context"
	"time"
)

// Servers do not report that they lead, so they are asked, at these intervals: clients of Redis are
// told of a new primary at once, and may have its lock before the harness knows it. answerTime
// bounds the wait for the answer, which a frozen server does not give.
const (
	lookAgain      = 20 * time.Millisecond
	lookAgainRedis = 5 * time.Millisecond
	answerTime     = 10 * lookAgain
)

// followRole asks a server at an interval whether it leads, past all links, until the run ends.
// Whenever the answer changes, it calls changed with h.mu held. A server that does not answer keeps
// the role of its last answer: a leader that was frozen still calls itself the leader for a while
// when it continues, and has not been elected again.
func (g *group) followRole(m *member, every time.Duration, leads func(context.Context) (bool, error), changed func(m *member, leads bool)) {
	for {
		select {
		case <-g.h.stop:
			return
		case <-time.After(every):
		}
		g.h.mu.Lock()
		up, life, freezes := m.up(), m.lives, m.freezes
		g.h.mu.Unlock()
		if !up {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), answerTime)
		is, err := leads(ctx)
		cancel()
		g.h.mu.Lock()
		if err == nil && is != m.leads && m.up() && m.lives == life && m.freezes == freezes && !g.h.stopped {
			m.leads = is
			changed(m, is)
		}
		g.h.mu.Unlock()
	}
}
