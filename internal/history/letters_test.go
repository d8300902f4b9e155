package history

import (
	"bytes"
	"strings"
	"testing"
)

// Interned texts, short or long, do not change when others are interned.
func TestTextsFromABufferStay(t *testing.T) {
	h := New(Header{})
	var want []string
	var ids []TextID
	buffer := make([]byte, 0, 3*pieceSize)
	for i := range 600 {
		buffer = append(buffer[:0], bytes.Repeat([]byte{byte('a' + i%26)}, 1+i%50)...)
		buffer = append(buffer, byte(i), byte(i>>8))
		if i%100 == 99 {
			buffer = append(buffer, make([]byte, 2*pieceSize)...) // longer than a piece
		}
		want = append(want, strings.Clone(string(buffer)))
		ids = append(ids, h.InternBytes(buffer))
	}
	for i, id := range ids {
		if h.Text(id) != want[i] {
			t.Fatalf("text %d has changed", i)
		}
		if h.InternBytes([]byte(want[i])) != id || h.Intern(want[i]) != id {
			t.Fatalf("text %d has two ids", i)
		}
	}
}
