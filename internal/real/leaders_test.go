package real

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
)

// A leader that does not answer, or that was frozen and still calls itself the leader, has not been
// elected again; one that has died and leads when it is back has.
func TestOnlyAChangedAnswerIsANewLeader(t *testing.T) {
	h := &harness{stop: make(chan struct{})}
	q := &quorum{group: &group{h: h}}
	m := &member{name: "zk-1", leads: true}
	var answer, asked, changes atomic.Int64 // answer: 0: none, 1: it follows, 2: it leads
	answer.Store(2)
	h.background.Go(func() {
		q.followRole(m, lookAgain, func(context.Context) (bool, error) {
			defer asked.Add(1)
			if answer.Load() == 0 {
				return false, errors.New("no answer")
			}
			return answer.Load() == 2, nil
		}, func(_ *member, leads bool) {
			if leads {
				changes.Add(1)
			}
		})
	})
	look := func(want int64, what string) {
		t.Helper()
		before := asked.Load()
		if !realtest.Soon(5*time.Second, func() bool { return asked.Load() > before+2 }) {
			t.Fatal("it is not asked")
		}
		must.Equalf(t, changes.Load(), want, "%s: elected", what)
	}
	set := func(change func()) {
		h.mu.Lock()
		defer h.mu.Unlock()
		change()
	}
	look(0, "it leads from the beginning")
	answer.Store(0)
	look(0, "it does not answer")
	answer.Store(2)
	look(0, "it answers again")
	set(func() { m.frozen = true })
	before := asked.Load()
	time.Sleep(5 * lookAgain)
	if asked.Load() > before+1 {
		t.Error("it is asked while it is frozen")
	}
	set(func() { m.frozen = false })
	look(0, "it was frozen")
	set(func() { m.dead = true; q.died(m) })
	set(func() { m.dead, m.lives = false, 1 })
	look(1, "it leads after its death")
	answer.Store(1)
	look(1, "it follows")
	answer.Store(2)
	look(2, "it leads again")
	close(h.stop)
	h.background.Wait()
}
