package explain

import (
	"fmt"
	"time"

	"lockstep/internal/history"
)

// The templates of faults and processes.

// faultBegan is told only when the fault leaves no event of its own that says
// more: a pause is told by the freeze, a crash by the crash.
func faultBegan(t *teller, i int32, e *history.Event) string {
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At == e.At; j++ {
		switch n := &t.h.Events[j]; n.Kind {
		case history.Froze, history.Crashed, history.Restarted, history.ClockChanged, history.Promoted:
			if n.Value == e.Value || n.Kind == history.ClockChanged {
				return ""
			}
		}
	}
	if t.verb(e.Value) == "drop" {
		t.drops = append(t.drops, e.Value)
		return "" // told at the message that it loses
	}
	if text := t.faultText(e); text != "" {
		return fmt.Sprintf("Fault %d begins: %s.", e.Value, text)
	}
	return fmt.Sprintf("Fault %d begins.", e.Value)
}

// faultEnded is told only for faults without an event of their own.
func faultEnded(t *teller, _ int32, e *history.Event) string {
	switch t.verb(e.Value) {
	case "", "pause", "drop", "crash", "lose-host", "fail-over":
		return ""
	case "partition", "cut":
		return fmt.Sprintf("The links work again (fault %d); what they held back arrives now.", e.Value)
	}
	return fmt.Sprintf("Fault %d is over.", e.Value)
}

func froze(t *teller, i int32, e *history.Event) string {
	length := ""
	for j := int(i) + 1; j < len(t.h.Events); j++ {
		if n := &t.h.Events[j]; n.Kind == history.Thawed && n.Node == e.Node {
			length = " for " + span(n.At.Sub(e.At))
			break
		}
	}
	return t.subject(e.Node) + " freezes" + length + t.between(i, e) + byFault(e.Value) + "."
}

// between says between which two commands a client freezes, when it does so in
// the middle of an acquisition or a release: that gap is then the story.
func (t *teller) between(i int32, e *history.Event) string {
	c := t.client(e.Node)
	last := t.cause(c.lastWire)
	if !(c.waits || c.releasing) || last == nil || last.At != e.At {
		return ""
	}
	before := t.command(c.lastWire)
	for j := int(i) + 1; j < len(t.h.Events); j++ {
		n := &t.h.Events[j]
		if n.Node != e.Node {
			continue
		}
		if n.Kind == history.Sent {
			if after := commandName(t.h.Text(n.Text)); before != "" && after != "" {
				return " between " + before + " and " + after
			}
			return ""
		}
		if n.Kind != history.Thawed && n.Kind != history.Replied && n.Kind != history.FaultEnded {
			return ""
		}
	}
	return ""
}

// thawed is told together with the write when that follows at once.
func thawed(t *teller, i int32, e *history.Event) string {
	limit := e.At.Add(together)
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At <= limit; j++ {
		switch n := &t.h.Events[j]; n.Kind {
		case history.WriteAccepted, history.WriteRefused:
			if n.Peer == e.Node {
				return ""
			}
		}
	}
	if t.client(e.Node).believes {
		return t.subject(e.Node) + " wakes. It does not know that time has passed."
	}
	return t.subject(e.Node) + " wakes."
}

func crashed(t *teller, i int32, e *history.Event) string {
	text := t.subject(e.Node) + " crashes" + byFault(e.Value) + "."
	if t.verb(e.Value) == "lose-host" {
		text = t.subject(e.Node) + " is lost with its host" + byFault(e.Value) + ". Nobody closes its connections."
	}
	if t.h.Role(e.Node) == history.RoleStore {
		list := t.entries[t.place(e.Node)]
		if t.inCluster(e.Node) {
			return text + " The others have what it had."
		}
		if len(list) == 0 || t.stores < 2 {
			return text
		}
		if owner := list[0].owner; list[0].replicated {
			text += fmt.Sprintf(" A replica has %s's entry, too.", t.object(owner))
		} else if t.anyStandby() {
			text += fmt.Sprintf(" No replica has %s's entry yet.", t.object(owner))
		}
		return text
	}
	switch held := t.held(e.Node); {
	case held == nil, held.end == 0 && t.endsSoon(i, e.Node):
		return text
	case held.end == 0:
		return text + " Its entry stays: it has no end."
	default:
		return text + fmt.Sprintf(" Its entry stays until %s.", held.end)
	}
}

