package ports

import (
	"errors"

	"lockstep/internal/history"
)

// Request is what a client sends to a store. It is the same in all worlds.
type Request interface {
	// AppendText appends the request for readers, on one line. It begins with the name, except for
	// a SELECT that calls a function.
	AppendText(buf []byte) []byte
	// Op is what the request does, for all code but reports. Its name is one word in capitals, for
	// triggers: TXN, CREATE, INSERT.
	Op() history.Op
}

// Name is the name of a request.
func Name(r Request) string { return r.Op().Name }

// RequestText is the text of a request.
func RequestText(r Request) string { return string(r.AppendText(nil)) }

// OKText is the text of an answer without a value.
const OKText = "OK"

// AnswerTo returns what the answer to a request says: its value, or the store's error.
func AnswerTo(r Request, value any, err error) history.Answer {
	if err != nil {
		var refusal interface{ Unable() bool }
		return history.Answer{Refused: err.Error(), Unable: errors.As(err, &refusal) && refusal.Unable()}
	}
	if r, ok := r.(interface {
		AnswerOf(value any) history.Answer
	}); ok {
		return r.AnswerOf(value)
	}
	switch v := value.(type) {
	case bool:
		if v {
			return history.Number(1)
		}
		return history.Number(0)
	case interface{ Answer() history.Answer }:
		return v.Answer()
	}
	return history.Answer{}
}
