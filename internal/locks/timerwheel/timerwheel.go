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
// Adding costs the same however many timers there are. The price is precision: a slot is visited at
// the end of its tick, so a timer runs up to one tick late, and never early. (Visiting it at the
// beginning would be early for every timer that was not added exactly on a tick.)
//
// The wheel is a plain state machine. It has no clock and no goroutine: its owner
// tells it the time, and runs what has come due.
//
// Sources: G. Varghese, A. Lauck, "Hashed and Hierarchical Timing Wheels" (1987),
// scheme 6; Netty's HashedWheelTimer, which reckons in ticks since its start.
package timerwheel

import (
	"slices"
	"time"
)

// Wheel holds timers with a task of type T each. Use New.
type Wheel[T any] struct {
	slots map[int64][]*Timer[T] // the timers of each slot, in the order of adding
	size  int64                 // how many slots there are
	tick  time.Duration
	start time.Duration // when tick 0 began
	hand  int64         // the next tick to visit, counted from start
	count int           // timers on the wheel
}

// Timer is one task that waits for its time.
type Timer[T any] struct {
	task   T
	wheel  *Wheel[T] // nil once it has run or was cancelled
	slot   int64
	rounds int64 // how many visits of the slot pass it by
}

// New makes a wheel whose tick 0 begins at start, on the clock that its owner
// will use for it. It panics unless there is a slot and a tick.
func New[T any](slots int, tick, start time.Duration) *Wheel[T] {
	if slots < 1 || tick <= 0 {
		panic("timerwheel: a wheel needs slots and a tick")
	}
	return &Wheel[T]{slots: map[int64][]*Timer[T]{}, size: int64(slots), tick: tick, start: start}
}

// Add starts a timer that comes due at least delay, and at most delay and one tick, after now.
func (w *Wheel[T]) Add(now, delay time.Duration, task T) *Timer[T] {
	if w.count == 0 {
		w.hand = max(w.hand, w.tickOf(now)) // the slots between were empty
	}
	at := max(w.tickOf(now+delay), w.hand)
	t := &Timer[T]{task: task, wheel: w, slot: at % w.size, rounds: (at - w.hand) / w.size}
	w.slots[t.slot] = append(w.slots[t.slot], t)
	w.count++
	return t
}

// Cancel takes the timer off its wheel; after it has run this does nothing.
func (t *Timer[T]) Cancel() {
	if w := t.wheel; w != nil {
		w.slots[t.slot] = slices.DeleteFunc(w.slots[t.slot], func(other *Timer[T]) bool { return other == t })
		t.leave()
	}
}

// leave notes that the timer is off its wheel.
func (t *Timer[T]) leave() {
	t.wheel.count--
	t.wheel = nil
}

// Advance visits all slots whose tick has ended by now and returns the tasks that
// have come due: tick by tick, and in a tick in the order of adding.
func (w *Wheel[T]) Advance(now time.Duration) (due []T) {
	ended := w.tickOf(now)
	for ; w.hand < ended && w.count > 0; w.hand++ {
		slot := w.hand % w.size
		if len(w.slots[slot]) == 0 {
			continue
		}
		w.slots[slot] = slices.DeleteFunc(w.slots[slot], func(t *Timer[T]) bool {
			if t.rounds > 0 {
				t.rounds--
				return false
			}
			due = append(due, t.task)
			t.leave()
			return true
		})
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
		for _, t := range w.slots[(w.hand+ahead)%w.size] {
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
