package main

import (
	"fmt"
	"os"
	"time"

	"lockstep/internal/explore"
)

// walkProgress tells on stderr how far the walk is, and keeps it from time to time.
type walkProgress struct {
	f      *exploreFlags
	locks  int
	tty    bool // stderr is a terminal
	began  time.Time
	before int64 // schedules that were walked before
	told   time.Time
	kept   time.Time
	save   func() error
	seen   map[string]bool
	part   struct { // the present stage of the lock
		name string
		at   time.Time // when its first piece of work was told
		done int       // pieces by then
	}
}

// tell is called after each piece of work.
func (w *walkProgress) tell(p explore.Progress) {
	now := time.Now()
	if w.seen == nil {
		w.seen, w.kept = map[string]bool{}, now
	}
	w.seen[p.Lock] = true
	if now.Sub(w.kept) > time.Minute && w.f.resume != "" {
		w.kept = now
		_ = w.save() // the last one says whether it can be kept
	}
	every := 30 * time.Second
	if w.tty {
		every = 200 * time.Millisecond
	}
	if w.f.quiet || now.Sub(w.told) < every {
		return
	}
	first := w.told.IsZero()
	w.told = now
	if first && !w.tty {
		return
	}
	rate := float64(p.Walked-w.before) / max(now.Sub(w.began).Seconds(), 0.001)
	line := fmt.Sprintf("%s (%d of %d), %d faults, %s: %d of %d; %d schedules, %.0f per second%s", p.Lock, len(w.seen), w.locks, p.Faults,
		p.Base, p.Done, p.Units, p.Walked, rate, w.left(p, now))
	if w.tty {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(os.Stderr, line)
}

// left estimates when this stage of the lock ends.
func (w *walkProgress) left(p explore.Progress, now time.Time) string {
	key := fmt.Sprint(p.Lock, p.Base, p.Faults)
	if w.part.name != key {
		w.part.name, w.part.at, w.part.done = key, now, p.Done
		return ""
	}
	if p.Done <= w.part.done {
		return ""
	}
	left := now.Sub(w.part.at) * time.Duration(p.Units-p.Done) / time.Duration(p.Done-w.part.done)
	return ", this part ends in " + left.Round(time.Second).String()
}

func (w *walkProgress) clear() {
	if w.tty && !w.told.IsZero() {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
