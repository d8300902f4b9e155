// Package timerwheel is a hashed timer wheel: a ring of slots, each with a list
// of timers, and a hand that goes on by one slot per tick.
//
// A timer of 17 ticks on a wheel of 8 slots, added while the hand stands before
// slot 0, goes into slot (0 + 17) mod 8 = 1 with 17 / 8 = 2 rounds to wait. Each
// visit of a slot runs its timers of round 0 and takes one round off the others,
// so this one runs when the hand reaches slot 1 for the third time:
//
//	tick     0 1 2 .. 8 9 10 .. 16 17
//	slot     0 1 2 .. 0 1  2 ..  0  1
//	rounds     2        1           0: it runs
//
// Adding and cancelling cost the same however many timers there are. The price
// is precision: a slot is visited at the end of its tick, so a timer runs up to
// one tick late, and never early. (Visiting it at the beginning would be early
// for every timer that was not added exactly on a tick.)
//
// The wheel is a plain state machine. It has no clock and no goroutine: its owner
// tells it the time, and runs what has come due.
//
// Sources: G. Varghese, A. Lauck, "Hashed and Hierarchical Timing Wheels" (1987),
// scheme 6; Netty's HashedWheelTimer, which reckons in ticks since its start.
package timerwheel

import "time"

// Wheel holds timers with a task of type T each. Use New.
type Wheel[T any] struct {
	slots []*[some]slot[T] // some at a time; nil for those that no timer has been in
	size  int64            // how many slots there are
	tick  time.Duration
	start time.Duration // when tick 0 began
	hand  int64         // the next tick to visit, counted from start
	count int           // timers on the wheel
}

// slot is a list in the order of adding.
type slot[T any] struct{ first, last *Timer[T] }

// some are the slots that are made together. Most wheels end before their hand has come round, with a few timers.
const some = 16

// Timer is one task that waits for its time.
type Timer[T any] struct {
	task       T
	wheel      *Wheel[T] // nil once it has run or was cancelled
	slot       int
	rounds     int64 // how many visits of the slot pass it by
	prev, next *Timer[T]
}

// New makes a wheel whose tick 0 begins at start, on the clock that its owner
// will use for it. It panics unless there is a slot and a tick.
func New[T any](slots int, tick, start time.Duration) *Wheel[T] {
	if slots < 1 || tick <= 0 {
		panic("timerwheel: a wheel needs slots and a tick")
	}
	return &Wheel[T]{slots: make([]*[some]slot[T], (slots+some-1)/some), size: int64(slots), tick: tick, start: start}
}

// first is the first timer in a slot; nil when there is none.
func (w *Wheel[T]) first(i int64) *Timer[T] {
	if made := w.slots[i/some]; made != nil {
		return made[i%some].first
	}
	return nil
}

// slot is a slot to be changed.
func (w *Wheel[T]) slot(i int) *slot[T] {
	made := &w.slots[i/some]
	if *made == nil {
		*made = new([some]slot[T])
	}
	return &(*made)[i%some]
}

// Add starts a timer that comes due at least delay, and at most delay and one
// tick, after now.
func (w *Wheel[T]) Add(now, delay time.Duration, task T) *Timer[T] {
	if w.count == 0 {
		w.hand = max(w.hand, w.tickOf(now)) // what lies between was empty
	}
	at := max(w.tickOf(now+delay), w.hand)
	t := &Timer[T]{task: task, wheel: w, slot: int(at % w.size), rounds: (at - w.hand) / w.size}
	s := w.slot(t.slot)
	if t.prev = s.last; t.prev != nil {
		t.prev.next = t
	} else {
		s.first = t
	}
	s.last = t
	w.count++
	return t
}

// Cancel takes the timer off its wheel; after it has run this does nothing.
func (t *Timer[T]) Cancel() {
	if t.wheel == nil {
		return
	}
	s := t.wheel.slot(t.slot)
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		s.first = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		s.last = t.prev
	}
	t.wheel.count--
	t.wheel, t.prev, t.next = nil, nil, nil
}

// Advance visits all slots whose tick has ended by now and returns the tasks that
// have come due: tick by tick, and in a tick in the order of adding.
func (w *Wheel[T]) Advance(now time.Duration) []T {
	var due []T
	ended := w.tickOf(now)
	for ; w.hand < ended && w.count > 0; w.hand++ {
		for t := w.first(w.hand % w.size); t != nil; {
			next := t.next
			if t.rounds == 0 {
				due = append(due, t.task)
				t.Cancel()
			} else {
				t.rounds--
			}
			t = next
		}
	}
	w.hand = max(w.hand, ended)
	return due
}

// Next returns when the next task comes due; false when there is none. An owner
// that sleeps until then misses nothing: there is no need to look at every tick.
func (w *Wheel[T]) Next() (time.Duration, bool) {
	if w.count == 0 {
		return 0, false
	}
	least := int64(-1)
	for ahead := range w.size {
		for t := w.first((w.hand + ahead) % w.size); t != nil; t = t.next {
			if at := ahead + t.rounds*w.size; least < 0 || at < least {
				least = at
			}
		}
		if least >= 0 && least <= ahead {
			break // all others are a round away or further round the wheel
		}
	}
	return w.start + time.Duration(w.hand+least+1)*w.tick, true
}

// tickOf returns the tick in which an instant lies.
func (w *Wheel[T]) tickOf(at time.Duration) int64 {
	return int64(max(at-w.start, 0) / w.tick)
}
