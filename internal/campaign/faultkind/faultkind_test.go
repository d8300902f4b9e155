package faultkind_test

import (
	"strings"
	"testing"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/faults"
	"lockstep/internal/say"
)

// Each kind has texts in both languages, a verb that causes it, and a name of its own.
func TestKindsHaveWords(t *testing.T) {
	for i, k := range faultkind.All() {
		for _, b := range []say.Words{k.Summary, k.Called, k.Happens} {
			if b == "" || string(b) == k.Name || string(b) == b.In(say.Chinese) {
				t.Errorf("%s: %q", k.Name, b)
			}
		}
		if _, ok := faults.Lookup(k.Verb); !ok {
			t.Errorf("%s: no verb is called %q", k.Name, k.Verb)
		}
		if faultkind.Index(k.Name) != i {
			t.Errorf("%s is there twice", k.Name)
		}
		long, short := strings.CutSuffix(k.Name, faultkind.Short)
		if at := faultkind.Index(long); short && (at < 0 || faultkind.All()[at].OfAnyLength == "") {
			t.Errorf("%s has no long kind that says both in one", k.Name)
		}
	}
}
