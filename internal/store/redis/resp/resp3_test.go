package resp

import (
	"errors"
	"testing"
)

// What version 3 of the protocol added, as the servers write it.
func TestVersion3(t *testing.T) {
	for give, want := range map[string]string{
		"_\r\n":                            "(nil)",
		"#t\r\n":                           "t",
		",1.5\r\n":                         "1.5",
		"(123456789012345678901234\r\n":    "123456789012345678901234",
		"!9\r\nERR wrong\r\n":              "(error) ERR wrong",
		"=6\r\ntxt:hi\r\n":                 `"txt:hi"`,
		"~2\r\n:1\r\n:2\r\n":               "[(integer) 1 (integer) 2]",
		"%1\r\n$5\r\nproto\r\n:3\r\n":      `["proto" (integer) 3]`,
		">2\r\n+invalidate\r\n_\r\n":       "[invalidate (nil)]",
		"%1\r\n+a\r\n%1\r\n+b\r\n,inf\r\n": "[a [b inf]]",
	} {
		reply, err := Parse([]byte(give))
		if err != nil || reply.String() != want {
			t.Errorf("%q: got %s, %v, want %s", give, reply.String(), err, want)
		}
		for cut := range len(give) {
			if n, err := Frame([]byte(give[:cut])); n != 0 || err != nil {
				t.Errorf("%q: got %d, %v for a part of a message", give[:cut], n, err)
			}
		}
	}
	if _, err := Frame([]byte("|1\r\n")); !errors.Is(err, ErrMalformed) {
		t.Errorf("an attribute, which is not understood: %v", err)
	}
	if !IsPush([]byte(">1\r\n+x\r\n")) || IsPush([]byte("*1\r\n+x\r\n")) || IsPush(nil) {
		t.Error("only what begins with > is said unasked")
	}
}
