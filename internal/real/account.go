package real

import (
	"context"
	"slices"
	"sync"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/witness"
)

// A Redis server tells what it executes and what becomes of the entry (package
// witness). An account is made of that: who made, renewed and removed which entry,
// and when its time was up. It is exact where deriveGrants can only conclude, and it
// is either complete or not used at all. It is incomplete when
//
//   - the server is too old to tell, or could not be listened to all the time;
//   - a client had an answer to a command that the server was not heard to execute;
//   - it cannot be told whose connection it was that made or removed an entry;
//   - what the server tells does not fit what it has told before.
//
// A line of MONITOR names a connection, not a client. Whose it is follows from what
// goes over it: a connection belongs to the one client that has sent all of its
// commands, each before the server executed it and none after its reply.

// witnesses are those of the servers of a run: one for each life of each server.
type witnesses struct {
	mu    sync.Mutex
	lives map[history.NodeID][]*witness.Witness
	deaf  bool // some server could not be heard, at least for a while
	whole bool // all that was done has been heard
}

// hear begins to listen to a server that has been started. That a server cannot be
// heard is no reason to stop: less is known of the run then.
func (r *anyRedis) hear(ctx context.Context, m *member) {
	keys := locks.Key
	if r.h.variant.Program != nil {
		keys = witness.AllKeys // its entry is wherever it writes
	}
	w, err := witness.Listen(ctx, m.addr, keys)
	r.heard.mu.Lock()
	defer r.heard.mu.Unlock()
	if err != nil {
		r.heard.deaf = true
		return
	}
	if r.heard.lives == nil {
		r.heard.lives = map[history.NodeID][]*witness.Witness{}
	}
	r.heard.lives[m.node] = append(r.heard.lives[m.node], w)
	r.h.background.Go(func() {
		select {
		case <-w.Done():
		case <-r.h.stop:
			_ = w.Close() // what is said from now on is of no use
		}
	})
}

// settleTime bounds how long the servers may take to tell the last that they did.
const settleTime = 2 * time.Second

// settle implements store: it waits until all that the servers did has been heard.
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

// account returns what the servers have told of their entries; false when that is not
// complete: of a program's lock what follows all the same. leader is the server that the others follow
// at the beginning, 0 for none.
func (r *anyRedis) account(entries []entry, leader history.NodeID, persistence string) ([]entry, bool) {
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
				items, slack = byArrival(items), slackOfArrival // what its own clock shows is of no use
			}
			a.hear(m.node, items, time.Duration(r.h.zero.Load()), slack)
		}
	}
	keeps := r.fsync(persistence) != ""
	if program {
		return r.h.ofProgram(a, entries, leader, keeps), true
	}
	return a.balance(entries, leader, keeps)
}

// byArrival puts the time at which a command was heard of in the place of the time at
// which it was executed.
func byArrival(items []witness.Item) []witness.Item {
	out := slices.Clone(items)
	for i := range out {
		out[i].At = out[i].Read
	}
	return out
}
