package real

import (
	"cmp"
	"slices"
	"sync"

	"lockstep/internal/history"
)

// entry is an event before it is part of the history, with the data that identify its cause.
type entry struct {
	history.Event
	text    string
	call    int64          // number of the command, counted by its client; 0 for none
	task    string         // that sent the command; "" for the business task
	op      history.Op     // of a request
	answer  history.Answer // of a reply
	broken  bool           // of a command: its connection ended before an answer came
	words   string         // of a command of Redis, as MONITOR shows it, see resp.Words
	read    int            // number of the read, for events of the resource; 0 for none
	changes int64          // requests that may change an entry, which a program had sent to other stores than Redis
	server  history.NodeID // that the command goes to
	empty   bool           // of a restart: the server has lost all entries
}

// journal collects the events of all processes. They arrive late and out of
// order, each with its true time, and are sorted at the end.
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

// record adds an event of the harness that happens now.
func (h *harness) record(e history.Event, text string) {
	h.recordAt(h.now(), entry{Event: e, text: text})
}

// recordAt adds an event of the harness that happened at a time.
func (h *harness) recordAt(at history.Instant, e entry) {
	e.At = at
	if e.Node != 0 && h.header.Nodes[e.Node-1].Role != history.RoleResource {
		clock := h.clocks.of(h.header.Nodes[e.Node-1].Name)
		e.Clock = int64(clock.Wall(e.At.Duration()))
	}
	h.journal.add(e)
}

// history makes the history of the run until the end: in order of true time, with
// the servers' names, the events of the servers' entries, and the causes.
func (h *harness) history(end history.Instant) *history.History {
	h.journal.mu.Lock()
	defer h.journal.mu.Unlock()
	entries := slices.DeleteFunc(slices.Clone(h.journal.entries), func(e entry) bool { return e.At > end })
	nameServers(entries)
	inOrder(entries)
	switch {
	case derivable(&h.variant):
		entries = append(entries, h.store.derive(entries)...)
	case h.variant.Program != nil:
		entries = append(entries, h.unreadProgram(entries)...)
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

// inOrder sorts by true time; ties keep the order of arrival.
func inOrder(entries []entry) {
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.At, b.At) })
}

// nameServers sets the servers of requests and replies.
func nameServers(entries []entry) {
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case history.Sent, history.Replied, history.TimedOut:
			e.Peer, e.Value = e.server, e.call
		}
	}
}

// callID identifies a command of a client.
type callID struct {
	client history.NodeID
	call   int64
}

// addCauses sets the cause of each event. A reply has its request as the cause, since the
// execution of a command is not visible from outside, and a change of an entry has the
// command that made it.
func addCauses(entries []entry) {
	sent := map[callID]int32{}
	reads := map[int]int32{}
	began := map[int64]int32{}
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case history.Sent:
			sent[callID{e.Node, e.call}] = int32(i)
		case history.Replied, history.TimedOut, history.RequestDropped:
			e.Cause = causeIn(sent, callID{e.Node, e.call})
		case history.ReplyDropped, history.Granted, history.Extended, history.Removed, history.MayHaveRemoved:
			e.Cause = causeIn(sent, callID{e.Peer, e.call})
		case history.ReadDone:
			reads[e.read] = int32(i)
		case history.WriteAccepted:
			e.Cause = causeIn(reads, e.read)
		case history.FaultBegan:
			began[e.Event.Value] = int32(i)
		case history.FaultEnded, history.Froze, history.Thawed, history.Crashed, history.Restarted, history.Promoted:
			e.Cause = causeIn(began, e.Event.Value)
		}
	}
}

func causeIn[K comparable](causes map[K]int32, key K) int32 {
	if i, ok := causes[key]; ok {
		return i
	}
	return history.NoCause
}
