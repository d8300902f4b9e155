package real

import (
	"context"
	"slices"
	"sync"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/monitor"
)

// A Redis server reports each command it executes and each change to the entry (package
// monitor). The account built from these reports says which client made, renewed and removed
// which entry, and when an entry expired. It is exact where deriveGrants can only infer,
// and is either complete or not used at all. It is incomplete when
//
//   - the server is too old to report, or the monitor missed a part;
//   - a client had an answer to a command that no report mentions;
//   - the client behind a connection that made or removed an entry is ambiguous;
//   - a report contradicts an earlier one.
//
// A line of MONITOR names a connection, not a client. The traffic identifies the client:
// a connection belongs to the one client that sent all of its commands, each before the
// server executed it and none after its reply.

// monitors holds a monitor for each life of each server of a run.
type monitors struct {
	mu    sync.Mutex
	lives map[history.NodeID][]*monitor.Monitor
	deaf  bool // some reports were missed
	whole bool // the reports cover the whole run
}

// hear starts to listen to a server that is running. A failure does not stop the run:
// its history then has only inferred entries.
func (r *anyRedis) hear(ctx context.Context, m *member) {
	keys := locks.Key
	if r.h.variant.Program != nil {
		keys = monitor.AllKeys // a program may write its entry anywhere
	}
	w, err := monitor.Listen(ctx, m.addr, keys)
	r.heard.mu.Lock()
	defer r.heard.mu.Unlock()
	if err != nil {
		r.heard.deaf = true
		return
	}
	if r.heard.lives == nil {
		r.heard.lives = map[history.NodeID][]*monitor.Monitor{}
	}
	r.heard.lives[m.node] = append(r.heard.lives[m.node], w)
	r.h.background.Go(func() {
		select {
		case <-w.Done():
		case <-r.h.stop:
			_ = w.Close() // later reports are not used
		}
	})
}

// settleTime bounds the wait for the servers' last reports.
const settleTime = 2 * time.Second

// settle implements store: it waits until the servers have reported all they did.
func (r *anyRedis) settle() {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	r.heard.mu.Lock()
	defer r.heard.mu.Unlock()
	for _, m := range r.members {
		lives := r.heard.lives[m.node]
		if len(lives) > 0 && m.up() && lives[len(lives)-1].Settle(ctx) != nil {
			r.heard.deaf = true
		}
	}
	r.heard.whole = true
}

// account returns the events of the servers' entries, and whether the account is complete; for
// a program's lock it is always used.
func (r *anyRedis) account(entries []entry) ([]entry, bool) {
	var leader history.NodeID // that the others follow at the beginning
	if r.first != nil {
		leader = r.first.node
	}
	r.heard.mu.Lock()
	defer r.heard.mu.Unlock()
	program := r.h.variant.Program != nil
	if r.heard.deaf || !r.heard.whole {
		if program {
			return r.h.ofProgram(nil, entries, leader, false), true
		}
		return nil, false
	}
	a := newReconciler(entries, r.evictions, r.h.lease())
	for _, m := range r.members {
		for _, w := range r.heard.lives[m.node] {
			items, slack := w.Items(), slackOfStamps
			if touchesClock(r.h.plan, m.name) {
				items, slack = byArrival(items), slackOfArrival // its own clock is wrong
			}
			a.hear(m.node, items, time.Duration(r.h.zero.Load()), slack)
		}
	}
	keeps := !r.forgets()
	if program {
		return r.h.ofProgram(a, entries, leader, keeps), true
	}
	return a.balance(entries, leader, keeps)
}

// byArrival replaces the time of execution of each command by the time of arrival of its report.
func byArrival(items []monitor.Item) []monitor.Item {
	out := slices.Clone(items)
	for i := range out {
		out[i].At = out[i].Read
	}
	return out
}
