package real

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// A user's own program may keep its lock under any key: most libraries put a prefix before the
// name that they are given. The key that every acquisition has written is the entry; where no
// such key exists, or where the program's commands are not read, each release is in doubt
// (history.MayHaveRemoved).
//
// A program need not use its servers at all: a file lock, a mutex behind one GET and another
// server's address survive every fault. So each acquisition must have written an entry where the
// servers report their changes, and elsewhere must have sent a request that may write one: the
// heartbeats of a session do not count.

// step is an acquisition or a release that succeeded in the belief of a client.
type step struct {
	client   history.NodeID
	from, at history.Instant // of an acquisition, from is the release before it, or the first wait
	release  bool
	sent     bool // something went to the servers meanwhile, elsewhere than to Redis a possible change
}

// stepsOf returns the steps of a sorted list of events.
func stepsOf(entries []entry) (all []step) {
	type state struct {
		step
		changes int64
	}
	now := map[history.NodeID]*state{}
	before := map[history.NodeID]int64{} // changes that a client had sent at its previous event
	for i := range entries {
		e := &entries[i]
		s := now[e.Node]
		begins := e.Kind == history.Releasing
		switch {
		case s == nil && e.Kind != history.Waits && !begins:
			continue
		case e.Kind == history.Sent:
			s.sent = true
		case e.Kind == history.Acquired, e.Kind == history.Released:
			s.at, s.sent = e.At, s.sent || e.changes > s.changes
			all = append(all, s.step)
			begins = s.release
		case e.Kind == history.NotHeld, e.Kind == history.ReleaseFailed:
			begins = true
		case e.Kind == history.Crashed:
			delete(now, e.Node)
		}
		changes := e.changes
		if e.Kind == history.Releasing { // the release may have been sent before the event was recorded
			changes = before[e.Node]
		}
		before[e.Node] = max(before[e.Node], e.changes)
		if begins || s == nil {
			now[e.Node] = &state{step{client: e.Node, from: e.At, release: e.Kind == history.Releasing}, changes}
		}
	}
	return all
}

// ofProgram returns the events of the entries of a program's lock, from the servers' reports (reports,
// nil without complete ones), and notes in the header how far the entry was followed.
func (h *harness) ofProgram(reports *reconciler, entries []entry, leader history.NodeID, keeps bool) []entry {
	steps := stepsOf(entries)
	alone := func(s step) bool { return !s.sent }
	var out []entry
	h.header.Entry = history.Unfollowed
	if reports != nil {
		reports.forgetSetUp()
	}
	if reports != nil && reports.complete(entries) {
		reports.inOrder()
		key, wrote := reports.entryOf(steps)
		h.header.Keys = quoted(wrote)
		followed, ok := []entry(nil), false
		if reports.key = key; key != "" && reports.allHeard() {
			followed, ok = reports.follow(entries, leader, keeps)
		}
		if ok {
			h.header.Entry, out = history.Followed, followed
		}
		alone = func(s step) bool {
			if s.release {
				return !s.sent || hasEntry(out, s) && !reports.did(s, key, (*operation).changed)
			}
			return !s.sent || !reports.did(s, key, (*operation).wrote)
		}
	}
	if h.header.Entry == history.Unfollowed {
		out = doubtsOfReleases(entries)
	}
	h.noteAlone(steps, alone)
	return out
}

// noteAlone notes the first step that did not use the servers.
func (h *harness) noteAlone(steps []step, alone func(step) bool) {
	if i := slices.IndexFunc(steps, alone); i >= 0 {
		h.header.Alone, h.header.AloneAt = h.header.Nodes[steps[i].client-1].Name, steps[i].at
	}
}

// unreadProgram is ofProgram for a program whose commands are not parsed here.
func (h *harness) unreadProgram(entries []entry) []entry {
	h.noteAlone(stepsOf(entries), func(s step) bool { return !s.sent })
	if q, ok := h.store.(*quorum); ok && q.known {
		h.header.Entry = history.Owned
		return q.foreignRemovals(entries)
	}
	h.header.Entry = history.Unread
	var out []entry
	for _, e := range entries {
		if e.Kind == history.Released || e.Kind == history.ReleaseFailed {
			out = append(out, mayHaveRemoved(e.At, h.group.members[0].node, e.Node))
		}
	}
	return out
}

// doubtsOfReleases returns a doubt for each command of a release that may have removed an entry.
func doubtsOfReleases(entries []entry) []entry {
	d := deriver{}
	d.collect(entries, nil)
	d.commands = slices.DeleteFunc(d.commands, func(c *command) bool { return !c.releasing })
	d.doubts()
	return d.out
}

