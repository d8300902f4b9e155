package real

import (
	"sort"
	"sync"

	"lockstep/internal/history"
)

// entry is an event on its way into the history, with what is needed to find
// its cause.
type entry struct {
	history.Event
	text    string
	call    int64          // number of the command, counted by its client; 0 for none
	task    string         // that sent the command; "" for the business task
	op      history.Op     // of a request
	answer  history.Answer // of a reply
	broken  bool           // of a command: its connection ended before an answer came
	words   string         // of a command of Redis, as its server tells it, see resp.Words
	read    int            // number of the read, for events of the resource; 0 for none
	carried int64          // how many bytes the client had sent, where they are not parsed
	server  history.NodeID // that the command goes to
	empty   bool           // of a restart: the server has forgotten everything
}

// journal collects the events of all processes. They come in late and out of
// order, each with its true time; only at the end they are sorted.
type journal struct {
	mu      sync.Mutex
	entries []entry
}

func (j *journal) add(e entry) {
	e.Cause = history.NoCause
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
}

// record adds an event that happens now and that the harness itself has seen.
func (h *harness) record(e history.Event, text string) {
	h.recordAt(h.now(), entry{Event: e, text: text})
}

// recordAt adds an event that has happened at a time.
func (h *harness) recordAt(at history.Instant, e entry) {
	e.At = at
	if e.Node != 0 && h.header.Nodes[e.Node-1].Role != history.RoleResource {
		clock := h.clocks.of(h.header.Nodes[e.Node-1].Name)
		e.Clock = int64(clock.Wall(e.At.Duration()))
	}
	h.journal.add(e)
}

// history makes the history of all that happened until the end: in order of
// true time, with the servers' names, the grants that follow from what the
// clients saw, and the causes.
func (h *harness) history(end history.Instant) *history.History {
	h.journal.mu.Lock()
	defer h.journal.mu.Unlock()
	var entries []entry
	for _, e := range h.journal.entries {
		if e.At <= end {
			entries = append(entries, e)
		}
	}
	nameServers(entries)
	inOrder(entries)
	switch {
	case derivable(&h.variant):
		entries = append(entries, h.store.derive(entries)...)
	case h.variant.Program != nil:
		q, ok := h.store.(*quorum)
		entries = append(entries, h.unreadProgram(entries, ok && q.onlyOwn)...)
	}
	inOrder(entries)
	addCauses(entries)
	out := history.New(h.header)
	for _, e := range entries {
		e.Event.Text = out.Intern(e.text)
		switch e.Kind {
		case history.Sent:
			out.SetOp(e.Event.Text, e.op)
		case history.Replied:
			out.SetAnswer(e.Event.Text, e.answer)
		}
		out.Add(e.Event)
	}
	out.Whole = true
	return out
}

// inOrder sorts by true time; ties stay as they came in.
func inOrder(entries []entry) {
	sort.SliceStable(entries, func(i, k int) bool { return entries[i].At < entries[k].At })
}

// nameServers fills in the other end of the events of the wire.
func nameServers(entries []entry) {
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case history.Sent, history.Replied, history.TimedOut:
			e.Peer, e.Value = e.server, e.call
		}
	}
}

// wire names a command of a client.
type wire struct {
	client history.NodeID
	call   int64
}

// addCauses fills in the causes: the event that brought each event about.
//
// The execution of a command cannot be seen from outside, so a reply's cause is
// the request, and what a server did is traced to the command that made it.
func addCauses(entries []entry) {
	sent := map[wire]int32{}
	reads := map[int]int32{}
	began := map[int64]int32{}
	cause := func(m map[wire]int32, k wire) int32 {
		if i, ok := m[k]; ok {
			return i
		}
		return history.NoCause
	}
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case history.Sent:
			sent[wire{e.Node, e.call}] = int32(i)
		case history.Replied, history.TimedOut, history.RequestDropped:
			e.Cause = cause(sent, wire{e.Node, e.call})
		case history.ReplyDropped, history.Granted, history.Extended, history.Removed, history.MayHaveRemoved:
			e.Cause = cause(sent, wire{e.Peer, e.call})
		case history.ReadDone:
			reads[e.read] = int32(i)
		case history.WriteAccepted:
			if r, ok := reads[e.read]; ok {
				e.Cause = r
			}
		case history.FaultBegan:
			began[e.Event.Value] = int32(i)
		case history.FaultEnded, history.Froze, history.Thawed, history.Crashed, history.Restarted, history.Promoted:
			if b, ok := began[e.Event.Value]; ok {
				e.Cause = b
			}
		}
	}
}
