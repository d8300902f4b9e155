package sim

import "lockstep/internal/history"

// The phases of a run: clients begin one after the other and play; then faults heal and the probe
// tries the lock.

// admit schedules the beginning of the next client.
func (w *World) admit() {
	if _, from, ok := w.startOrder.Next(); ok {
		w.k.At(max(w.k.Now(), history.Instant(from)), (*admitNext)(w), 0)
	}
}

type admitNext World

func (p *admitNext) Fire(uint64) {
	w := (*World)(p)
	now := w.k.Now().Duration()
	next, from, ok := w.startOrder.Next()
	if !ok || from > now {
		return // it has begun meanwhile
	}
	w.startOrder.Begins(now)
	(*starter)(w.clients[next]).Fire(0)
	w.admit()
}

type starter client

func (s *starter) Fire(uint64) {
	c := (*client)(s)
	if !c.proc.Dead() && !c.begun {
		c.begun = true
		c.w.k.Spawn(c.proc, "main", c.play)
	}
}

// quieter begins the quiet period at the horizon, even if clients still play.
type quieter World

func (q *quieter) Fire(uint64) { (*World)(q).beginQuiet() }

// clientDone is called when a client has finished or died.
func (w *World) clientDone(c *client) {
	if c.done {
		return
	}
	c.done = true
	if c == w.probe {
		w.k.Halt()
		return
	}
	w.leave()
}

// leave counts one client off those that the run still waits for: playing, or dead and to be
// restarted.
func (w *World) leave() {
	w.playing--
	if w.playing == 0 {
		w.beginQuiet()
	}
}

// beginQuiet heals all faults and lets the probe try the lock.
func (w *World) beginQuiet() {
	if w.quiet {
		return
	}
	w.quiet = true
	w.engine.Heal()
	w.recordBare(history.Event{Kind: history.Healed, Cause: history.NoCause})
	w.k.At(w.k.Now(), (*starter)(w.probe), 0)
}
