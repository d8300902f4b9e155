package proto

import (
	"errors"
	"fmt"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// ErrMessage is wrapped by the errors of invalid messages: the other end is the wrong
// program, or a library has corrupted its memory.
var ErrMessage = errors.New("not a message")

// maxMessage is longer than any message, in bytes; the longest ones contain scripts.
const maxMessage = 16 << 20

// A drift, in millionths, is more than minDrift, at which a clock would stand still, and at
// most maxDrift, at which it runs twice as fast.
const minDrift, maxDrift = -million, million

// Check validates a message of a worker that knows this many servers.
func (m *Up) Check(servers int) error {
	switch m.Kind {
	case Ready, Failed, Done, Dies, Read, Write, Extra:
		return nil
	case Event:
		if !reported(m.Event) {
			return fmt.Errorf("%w: a worker does not report the event %q (%d)", ErrMessage, m.Event, m.Event)
		}
	case Moment:
		if m.Moment == faults.NoMoment {
			return fmt.Errorf("%w: it does not say which moment", ErrMessage)
		}
	case CallUp:
		for _, k := range m.Wants {
			if !k.OnWire() {
				return fmt.Errorf("%w: moment %d is none of a command", ErrMessage, k)
			}
		}
	default:
		return fmt.Errorf("%w: no worker says %q", ErrMessage, m.Kind)
	}
	if m.Server < 0 || m.Server >= servers {
		return fmt.Errorf("%w: server %d of %d", ErrMessage, m.Server, servers)
	}
	return nil
}

// reported reports whether workers report such events: beliefs of a client, and its side of
// commands.
func reported(k history.Kind) bool {
	switch k {
	case history.Sent, history.Replied, history.TimedOut,
		history.Reenters, history.Reentered, history.ReenterFailed, history.Left:
		return true
	}
	return k >= history.Waits && k <= history.Finished
}

// Check validates a message of the harness to a worker that knows this many servers.
func (m *Down) Check(servers int) error {
	if m.Lead != nil && (*m.Lead < 0 || *m.Lead >= servers) {
		return fmt.Errorf("%w: server %d of %d is to be the primary", ErrMessage, *m.Lead, servers)
	}
	if m.Clock != nil {
		return m.Clock.check()
	}
	return nil
}

// Check validates the first message to a worker.
func (m *Start) Check() error {
	switch n := len(m.Endpoints); {
	case n == 0:
		return fmt.Errorf("%w: the worker has no server", ErrMessage)
	case m.First < 0 || m.First >= n:
		return fmt.Errorf("%w: server %d of %d is to be asked first", ErrMessage, m.First, n)
	case len(m.Known) > n || len(m.Nodes) > n:
		return fmt.Errorf("%w: %d servers have %d names", ErrMessage, n, max(len(m.Known), len(m.Nodes)))
	case m.Life < 0:
		return fmt.Errorf("%w: the worker lives for the %d. time", ErrMessage, m.Life+1)
	}
	return m.Clock.check()
}

func (c *Clock) check() error {
	if c.DriftPPM <= minDrift || c.DriftPPM > maxDrift {
		return fmt.Errorf("%w: a clock does not drift by %d millionths", ErrMessage, c.DriftPPM)
	}
	return nil
}
