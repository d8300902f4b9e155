package real

import (
	"context"
	"time"
)

// lookAgain is the interval at which servers are asked whether they lead; none reports it by
// itself. answerTime bounds the wait for the answer, which a frozen server does not give.
const (
	lookAgain  = 20 * time.Millisecond
	answerTime = 10 * lookAgain
)

// followRole asks a server whether it leads, past all links, until the run ends. Whenever the answer
// changes, it calls changed with h.mu held. A server that does not answer keeps the role of its last
// answer: a leader that was frozen still calls itself the leader for a while when it continues, and
// has not been elected again.
func (g *group) followRole(m *member, leads func(context.Context) (bool, error), changed func(m *member, leads bool)) {
	for {
		select {
		case <-g.h.stop:
			return
		case <-time.After(lookAgain):
		}
		g.h.mu.Lock()
		up, life := m.up(), m.lives
		g.h.mu.Unlock()
		if !up {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), answerTime)
		is, err := leads(ctx)
		cancel()
		g.h.mu.Lock()
		if err == nil && is != m.leads && m.up() && m.lives == life && !g.h.stopped {
			m.leads = is
			changed(m, is)
		}
		g.h.mu.Unlock()
	}
}
