package storetest

import (
	"strings"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Requests returns a function that compares the text and the effect of a request with the expected
// ones, and checks that package faults agrees. An Op without a name gets the first word of the
// text.
func Requests(t testing.TB) func(r ports.Request, text string, op history.Op) {
	return func(r ports.Request, text string, op history.Op) {
		t.Helper()
		if op.Name == "" {
			op.Name, _, _ = strings.Cut(text, " ")
		}
		if got := ports.RequestText(r); got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
		if got := r.Op(); got != op {
			t.Errorf("%s: %s\ngot  %+v\nwant %+v", text, got.Name, got, op)
		}
		if part := faults.Acquire.Of(op.Name, false); op.Does.AboutEntry() != (part != faults.NoPart) {
			t.Errorf("%s: package faults disagrees about whether it is about an entry", text)
		}
	}
}

// Answers returns a function that compares the answer to a request, a value or an error, with the
// expected text and the expected answer in a history.
func Answers(t testing.TB) func(r ports.Request, value any, err error, text string, says history.Answer) {
	return func(r ports.Request, value any, err error, text string, says history.Answer) {
		t.Helper()
		if got := store.AnswerText(r, value, err); got != text {
			t.Errorf("%s is answered %q, want %q", ports.RequestText(r), got, text)
		}
		if got := ports.AnswerTo(r, value, err); got != says {
			t.Errorf("%s, answered %s\ngot  %+v\nwant %+v", ports.RequestText(r), text, got, says)
		}
	}
}
