package trace

import (
	"fmt"
	"time"

	"lockstep/internal/history"
)

// InWords says what one event of a history is, exactly and without its context:
// every kind has words, the routine of the wire too. (Package explain tells the
// story and leaves routine out.) The text is not clean; indices outside of the
// history give "no event".
func InWords(h *history.History, index int) string {
	if index < 0 || index >= len(h.Events) {
		return "no event"
	}
	e := &h.Events[index]
	if say := wordsOf[e.Kind]; say != nil {
		return say(eventWords{h, e})
	}
	return fmt.Sprintf("%s: %s", h.Name(e.Node), e.Kind)
}

// eventWords gives names to the parts of an event.
type eventWords struct {
	h *history.History
	e *history.Event
}

func (w eventWords) node() string  { return w.h.Name(w.e.Node) }
func (w eventWords) peer() string  { return w.h.Name(w.e.Peer) }
func (w eventWords) owner() string { return w.h.Name(w.e.Owner) }
func (w eventWords) text() string  { return w.h.Text(w.e.Text) }

// about adds the text of the event, if it has one.
func (w eventWords) about(sentence string) string {
	if w.e.Text == 0 {
		return sentence
	}
	return sentence + ": " + w.text()
}

// token adds the fencing token, if there is one.
func (w eventWords) token(sentence string) string {
	if w.e.Token == 0 {
		return sentence
	}
	return fmt.Sprintf("%s, token %d", sentence, w.e.Token)
}

// fault adds the number of the fault behind the event, if there is one.
func (w eventWords) fault(sentence string) string {
	if w.e.Value == 0 {
		return sentence
	}
	return fmt.Sprintf("%s (fault %d)", sentence, w.e.Value)
}

// entry says for how long an entry is to live.
func (w eventWords) entry(sentence string) string {
	if w.e.Value > 0 {
		sentence += ", for " + time.Duration(w.e.Value).String()
	}
	return w.about(sentence)
}

// wordsOf has one sentence per kind of event.
var wordsOf = map[history.Kind]func(eventWords) string{
	history.Waits: func(w eventWords) string {
		return fmt.Sprintf("%s waits for the lock, round %d", w.node(), w.e.Value)
	},
	history.Acquired:      func(w eventWords) string { return w.token(w.node() + " acquires the lock") },
	history.AcquireFailed: func(w eventWords) string { return w.about(w.node() + " fails to acquire") },
	history.GaveUp:        func(w eventWords) string { return w.node() + " gives up waiting" },
	history.Entered:       func(w eventWords) string { return w.node() + " enters its critical section" },
	history.LostLease:     func(w eventWords) string { return w.node() + " is told that it has lost the lock" },
	history.Releasing:     func(w eventWords) string { return w.node() + " begins to release" },
	history.Released:      func(w eventWords) string { return w.node() + " hears that its entry was removed" },
	history.NotHeld:       func(w eventWords) string { return w.node() + " hears that it had no entry" },
	history.ReleaseFailed: func(w eventWords) string {
		return w.about(w.node() + " does not know whether its release has worked")
	},
	history.Finished: func(w eventWords) string { return w.node() + " has played all its rounds" },

	history.ReadDone: func(w eventWords) string {
		return w.token(fmt.Sprintf("%s reads version %d", w.peer(), w.e.Value))
	},
	history.WriteAccepted: func(w eventWords) string {
		return w.token(fmt.Sprintf("%s writes version %d", w.peer(), w.e.Value))
	},
	history.WriteRefused: func(w eventWords) string {
		return w.token(fmt.Sprintf("a write of %s is refused, highest token %d", w.peer(), w.e.Value))
	},

	history.Sent:     func(w eventWords) string { return w.about(w.node() + " sends to " + w.peer()) },
	history.Executed: func(w eventWords) string { return w.about(w.node() + " executes for " + w.peer()) },
	history.Replied:  func(w eventWords) string { return w.about(w.node() + " hears from " + w.peer()) },
	history.TimedOut: func(w eventWords) string { return w.about(w.node() + " hears nothing from " + w.peer()) },
	history.RequestDropped: func(w eventWords) string {
		return "a request from " + w.node() + " to " + w.peer() + " is lost"
	},
	history.ReplyDropped: func(w eventWords) string {
		return "a reply from " + w.node() + " to " + w.peer() + " is lost"
	},

	history.Granted: func(w eventWords) string { return w.entry(w.node() + " creates an entry for " + w.owner()) },
	history.Extended: func(w eventWords) string {
		return w.entry(fmt.Sprintf("%s extends the entry of %s for %s", w.node(), w.owner(), w.peer()))
	},
	history.Removed: func(w eventWords) string {
		return w.about(fmt.Sprintf("%s removes the entry of %s for %s", w.node(), w.owner(), w.peer()))
	},
	history.Expired: func(w eventWords) string {
		return w.about(fmt.Sprintf("%s drops the entry of %s: its time is up", w.node(), w.owner()))
	},
	history.Replicated: func(w eventWords) string {
		return w.entry(fmt.Sprintf("%s copies the entry of %s from %s", w.node(), w.owner(), w.peer()))
	},
	history.MayHaveRemoved: func(w eventWords) string {
		return w.about(fmt.Sprintf("%s may have removed anybody's entry for %s", w.node(), w.peer()))
	},
	history.Forgotten: func(w eventWords) string { return w.about(w.node() + " has lost the entry of " + w.owner()) },

	history.FaultBegan: func(w eventWords) string { return w.about(w.strikes("begins")) },
	history.FaultEnded: func(w eventWords) string { return w.about(w.strikes("ends")) },
	history.Froze:      func(w eventWords) string { return w.fault(w.node() + " freezes") },
	history.Thawed:     func(w eventWords) string { return w.fault(w.node() + " runs again") },
	history.Crashed:    func(w eventWords) string { return w.fault(w.node() + " dies") },
	history.Restarted:  func(w eventWords) string { return w.fault(w.node() + " starts again") },
	history.Promoted:   func(w eventWords) string { return w.node() + " becomes the primary after " + w.peer() },
	history.Demoted:    func(w eventWords) string { return w.node() + " becomes a replica of " + w.peer() },
	history.ClockChanged: func(w eventWords) string {
		return w.node() + "'s clock is stepped by " + time.Duration(w.e.Value).String()
	},
	history.Healed:        func(eventWords) string { return "all faults are over" },
	history.CutShort:      func(eventWords) string { return "the run is cut short" },
	history.WithoutEffect: func(w eventWords) string { return fmt.Sprintf("fault %d has changed nothing", w.e.Value) },

	history.Reenters:      func(w eventWords) string { return w.depth("asks for the lock again") },
	history.Reentered:     func(w eventWords) string { return w.token(w.depth("is given the lock again")) },
	history.ReenterFailed: func(w eventWords) string { return w.about(w.depth("is not given the lock again")) },
	history.Left:          func(w eventWords) string { return w.about(w.depth("gives the lock back once")) },
}

func (w eventWords) strikes(what string) string {
	text := fmt.Sprintf("fault %d %s", w.e.Value, what)
	if w.e.Node != 0 {
		text += " on " + w.node()
	}
	return text
}

func (w eventWords) depth(what string) string {
	return fmt.Sprintf("%s %s, depth %d", w.node(), what, w.e.Value)
}
