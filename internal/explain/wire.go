package explain

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The sentences about messages: those that are lost, late or given up.

// executed has a step for a late request. A request that blocks at the server until the lock is
// free, or until replicas confirm (WAIT), is not late: its execution is its end.
func executed(t *narrator, i int32, e *history.Event) say.Phrase {
	sent := t.h.At(e.Cause)
	if sent == nil || sent.Kind != history.Sent || e.At.Sub(sent.At) < together {
		return nothing
	}
	if t.h.Op(sent.Text).Name == "WAIT" {
		return t.waited(i, sent, e)
	}
	late := say.Span(e.At.Sub(sent.At))
	switch {
	case t.h.Header.AtOnce && !t.stoodStill(e.Node, sent.At):
		return say.ArrivesLate.With(t.who(e.Peer), t.command(i), t.who(e.Node), late)
	case !t.h.Header.AtOnce && (t.Client(e.Peer).Waits || t.h.Op(sent.Text).Blocks):
		return nothing
	}
	return say.IsExecutedLate.With(t.who(e.Peer), t.command(i), late)
}

// waited describes a WAIT that a fault of servers or links delays: the only such fault, or none.
func (t *narrator) waited(i int32, sent, e *history.Event) say.Phrase {
	var numbers []int64
	answer := t.h.Answer(e.Text)
	for _, k := range t.faultsIn(sent.At, e.At) {
		f := &t.h.Events[k]
		if f.Kind == history.Crashed && f.At < sent.At && answer.Number > 0 {
			continue // a replica that was dead already, and others confirm
		}
		hits := t.h.Role(f.Node) == history.RoleStore || len(t.h.Fault(f.Value).Sides) > 0
		if k < i && hits && !slices.Contains(numbers, f.Value) {
			numbers = append(numbers, f.Value)
		}
	}
	if len(numbers) == 0 || !answer.Numeric {
		return nothing
	}
	var fault say.Optional
	if len(numbers) == 1 {
		fault = say.Optional(max(numbers[0], 0))
	}
	return say.WaitIsAnswered.With(t.who(e.Peer), say.Verbatim(t.h.Text(sent.Text)),
		say.Span(e.At.Sub(sent.At)), say.Number(answer.Number), fault)
}

// stoodStill reports whether a server that runs has been frozen since an instant: what it executes
// now may have reached it before.
func (t *narrator) stoodStill(server history.NodeID, since history.Instant) bool {
	return slices.ContainsFunc(t.h.Freezes, func(s timeline.Span) bool {
		return s.Node == server && s.To > since && s.From <= since.Add(together)
	})
}

func replied(t *narrator, i int32, e *history.Event) say.Phrase {
	done := t.h.At(e.Cause)
	if done == nil || done.Kind != history.Executed || e.At.Sub(done.At) < together {
		return nothing
	}
	return say.HearsLate.With(t.who(e.Node), t.command(i), say.Span(e.At.Sub(done.At)))
}

// timedOut has a step unless the attempt fails, or the client gives up, at once.
func timedOut(t *narrator, i int32, e *history.Event) say.Phrase {
	if t.Client(e.Node).Failed || t.own(i, e.Node, history.ReleaseFailed) >= 0 {
		return nothing
	}
	if t.h.Next(i, together, func(n *history.Event) bool {
		return n.Node == e.Node && (n.Kind == history.AcquireFailed || n.Kind == history.GaveUp)
	}) >= 0 {
		return nothing
	}
	return say.GivesUpReply.With(t.who(e.Node), t.command(i))
}

func requestDropped(t *narrator, i int32, e *history.Event) say.Phrase {
	return say.RequestIsLost.With(t.who(e.Node), t.command(i), t.who(e.Peer), say.Optional(t.dropFault(e)))
}

func replyDropped(t *narrator, i int32, e *history.Event) say.Phrase {
	return say.ReplyIsLost.With(t.who(e.Node), t.who(e.Peer), t.command(i), say.Optional(t.dropFault(e)))
}

// dropFault returns the number of the fault that lost a message: that of the event, else the oldest
// drop that has not acted yet.
func (t *narrator) dropFault(e *history.Event) int64 {
	if e.Value > 0 {
		return e.Value
	}
	if len(t.drops) == 0 {
		return 0
	}
	number := t.drops[0]
	t.drops = t.drops[1:]
	return number
}
