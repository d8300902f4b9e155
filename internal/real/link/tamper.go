package link

import (
	"slices"
	"time"

	"lockstep/internal/faults"
)

// Command is a watched command.
type Command struct {
	Call   faults.Call
	Script string // its name, "" for plain commands
	Part   faults.Part
	Mark   string // see Message
}

// watch follows one command from before its client sends it until its reply has passed.
type watch struct {
	Command
	wants  map[faults.MomentKind]bool
	taken  bool // its request has arrived
	tamper [2]tampering
}

// tampering is what happens to one half of a command.
type tampering struct {
	drop  bool
	delay time.Duration
	gone  bool // lost in the process that has written it, not on the way
	sent  bool // it was on its way before the fault that waited for this moment: no cut holds it
}

// Watch announces a command that is about to be sent over this link. Reached is called for the
// wanted moments, and Lose and Postpone can act on it.
//
// The command is recognised by its mark and not as "the next request": the tasks of one client
// share the link, and a renewal by the watchdog may come first.
func (l *Link) Watch(cmd Command, wants ...faults.MomentKind) {
	w := &watch{Command: cmd, wants: map[faults.MomentKind]bool{}}
	for _, k := range wants {
		w.wants[k] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, old := range l.watched {
		if !old.taken && old.Mark == cmd.Mark {
			l.forget(old.Call.ID) // it was cancelled before it was sent
			break
		}
	}
	l.watched = append(l.watched, w)
}

// forget ends a watch that is no longer needed; l.mu is held.
func (l *Link) forget(id int64) {
	l.watched = slices.DeleteFunc(l.watched, func(w *watch) bool { return w.Call.ID == id })
}

// Lose makes the link lose one half of a watched command, and reports whether it was in time.
func (l *Link) Lose(id int64, half faults.Half) bool {
	return l.tamper(id, half, func(t *tampering) { t.drop = true })
}

// Postpone delays one half of a watched command by d, in addition to previous delays, and
// reports whether it was in time.
func (l *Link) Postpone(id int64, half faults.Half, d time.Duration) bool {
	return l.tamper(id, half, func(t *tampering) { t.delay += d })
}

func (l *Link) tamper(id int64, half faults.Half, change func(*tampering)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.watched {
		if w.Call.ID == id {
			change(&w.tamper[half])
			return true
		}
	}
	return false
}

// incoming finds the watch of a request; nil when no fault waits for it.
func (l *Link) incoming(mark string) *watch {
	if mark == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.watched {
		if !w.taken && w.Mark == mark {
			w.taken = true
			return w
		}
	}
	return nil
}

// half calls Reached for one half of a watched command, and returns what happens to that half.
// It is called without locks: Reached may stop a process, tamper with this command, or block.
func (l *Link) half(w *watch, h faults.Half) tampering {
	if w == nil {
		return tampering{}
	}
	moment := faults.Sends
	if h == faults.ReplyHalf {
		moment = faults.HasExecuted
	}
	goesOn, sent := true, false
	if w.wants[moment] && l.o.Reached != nil {
		sent = moment == faults.Sends && l.passes(Up)
		goesOn = l.o.Reached(moment, w.Command)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := w.tamper[h]
	t.gone, t.sent = !goesOn, sent
	if h == faults.ReplyHalf || t.drop {
		l.forget(w.Call.ID)
	}
	return t
}

// chance decides whether a command loses one of its halves, and which.
func (l *Link) chance() (lost bool, half faults.Half) {
	if l.o.LossPPM <= 0 {
		return false, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rand.Int64N(1_000_000) < l.o.LossPPM, faults.Half(l.rand.Int64N(2))
}

func (l *Link) lost(w *watch, h faults.Half) {
	if l.o.Lost == nil {
		return
	}
	var call faults.Call
	if w != nil {
		call = w.Call
	}
	l.o.Lost(call, h)
}
