// Package linktest opens links for tests, and tests the dissectors of stores' protocols.
package linktest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"lockstep/internal/real/link"
)

// Open opens a link, which is closed with the test.
func Open(t testing.TB, o link.Options) *link.Link {
	t.Helper()
	l, err := link.Open(o)
	return closing(t, l, err)
}

// OpenFront opens a front, which is closed with the test.
func OpenFront(t testing.TB) *link.Front {
	t.Helper()
	f, err := link.OpenFront("127.0.0.1")
	return closing(t, f, err)
}

func closing[C io.Closer](t testing.TB, c C, err error) C {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Switch sets the mode of both directions.
func Switch(l *link.Link, m link.Mode) {
	l.Switch(link.Up, m)
	l.Switch(link.Down, m)
}

// Want cuts a stream that arrives byte by byte into messages, and compares their descriptions: the
// number of the exchange, whether it begins there and may change an entry, its mark.
func Want(t *testing.T, d link.Dissector, way link.Direction, stream []byte, want ...string) {
	t.Helper()
	var got []string
	var part []byte
	for _, b := range stream {
		part = append(part, b)
		n, m, err := d.Next(way, part)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			continue
		}
		if n != len(part) {
			t.Fatalf("a message of %d bytes was seen when %d were there", n, len(part))
		}
		part = nil
		begins := ""
		if m.Begins {
			begins = " begins"
		}
		if m.Changes {
			begins += " changes"
		}
		got = append(got, fmt.Sprintf("%d%s %s", m.Exchange, begins, m.Mark))
	}
	if len(part) > 0 || !slices.Equal(got, want) {
		t.Errorf("%q:\n got %q, and %q is left\nwant %q", stream, got, part, want)
	}
}

// Fuzz checks that any two streams, in pieces of any size, are cut into the same messages without a
// gap, and that invalid bytes are an error, never an empty message. The seeds are streams of either
// direction.
func Fuzz(f *testing.F, protocol link.Protocol, seeds ...string) {
	header := "\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, s := range append(seeds, "\x00\x00\x00\x00", "\xff\xff\xff\xff", header) {
		f.Add([]byte(s), []byte(s), uint8(1))
		f.Add([]byte(s+s), []byte("+OK\r\n>1\r\n:1\r\n"), uint8(7))
	}
	f.Fuzz(func(t *testing.T, up, down []byte, piece uint8) {
		whole, pieces := protocol(), protocol()
		for _, way := range []struct {
			d      link.Direction
			stream []byte
		}{{link.Up, up}, {link.Down, down}} {
			a, aErr := cutAll(t, whole, way.d, way.stream, len(way.stream))
			b, bErr := cutAll(t, pieces, way.d, way.stream, 1+int(piece))
			if (aErr == nil) != (bErr == nil) || len(a) != len(b) {
				t.Fatalf("%q at once is %d messages, %v, and in pieces %d, %v", way.stream, len(a), aErr, len(b), bErr)
			}
			for i := range a {
				if a[i].Exchange != b[i].Exchange || a[i].Begins != b[i].Begins || a[i].Mark != b[i].Mark || a[i].Changes != b[i].Changes || !bytes.Equal(a[i].Instead, b[i].Instead) {
					t.Fatalf("message %d of %q is %+v at once, and %+v in pieces", i, way.stream, a[i], b[i])
				}
				if i%2 == 0 && a[i].Exchange != 0 && way.d == link.Up {
					whole.Withdrawn(a[i].Exchange)
					pieces.Withdrawn(b[i].Exchange)
				}
			}
		}
	})
}

// cutAll cuts a stream that comes in pieces.
func cutAll(t *testing.T, d link.Dissector, way link.Direction, stream []byte, piece int) (out []link.Message, err error) {
	t.Helper()
	var part []byte
	for len(stream) > 0 {
		n := min(piece, len(stream))
		part, stream = append(part, stream[:n]...), stream[n:]
		for {
			n, m, err := d.Next(way, part)
			if n < 0 || n > len(part) {
				t.Fatalf("a message of %d bytes in %d", n, len(part))
			}
			if err != nil {
				return out, err
			}
			if n == 0 {
				break
			}
			out, part = append(out, m), part[n:]
		}
	}
	return out, nil
}
