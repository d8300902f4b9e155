package ports

import "lockstep/internal/history"

// Request is what a client sends to a store, by the name that triggers know it by, what it can do,
// and the text that people read. Both worlds write them alike, and the text is not parsed.
type Request interface {
	// Name is one word in capitals: TXN, CREATE, INSERT.
	Name() string
	// AppendText appends the request as a reader would like to see it, on one line. It begins
	// with the name, but for a SELECT that calls a function.
	AppendText(buf []byte) []byte
	// Op is what the request is, for all code but reports; its name is Name.
	Op() history.Op
}

// RequestText is the text of a request.
func RequestText(r Request) string { return string(r.AppendText(nil)) }

// OKText is the text of an answer that says nothing but that it was done.
const OKText = "OK"

// AnswerTo is what the answer to a request says: its value, or the error with which the store refuses.
func AnswerTo(r Request, value any, err error) history.Answer {
	if err != nil {
		return history.Answer{Refused: err.Error()}
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
