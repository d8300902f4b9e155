package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
)

// A waits for five seconds and asks seven times; B's moments are no places. Of equal attempts one
// in two seconds gets a fault, and so do those of the last second.
func TestWhereSingleFaultsArePlaced(t *testing.T) {
	p := scenariotest.Parse(t, "", "scenario: Two clients\nclients: [A, B]\n")
	placed := must.Get(NewPlaced(p, locks.StoreRedis, []string{"lost-request", "pause", "restart"}))(t)
	observe := func(at time.Duration, kind faults.MomentKind, client string) {
		m := faults.Moment{Kind: kind, Subject: client}
		if kind.OnWire() {
			m.Call.Command = "SET"
		}
		placed.Observe(m, history.Instant(at))
	}
	observe(0, faults.StartsWaiting, "A")
	observe(0, faults.StartsWaiting, "B")
	for _, ms := range []time.Duration{1, 50, 500, 1000, 1500, 2500, 4500} {
		observe(ms*time.Millisecond, faults.AboutToSend, "A")
		observe(ms*time.Millisecond, faults.AboutToSend, "B")
	}
	observe(5*time.Second, faults.Enters, "A")
	tries := []string{"about to send SET, 1", "about to send SET, 2", "about to send SET, 6", "about to send SET, 7"}
	for kind, want := range map[string][]string{
		"lost-request": tries,
		"pause":        slices.Concat([]string{"starts waiting, 1"}, tries, []string{"enters, 1"}),
		"restart":      slices.Concat([]string{"starts waiting, 1"}, tries),
	} {
		var got []string
		for _, one := range placed.Plans(kind) {
			when := one.Faults[0].Trigger
			nth := when.Nth
			when.Nth = 1
			got = append(got, fmt.Sprintf("%s, %d", strings.TrimPrefix(strings.TrimPrefix(when.Text(), "A "), "is "), nth))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s at %q, want %q", kind, got, want)
		}
	}
	if f := placed.Plans("pause")[0].Faults[0]; f.Target != "A" || f.End.For != 12*time.Second {
		t.Errorf("%s for %v, want A for 12s", f.Target, f.End.For)
	}
}
