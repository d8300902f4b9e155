package history

import (
	"bytes"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// How well a user's own lock was followed is stored, but not hashed. Histories of lockstep's own
// locks do not have it.
func TestHowALockOfOnesOwnWasWatchedIsStored(t *testing.T) {
	plain, own := New(testHeader()), New(testHeader())
	own.Header.Entry, own.Header.Keys, own.Header.Alone, own.Header.AloneAt = Unfollowed, `"a", "b"`, "A", 1500
	must.Equalf(t, plain.Hash(), own.Hash(), "the hash covers it")
	var without, with bytes.Buffer
	must.Do(t, WriteJSONL(&without, plain))
	must.Do(t, WriteJSONL(&with, own))
	if strings.Contains(without.String(), "entry") || strings.Contains(without.String(), "alone") {
		t.Errorf("a plain history says it: %s", without.String())
	}
	back := must.Get(ReadAllJSONL(&with))(t)
	if h := back[0].Header; h.Entry != Unfollowed || h.Keys != `"a", "b"` || h.Alone != "A" || h.AloneAt != 1500 {
		t.Errorf("read back: %+v", h)
	}
}
