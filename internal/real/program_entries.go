package real

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// A user's own program shows which entry is its lock's by what it writes: most libraries put a prefix
// before the name that they are given. The key that
// each acquisition has written is the entry; where there is no such key, or where what the program
// sends is not read, each release is in doubt (history.MayHaveRemoved).
//
// And a program need not use its servers at all: a file lock, a mutex behind one GET and another
// server's address survive every fault of ours. So each acquisition must have sent something, and
// written an entry where the servers tell what was written.

// step is an acquisition that a client believes in, or a release that it takes for done.
type step struct {
	client   history.NodeID
	from, at history.Instant // of an acquisition, from is the release before it, or the first wait
	release  bool
	sent     bool // something went to the servers meanwhile
}

// stepsOf reads those of a sorted list of events.
func stepsOf(entries []entry) (all []step) {
	type state struct {
		step
		carried int64
	}
	now := map[history.NodeID]*state{}
	before := map[history.NodeID]int64{} // what a client had sent at its event before
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
			s.at, s.sent = e.At, s.sent || e.carried > s.carried
			all = append(all, s.step)
			begins = s.release
		case e.Kind == history.NotHeld, e.Kind == history.ReleaseFailed:
			begins = true
		case e.Kind == history.Crashed:
			delete(now, e.Node)
		}
		carried := e.carried
		if e.Kind == history.Releasing { // it may have sent the release before this event was noted
			carried = before[e.Node]
		}
		before[e.Node] = max(before[e.Node], e.carried)
		if begins || s == nil {
			now[e.Node] = &state{step{client: e.Node, from: e.At, release: e.Kind == history.Releasing}, carried}
		}
	}
	return all
}

// ofProgram returns what became of the entries of a program's lock, as far as the servers have told
// (told is nil when they have not), and notes how well it was followed.
func (h *harness) ofProgram(told *reconciler, entries []entry, leader history.NodeID, keeps bool) []entry {
	steps := stepsOf(entries)
	alone := func(s step) bool { return !s.sent }
	var out []entry
	h.header.Entry = history.Unfollowed
	if told != nil {
		told.forgetSetUp()
	}
	if told != nil && told.complete(entries) {
		told.inOrder()
		key, wrote := told.entryOf(steps)
		h.header.Keys = quoted(wrote)
		followed, ok := []entry(nil), false
		if told.key = key; key != "" && told.allHeard() {
			followed, ok = told.follow(entries, leader, keeps)
		}
		if ok {
			h.header.Entry, out = history.Followed, followed
		}
		alone = func(s step) bool {
			if s.release {
				return !s.sent || hasEntry(out, s) && !told.did(s, key, (*operation).changed)
			}
			return !s.sent || !told.did(s, key, (*operation).wrote)
		}
	}
	if h.header.Entry == history.Unfollowed {
		out = doubtsOfReleases(entries)
	}
	h.noteAlone(steps, alone)
	return out
}

// noteAlone notes the first step that did without the servers.
func (h *harness) noteAlone(steps []step, alone func(step) bool) {
	if i := slices.IndexFunc(steps, alone); i >= 0 {
		h.header.Alone, h.header.AloneAt = h.header.Nodes[steps[i].client-1].Name, steps[i].at
	}
}

// unreadProgram is ofProgram where what the program sends is not read. onlyOwn: the servers' own logs
// show that no client has removed another client's entry.
func (h *harness) unreadProgram(entries []entry, onlyOwn bool) []entry {
	h.noteAlone(stepsOf(entries), func(s step) bool { return !s.sent })
	if h.header.Entry = history.Unread; onlyOwn {
		h.header.Entry = history.Followed
		return nil
	}
	var out []entry
	for _, e := range entries {
		if e.Kind == history.Released || e.Kind == history.ReleaseFailed {
			out = append(out, entry{
				Event: history.Event{
					At: e.At, Kind: history.MayHaveRemoved, Node: h.group.members[0].node, Peer: e.Node, Cause: history.NoCause,
				},
				text: locks.Key,
			})
		}
	}
	return out
}

// doubtsOfReleases has a doubt for each command of a release that may have removed an entry.
func doubtsOfReleases(entries []entry) []entry {
	d := deriver{}
	d.collect(entries, nil)
	d.commands = slices.DeleteFunc(d.commands, func(c *command) bool { return !c.releasing })
	d.doubts()
	return d.out
}

// hasEntry reports whether an entry of the client is there at the end of a step.
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

// forgetSetUp leaves out what programs have written while they made themselves ready.
func (r *reconciler) forgetSetUp() {
	for _, o := range r.operations {
		if o.at < 0 {
			o.changes = nil
		}
	}
}

// plain are the events by which one holder's entry is made: of a text, or of a hash. A counter, a queue or a
// set is shared by all clients.
var plain = map[string]bool{"set": true, "hset": true, "hincrby": true}

// makes reports whether a change makes an entry, or puts something in its place.
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

// did reports whether an operation of the client did something with a key in the course of a step.
func (r *reconciler) did(s step, key string, what func(*operation, string) bool) bool {
	return slices.ContainsFunc(r.operations, func(o *operation) bool {
		return o.at >= s.from && o.at <= s.at && o.by != nil && o.by.client == s.client && what(o, key)
	})
}

// entryOf returns the key that is the entry of the lock, "" when that cannot be told, and the keys that
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
				simple[c.key] = plain[c.event] && (was || !seen)
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
	slices.Sort(wrote)
	switch {
	case slices.Contains(wrote, locks.Key):
		return locks.Key, []string{locks.Key}
	case len(fit) == 1:
		return fit[0], fit
	}
	return "", wrote
}

// quoted are keys as people read them; some are enough.
func quoted(keys []string) string {
	const enough = 5
	var out []string
	for i, key := range keys {
		if i == enough {
			out = append(out, "...")
			break
		}
		out = append(out, strconv.Quote(key[:min(len(key), 80)]))
	}
	return strings.Join(out, ", ")
}
