package proto

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// Whatever a message holds, it is written as encoding/json writes it.
func TestMessagesAreWrittenAsEncodingJSONDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64())
		word := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringMatching(`[ -~]*`))
		m := Up{
			Kind: UpKind(word.Draw(t, "kind")), ID: number.Draw(t, "id"), At: time.Duration(number.Draw(t, "at")),
			Clock: number.Draw(t, "clock"), Event: history.Kind(rapid.Uint8().Draw(t, "event")),
			Moment: faults.MomentKind(rapid.Uint8().Draw(t, "moment")), Token: number.Draw(t, "token"),
			Value: number.Draw(t, "value"), Text: word.Draw(t, "text"), Call: number.Draw(t, "call"),
			Server: int(number.Draw(t, "server")), Task: word.Draw(t, "task"), Command: word.Draw(t, "command"),
			Script: word.Draw(t, "script"), Words: word.Draw(t, "words"), Broken: rapid.Bool().Draw(t, "broken"), Mark: rapid.SliceOf(rapid.Byte()).Draw(t, "mark"),
			Part: faults.Part(rapid.Uint8().Draw(t, "part")),
		}
		if rapid.Bool().Draw(t, "asks") {
			m.Op = &history.Op{
				Name: word.Draw(t, "op"), Script: rapid.Bool().Draw(t, "a script"), Trigger: word.Draw(t, "trigger"), Key: word.Draw(t, "key"),
				Does: history.Effect(rapid.Uint8().Draw(t, "does")), Owner: word.Draw(t, "owner"), Lease: time.Duration(number.Draw(t, "lease")),
				Blocks: rapid.Bool().Draw(t, "blocks"), Watches: rapid.Bool().Draw(t, "watches"), Checks: rapid.Bool().Draw(t, "checks"), Bound: rapid.Bool().Draw(t, "bound"),
			}
		}
		if rapid.Bool().Draw(t, "answers") {
			m.Answer = &history.Answer{
				Refused: word.Draw(t, "refused"), Redirected: rapid.Bool().Draw(t, "redirected"), Nil: rapid.Bool().Draw(t, "nil"),
				Numeric: rapid.Bool().Draw(t, "numeric"), Number: number.Draw(t, "number"), Revision: number.Draw(t, "revision"), Session: word.Draw(t, "session"),
			}
		}
		want, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := appendUp(nil, &m)
		if err != nil || string(got) != string(want)+"\n" {
			t.Fatalf("got %s, %v, want %s", got, err, want)
		}
		var read Up
		if err := json.Unmarshal(got, &read); err != nil || !bytes.Equal(read.Mark, m.Mark) {
			t.Fatalf("the mark %q arrives as %q, %v", m.Mark, read.Mark, err)
		}
	})
}

func BenchmarkAppendUp(b *testing.B) {
	m := Up{
		Kind: Event, At: 12345678, Clock: 12345678, Event: history.Sent, Call: 17, Command: "SET",
		Text: "SET lock 0123456789abcdef0123456789abcdef PX 10000 NX",
	}
	b.Run("by hand", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf, _ = appendUp(buf[:0], &m)
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		for b.Loop() {
			_, _ = json.Marshal(m)
		}
	})
}
