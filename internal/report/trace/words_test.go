package trace

import (
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/report/reporttest"
)

// Every kind of event has words of its own.
func TestEveryKindHasWords(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	names := 0
	for k := range 256 {
		kind := history.Kind(k)
		if kind.String() == "unknown" {
			continue
		}
		names++
		i := w.Add(10, kind, "A", w.From("B", -1, "text"), reporttest.Value(3))
		got := InWords(w.H, int(i))
		if english := got.English(); english == "" || english == "A: "+kind.String() {
			t.Errorf("%s has no words: %q", kind, english)
		}
	}
	if names < 40 {
		t.Errorf("only %d kinds were looked at", names)
	}
	if got := InWords(w.H, -1).English(); got != "no event" {
		t.Errorf("no event: %q", got)
	}
}
