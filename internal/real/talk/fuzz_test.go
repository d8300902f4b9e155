package talk

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// Any line of a program is a valid answer or event, or is refused with an error that quotes it, on
// one line without control characters.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"ok":true}`, `{"id":2,"ok":true,"token":34}`, `{"id":3,"ok":false,"err":"timeout","detail":"x"}`, `{"event":"lost"}`,
		`{"id":1,"ok":true,"extend":true}`, `{"id":1}`, `{"ok":true}`, `{"id":1,"ok":true,"token":-1}`, `{"event":"lost","id":1}`, `{"event":"gone"}`,
		`{"id":1,"ok":true} {}`, `{"id":1,"ok":true,"more":1}`, "", "null", "[]", "\x1b[2J", "\xff", `{"id":1e3,"ok":true}`, `{"id":1,"id":2,"ok":true}`, `{"ID":1,"ok":true}`, `{"id":1,"ok":true,"err":"timeout"}`, `{"id":1,"ok":false,"token":3}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := parse(1, line)
		if err == nil {
			if !json.Valid(line) {
				t.Errorf("%q is not JSON, and is accepted", line)
			}
			if isEvent, isAnswer := a.Event == "lost", a.ID != nil && a.OK != nil; isEvent == isAnswer || a.Token < 0 {
				t.Errorf("%q is neither an answer nor the event, and is accepted: %+v", line, a)
			}
			return
		}
		said := err.Error()
		if !errors.Is(err, ErrGarbage) || len(said) > 4*maxDetail+400 || !utf8.ValidString(said) || strings.ContainsAny(said, "\n\r\x1b\x00") {
			t.Errorf("%q is refused with %q", line, said)
		}
	})
}
