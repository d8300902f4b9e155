package history

import (
	"slices"
	"testing"
)

func TestFirstDifference(t *testing.T) {
	make := func(change func(h *History)) *History {
		h := &History{Header: Header{Scenario: "story", Lock: "a", Seed: 1}}
		for i := range 3 {
			h.Events = append(h.Events, Event{At: Instant(i), Kind: Acquired, Cause: NoCause})
		}
		change(h)
		return h
	}
	whole := make(func(*History) {})
	for name, tt := range map[string]struct {
		change func(h *History)
		index  int
		fields []string
	}{
		"header": {func(h *History) { h.Header.Seed, h.Events[0].At = 2, 7 }, -1, []string{"seed"}},
		"event":  {func(h *History) { h.Events[1].At, h.Events[1].Token = 7, 7 }, 1, []string{"true time", "token"}},
		"end":    {func(h *History) { h.Events = h.Events[:2] }, 2, []string{"the number of events"}},
	} {
		got := FirstDifference(whole, make(tt.change))
		if got == nil || got.Index != tt.index || !slices.Equal(got.Fields, tt.fields) {
			t.Errorf("%s: %+v, want %d and %q", name, got, tt.index, tt.fields)
		}
	}
	if got := FirstDifference(whole, make(func(*History) {})); got != nil {
		t.Errorf("two equal histories: %+v", got)
	}
}