// hasEntry reports whether the client has an entry at the end of a step.
func hasEntry(out []entry, s step) bool {
	there := map[history.NodeID]bool{}
	for _, e := range out {
		if e.Owner != s.client || e.At > s.at {
			continue
		}
		switch e.Kind {
		case history.Granted:
			there[e.Node] = true
		case history.Removed, history.Expired, history.Forgotten:
			delete(there, e.Node)
		}
	}
	return len(there) > 0
}

// forgetSetUp drops the changes that programs made during set-up.
func (r *reconciler) forgetSetUp() {
	for _, o := range r.operations {
		if o.at < 0 {
			o.changes = nil
		}
	}
}

// plain are the events that make one holder's entry: a string or a hash. All clients share a
// counter, a queue or a set.
var plain = map[string]bool{"set": true, "hset": true, "hincrby": true}

// sorted are events of a sorted set, which is an entry if it bears the name of the lock: Symfony's
// is one, with one member. Others are queues.
var sorted = map[string]bool{"zadd": true, "zrem": true, "zremrangebyscore": true}

// makes reports whether a change makes or overwrites an entry.
func (c *change) makes() bool {
	return c.event != expired && c.event != removed && c.event != renewed && !quiet[c.event]
}

// wrote reports whether an operation has written a key; "" stands for any.
func (o *operation) wrote(key string) bool {
	return slices.ContainsFunc(o.changes, func(c change) bool { return (key == "" || c.key == key) && c.makes() })
}

// changed reports whether an operation has written or removed a key; "" stands for any.
func (o *operation) changed(key string) bool {
	return slices.ContainsFunc(o.changes, func(c change) bool { return (key == "" || c.key == key) && c.event != expired })
}

// did reports whether an operation of the client during a step acted on a key.
func (r *reconciler) did(s step, key string, what func(*operation, string) bool) bool {
	return slices.ContainsFunc(r.operations, func(o *operation) bool {
		return o.at >= s.from && o.at <= s.at && o.by != nil && o.by.client == s.client && what(o, key)
	})
}

// freed reports whether a client has ever given up a key. If there is a key with the name of the
// lock, another key that is never given up is no entry: no release can remove it.
func (r *reconciler) freed(steps []step, key string) bool {
	gives := func(o *operation) bool {
		return o.by != nil && slices.ContainsFunc(o.changes, func(c change) bool { return c.key == key && c.event == removed })
	}
	changes := func(s step) bool { return s.release && r.did(s, key, (*operation).changed) }
	return slices.ContainsFunc(r.operations, gives) || slices.ContainsFunc(steps, changes)
}

// entryOf returns the key of the lock's entry, "" when it is ambiguous, and the keys that
// acquisitions have written, sorted.
func (r *reconciler) entryOf(steps []step) (key string, wrote []string) {
	acquired := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.release })
	if len(acquired) == 0 {
		return locks.Key, nil
	}
	acquired = slices.DeleteFunc(acquired, func(s step) bool { return !r.did(s, "", (*operation).wrote) })
	simple := map[string]bool{}
	for _, o := range r.operations {
		for _, c := range o.changes {
			if was, seen := simple[c.key]; c.makes() {
				simple[c.key] = (plain[c.event] || c.key == locks.Key && sorted[c.event]) && (was || !seen)
			}
		}
	}
	var fit []string
	for name := range simple { // order: sorted below
		by := func(s step) bool { return r.did(s, name, (*operation).wrote) }
		if !slices.ContainsFunc(acquired, by) {
			continue
		}
		wrote = append(wrote, name)
		if simple[name] && !slices.ContainsFunc(acquired, func(s step) bool { return !by(s) }) {
			fit = append(fit, name)
		}
	}
	if slices.Contains(fit, locks.Key) {
		fit = slices.DeleteFunc(fit, func(name string) bool { return name != locks.Key && !r.freed(steps, name) })
	}
	if len(fit) == 1 {
		return fit[0], fit
	}
	slices.Sort(wrote)
	return "", wrote
}

// quoted lists the first keys for people to read.
func quoted(keys []string) string {
	const most = 5
	var out []string
	for _, key := range keys[:min(len(keys), most)] {
		out = append(out, strconv.Quote(key[:min(len(key), 80)]))
	}
	if len(keys) > most {
		out = append(out, "...")
	}
	return strings.Join(out, ", ")
}
