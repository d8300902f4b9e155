package diagram

import (
	"fmt"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// round is a command that a client sends to several servers, with their replies: one row and one
// label. Each message still has its own line, with its text as a tooltip.
type round struct {
	rows    int            // number of its rows
	sent    []int32        // the requests
	replies []string       // in the order of the requests
	far     history.NodeID // the server whose line carries the label
}

const (
	leastRound = 3  // servers
	roundPitch = 24 // from the client to the servers, and back
)

// findRounds finds the rounds among the rows. A round contains nothing else: no step, no lost or
// late message, no other client.
func (l *Layout) findRounds() {
	l.rounds = map[int32]*round{}
	for k := 0; k < len(l.Rows); k++ {
		if r := l.roundAt(k); r != nil {
			for _, i := range l.Rows[k : k+r.rows] {
				l.rounds[i] = r
			}
			k += r.rows - 1
		}
	}
}

// roundAt returns the longest round that begins with a row, or nil.
func (l *Layout) roundAt(k int) *round {
	first := &l.h.Events[l.Rows[k]]
	if first.Kind != history.Sent {
		return nil
	}
	r, whole := &round{}, 0
	asked := map[history.NodeID]bool{}
	executed, replied := map[int32]bool{}, map[int32]string{}
	for n, i := range l.Rows[k:] {
		e, root := &l.h.Events[i], l.root[i-l.lo]
		if l.step[i-l.lo] > 0 || e.At.Sub(first.At) >= quietStretch || root < l.Rows[k] || l.rounds[i] != nil {
			break
		}
		switch s := &l.h.Events[root]; {
		case s.Node != first.Node || l.h.Text(s.Text) != l.h.Text(first.Text) || l.column(s.Peer) == 0:
			root = history.NoCause
		case e.Kind == history.Sent && !asked[e.Peer]:
			asked[e.Peer] = true
			r.sent = append(r.sent, i)
		case e.Kind == history.Executed && e.At.Sub(s.At) < lateAfter:
			executed[root] = true
		case e.Kind == history.Replied && executed[root] && e.At.Sub(l.h.Events[e.Cause].At) < lateAfter:
			replied[root] = l.h.Text(e.Text)
		case e.Kind == history.Granted, e.Kind == history.Removed, e.Kind == history.Extended:
		default:
			root = history.NoCause
		}
		if root == history.NoCause {
			break
		}
		if len(replied) == len(r.sent) && len(r.sent) >= leastRound {
			r.rows, whole = n+1, len(r.sent)
		}
	}
	if whole == 0 {
		return nil
	}
	r.sent = r.sent[:whole]
	from, most := l.column(first.Node), -1
	for _, i := range r.sent {
		r.replies = append(r.replies, replied[i])
		id := l.h.Events[i].Peer
		if away := max(l.column(id)-from, from-l.column(id)); away > most {
			r.far, most = id, away
		}
	}
	return r
}

// says is the label of a round: the command and the number of servers for each reply.
func (r *round) says(h *history.History) say.Phrase {
	var texts []string
	for _, same := range each.Groups(r.replies, func(reply string) string { return sanitize.Text(reply, 14) }) {
		texts = append(texts, fmt.Sprintf("%d %s", len(same.All), same.Key))
	}
	command := shortCommand(h.Op(h.Events[r.sent[0]].Text))
	answers := say.Verbatim(strings.Join(texts, ", "))
	return say.RoundOf.With(say.Verbatim(command), say.Number(len(r.sent)), answers)
}

// placeRound gives the events of a round three rows below a height: requests, executions, replies.
func (l *Layout) placeRound(rows []int32, y int) {
	for _, i := range rows {
		switch l.h.Events[i].Kind {
		case history.Sent:
			l.y[i-l.lo] = y
		case history.Replied:
			l.y[i-l.lo] = y + 2*roundPitch
		default:
			l.y[i-l.lo] = y + roundPitch
		}
	}
}