// endsSoon reports whether the session of a client ends right after its crash, and its entry
// with it.
func (t *teller) endsSoon(i int32, owner history.NodeID) bool {
	limit := t.h.Events[i].At.Add(together)
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At <= limit; j++ {
		if e := &t.h.Events[j]; e.Kind == history.Expired && e.Owner == owner {
			return true
		}
	}
	return false
}

func (t *teller) anyStandby() bool {
	for _, s := range t.standby {
		if s {
			return true
		}
	}
	return false
}

// restarted says what the server forgot meanwhile.
func restarted(t *teller, i int32, e *history.Event) string {
	text := t.subject(e.Node) + " restarts" + byFault(e.Value)
	var owners []history.NodeID
	for j := int(i) - 1; j >= 0 && t.h.Events[j].At == e.At; j-- {
		if n := &t.h.Events[j]; n.Kind == history.Forgotten && n.Node == e.Node {
			owners = append(owners, n.Owner)
		}
	}
	switch {
	case len(owners) == 0 && t.h.Role(e.Node) == history.RoleClient:
		return text + " and begins anew."
	case len(owners) == 0 || len(owners) > 4:
		return text + "."
	case t.client(owners[0]).believes:
		return text + fmt.Sprintf(" without %s's entry. Nobody tells %s.", t.names(owners), t.names(owners))
	}
	return text + fmt.Sprintf(" without %s's entry.", t.names(owners))
}

// promoted says what the new primary knows about the clients that believe, and
// whether the old one still runs.
func promoted(t *teller, _ int32, e *history.Event) string {
	if t.inCluster(e.Node) {
		return t.subject(e.Node) + " becomes the leader" + byFault(e.Value) + ". It has what the leader before it had."
	}
	if t.ofAnotherShard(e) {
		return t.subject(e.Node) + " becomes the primary of another shard, in place of " + t.name(e.Peer) + byFault(e.Value) + "."
	}
	text := t.subject(e.Node) + " becomes the primary" + byFault(e.Value)
	if old := t.node(e.Peer); old != 0 && !t.down[old] && !t.frozen[old] {
		text += ", although " + t.name(e.Peer) + " is still running"
	}
	text += "."
	var missing []history.NodeID
	for id := range t.clients {
		if t.clients[id].believes && !t.knows(e.Node, history.NodeID(id), e.At) {
			missing = append(missing, history.NodeID(id))
		}
	}
	if !t.grants || len(missing) == 0 || len(missing) > 4 {
		return text
	}
	return text + fmt.Sprintf(" It has no entry of %s.", t.names(missing))
}

func demoted(t *teller, _ int32, e *history.Event) string {
	return fmt.Sprintf("%s becomes a replica of %s and forgets what only it knew.", t.subject(e.Node), t.name(e.Peer))
}

// knows reports whether a server has a live entry of an owner.
func (t *teller) knows(server, owner history.NodeID, at history.Instant) bool {
	for _, held := range t.entries[t.place(server)] {
		if held.owner == owner && (held.end == 0 || held.end > at) {
			return true
		}
	}
	return false
}

func clockChanged(t *teller, _ int32, e *history.Event) string {
	direction, by := "forward", time.Duration(e.Value)
	if by < 0 {
		direction, by = "back", -by
	}
	return fmt.Sprintf("%s's wall clock jumps %s by %s.", t.subject(e.Node), direction, span(by))
}

// healed opens the final quiet period, which matters to a lock that is stuck.
func healed(t *teller, _ int32, _ *history.Event) string {
	if !t.progress {
		return ""
	}
	return "All faults are over. The lock should become free within ten leases."
}
