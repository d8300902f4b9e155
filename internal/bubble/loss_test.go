package bubble_test

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// A client that learns of the loss of its lock, by a channel or by an extension, stops at once and
// writes nothing. A client that is not told works to the end.
func TestAClientThatHearsOfTheLossStops(t *testing.T) {
	ways := map[string]func(l *bubble.Lease){
		"channel": func(l *bubble.Lease) {
			lost := make(chan struct{})
			l.Lost = lost
			time.AfterFunc(2*time.Second, func() { close(lost) })
		},
		"extension": func(l *bubble.Lease) {
			l.Extend = func(context.Context) error { return locks.ErrNotHeld }
		},
		"silent": func(l *bubble.Lease) {
			l.Extend = func(context.Context) error { return nil }
			l.Lost = make(chan struct{})
		},
	}
	for name, tells := range ways {
		t.Run(name, func(t *testing.T) {
			told := func(c *bubble.Client) (bubble.Lock, error) {
				acquire, err := bare(c)
				if err != nil || c.Name() != "A" {
					return acquire, err
				}
				return func(ctx context.Context) (bubble.Lease, error) {
					l, err := acquire(ctx)
					if err == nil {
						tells(&l)
					}
					return l, err
				}, nil
			}
			play(t, "clients: [A, B]\nworkload: {work: 6s}\n", told, func(_ *bubble.World, h *history.History) {
				a := h.Node("A")
				lost, wrote := history.Instant(0), 0
				for _, e := range h.Events {
					switch {
					case e.Kind == history.LostLease && e.Node == a:
						lost = e.At
					case e.Kind == history.WriteAccepted && e.Peer == a:
						wrote++
					}
				}
				switch after := lost.Duration().Round(time.Second); {
				case name == "silent" && (lost != 0 || wrote != 1):
					t.Errorf("lost at %v, and %d writes", lost, wrote)
				case name == "channel" && (after != 2*time.Second || wrote != 0):
					t.Errorf("lost at %v, want 2s after the acquisition, and %d writes", lost, wrote)
				case name == "extension" && (after != 3*time.Second || wrote != 0):
					t.Errorf("lost at %v, want a third of the lease after the acquisition, and %d writes", lost, wrote)
				}
			})
		})
	}
}
