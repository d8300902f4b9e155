package ports

import (
	"errors"
	"fmt"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

// asked is a request without a method for its answers.
type asked struct{}

func (asked) AppendText(buf []byte) []byte { return append(buf, "ASKED"...) }
func (asked) Op() history.Op               { return history.Op{Name: "ASKED"} }

// readOnly is the error of a server that would refuse any client.
type readOnly struct{}

func (readOnly) Error() string { return "read-only" }
func (readOnly) Unable() bool  { return true }

// AnswerTo infers the meaning of an answer from its value and error.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		give  Request
		value any
		err   error
		want  history.Answer
	}{
		{asked{}, true, nil, history.Number(1)},
		{asked{}, false, nil, history.Number(0)},
		{asked{}, true, errors.New("no"), history.Answer{Refused: "no"}},
		{asked{}, nil, fmt.Errorf("INSERT: %w", readOnly{}), history.Answer{Refused: "INSERT: read-only", Unable: true}},
		{asked{}, "text", nil, history.Answer{}},
	} {
		must.Equalf(t, AnswerTo(tt.give, tt.value, tt.err), tt.want,
			"%s, %v", RequestText(tt.give), tt.value)
	}
}
