package storetest

import (
	"errors"
	"testing"

	"lockstep/internal/history"
)

// told is an error with another text as an answer.
type told string

func (e told) Error() string { return string(e) }
func (e told) Text() string  { return "told " + string(e) }

func TestWhatRequestsAndAnswersDoNotSay(t *testing.T) {
	for want, compares := range map[string]func(t testing.TB){
		"": func(t testing.TB) {
			Requests(t)(say("a"), "SAY a", history.Op{})
			answer := Answers(t)
			answer(say("a"), "a", nil, "a", history.Answer{})
			answer(say("a"), nil, errors.New("no"), "no", history.Answer{Refused: "no"})
			answer(say("a"), nil, told("no"), "told no", history.Answer{Refused: "no"})
		},
		"got  SAY a\nwant SAY b":      func(t testing.TB) { Requests(t)(say("a"), "SAY b", history.Op{}) },
		"Key:k Does":                  func(t testing.TB) { Requests(t)(say("a"), "SAY a", history.Op{Key: "k"}) },
		"SAY a: SAY\n":                func(t testing.TB) { Requests(t)(say("a"), "SAY a", history.Op{Name: "CRY"}) },
		"package faults":              func(t testing.TB) { Requests(t)(say("a"), "SAY a", history.Op{Does: history.NoEntry}) },
		`SAY a is answered "a", want`: func(t testing.TB) { Answers(t)(say("a"), "a", nil, "b", history.Answer{}) },
		"SAY a, answered true":        func(t testing.TB) { Answers(t)(say("a"), true, nil, "true", history.Number(0)) },
	} {
		failsWith(t, "requests and answers", want, compares)
	}
}
