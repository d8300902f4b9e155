package must

import (
	"errors"
	"testing"
)

// ended notes how a test ends.
type ended struct{ with any }

func (e *ended) Helper()           {}
func (e *ended) Fatal(args ...any) { e.with = args[0] }

func TestAnErrorEndsTheTest(t *testing.T) {
	for _, want := range []error{nil, errors.New("no")} {
		did, got := &ended{}, &ended{}
		Do(did, want)
		v := Get(7, want)(got)
		if want == nil && (did.with != nil || got.with != nil || v != 7) || want != nil && (did.with != want || got.with != want) {
			t.Errorf("%v: ended with %v and %v, got %d", want, did.with, got.with, v)
		}
	}
}
