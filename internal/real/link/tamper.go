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
	Mark   string // what the protocol recognises its request by
}

// watch follows one command from before its client sends it until its reply has passed.
type watch struct {
	Command
	wants  map[faults.MomentKind]bool
	taken  bool // its request has come in
	tamper [2]tampering
}

// tampering is what is to happen to one half of a command.
type tampering struct {
	drop  bool
	delay time.Duration
	gone  bool // with the process that has written it: not lost on the way
	sent  bool // it was let pass before a fault acted on its being on the way, and no cut holds it any more
}

// Watch announces a command that is about to be sent over this link. Reached will be told of the wanted moments, and
// Tamper can act on it.
//
// The command is recognised by its mark and not by "the next request": the tasks of
// one client share the link, and a renewal by the watchdog may slip in between.
func (l *Link) Watch(cmd Command, wants ...faults.MomentKind) {
	w := &watch{Command: cmd, wants: map[faults.MomentKind]bool{}}
	for _, k := range wants {
		w.wants[k] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, old := range l.watched {
		if !old.taken && old.Mark == cmd.Mark {
			l.forget(old.Call.ID) // it was given up before it was sent
			break
		}
	}
	l.watched = append(l.watched, w)
}

// forget ends a watch that is no longer needed; l.mu is held.
func (l *Link) forget(id int64) {
	l.watched = slices.DeleteFunc(l.watched, func(w *watch) bool { return w.Call.ID == id })
}

// Lose makes the link lose one half of a watched command. It reports whether
// that half has not passed already.
func (l *Link) Lose(id int64, half faults.Half) bool {
	return l.tamper(id, half, func(t *tampering) { t.drop = true })
}

// Postpone makes the link hold back one half of a watched command for d; a
// second time adds to the first.
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

// incoming finds the watch of a request, nil when no fault waits for it.
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

// half lets those who wait act on one half of a watched command, and returns
// what is to happen to it. It is called without locks: Reached may stop a
// process, tamper with this very command, or take its time.
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
