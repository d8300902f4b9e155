package bubble_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/store"
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
	for name, reports := range ways {
		t.Run(name, func(t *testing.T) {
			newLock := func(c *bubble.Client) (bubble.Lock, error) {
				acquire, err := bare(c)
				if err != nil || c.Name() != "A" {
					return acquire, err
				}
				return func(ctx context.Context) (bubble.Lease, error) {
					l, err := acquire(ctx)
					if err == nil {
						reports(&l)
					}
					return l, err
				}, nil
			}
			play(t, "clients: [A, B]\nworkload: {work: 6s}\n", newLock, func(_ *bubble.World, h *history.History) {
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

// The entry is what each holder had while it held the lock, under any name.
func TestEntryOf(t *testing.T) {
	key := func(keys ...string) (all []store.Entry) {
		for _, k := range keys {
			all = append(all, store.Entry{Key: k})
		}
		return all
	}
	row := func(name, value, expires string, seconds bool) store.Entry {
		return store.Entry{Key: value, Table: "t", Name: name, Expires: expires, Seconds: seconds}
	}
	for name, test := range map[string]struct {
		a, b []store.Entry
		want store.Entry
		why  string
	}{
		"its name":        {a: key("lock"), b: key("lock"), want: store.Entry{Key: "lock"}},
		"a prefix":        {a: key("app:lock"), b: key("app:lock"), want: store.Entry{Key: "app:lock"}},
		"any name":        {a: key("f1a7"), b: key("f1a7"), want: store.Entry{Key: "f1a7"}},
		"a counter, too":  {a: key("app:lock", "fence"), b: key("app:lock"), want: store.Entry{Key: "app:lock"}},
		"most like it":    {a: key("a", "x:lock", "lock"), b: key("a", "lock", "x:lock"), want: store.Entry{Key: "lock"}},
		"a queue":         {a: key("q/lock/1", "q/lock"), b: key("q/lock/2", "q/lock"), want: store.Entry{Key: "q/lock"}},
		"two keys":        {a: key("x:lock", "y:lock"), b: key("x:lock", "y:lock"), why: "both x:lock and y:lock"},
		"own keys":        {a: key("lock:A"), b: key("lock:B"), why: "have written lock:A, lock:B, and no key or row is each holder's"},
		"nothing of B":    {a: key("lock"), why: "when B believed that it held the lock, the store had nothing that B had written"},
		"a row":           {a: []store.Entry{row("n", "lock", "until", false)}, b: []store.Entry{row("n", "lock", "until", false)}, want: row("n", "lock", "until", false)},
		"a row, numbered": {a: []store.Entry{row("id", "7", "until", true), row("n", "lock", "until", true)}, b: []store.Entry{row("id", "7", "until", true), row("n", "lock", "until", true)}, want: row("n", "lock", "until", true)},
		"no time of both": {a: []store.Entry{row("n", "lock", "until", false)}, b: []store.Entry{row("n", "lock", "at", true)}, want: row("n", "lock", "", false)},
		"one in seconds":  {a: []store.Entry{row("n", "lock", "until", false)}, b: []store.Entry{row("n", "lock", "until", true)}, want: row("n", "lock", "", false)},
		"two tables":      {a: []store.Entry{row("n", "lock", "", false)}, b: []store.Entry{{Key: "lock", Table: "u", Name: "n"}}, why: "no key or row is each holder's"},
		"begins alike":    {a: key("x:lock", "x:lock2"), b: key("x:lock", "x:lock2"), why: "both x:lock and x:lock2"},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := bubble.EntryOf("lock", []bubble.Held{{Client: "A", Kept: test.a}, {Client: "B", Kept: test.b}, {Client: "A", Kept: test.a}})
			if got != test.want && test.why == "" || !strings.Contains(why, test.why) || (why == "") != (test.why == "") {
				t.Errorf("%+v, %q", got, why)
			}
		})
	}
}

// outcome returns the letter of a run, with its verdicts.
func outcome(h *history.History) string {
	j := checker.Judge(h)
	out := string(j.Letter)
	for _, f := range j.Findings {
		out += fmt.Sprintf(" %s:%s", f.Property, f.Verdict)
	}
	return out
}
