package locktest

import (
	"fmt"
	"time"

	"lockstep/internal/history"
)

// trail is the state of a client at an event of a history.
type trail struct {
	asked, granted bool // since it began to wait
	entries        int  // on all servers
	phase          phase
	acquired       history.Instant
	releasing      history.Instant           // when its last release began
	answered       history.Instant           // when it was last answered
	ended          history.Instant           // when an entry of its last ended
	entered        history.Instant           // when an entry was last made for it
	keeps          time.Duration             // how long its entry was last made to stay
	extended       history.Instant           // when it last extended its entry
	ends           string                    // how its entry has ended while it holds, as a sentence
	released       history.Instant           // successfully, and it has not asked again; 0 otherwise
	gave           history.Instant           // when it last released what it has had an entry for
	failed         bool                      // an attempt of this process has failed
	waits          history.Instant           // when it began to wait
	since          history.Instant           // when this attempt began
	alone          history.Instant           // since when no other has anything, and no fault is active
	open           map[int64]history.Instant // this attempt's unanswered requests: when they were sent
	heard          history.Instant           // when the last answer arrived that was slow
	foreign        stretch
	renewed        stretch
}

// unheard names the first request of this attempt that has had no answer for long; "" for none.
func (t *trail) unheard(now history.Instant) string {
	first := now
	for _, sent := range t.open { // order: the earliest of all
		first = min(first, sent)
	}
	if now.Sub(first) <= promptly {
		return ""
	}
	return fmt.Sprintf(". Its request of %v has no answer: a request needs a time limit of its own", first)
}

type phase uint8

const (
	idle phase = iota
	waiting
	holding
	releasing
	gone // its process has died
)

// stretch counts how often something happened, from when to when.
type stretch struct {
	times    int
	from, to history.Instant
	command  int32
	keeps    time.Duration // how long the first left an entry; 0: for ever
}

func (s *stretch) add(e *history.Event) {
	if s.times == 0 {
		s.from, s.command, s.keeps = e.At, e.Cause, time.Duration(e.Value)
	}
	s.times, s.to = s.times+1, e.At
}

func (s *stretch) String() string {
	if s.times == 1 {
		return fmt.Sprintf("at %v", s.from)
	}
	return fmt.Sprintf("%d times, from %v to %v", s.times, s.from, s.to)
}
