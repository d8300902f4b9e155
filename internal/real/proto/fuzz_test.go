package proto

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
)

// socket is an end of a connection.
type socket struct {
	io.Reader
	io.Writer
}

func (socket) Close() error { return nil }

// Any input at either end of the socket is a message that can be written again unchanged, or an
// error that wraps ErrMessage, and reading ends. A message that passes its check is safe to use.
func FuzzReceive(f *testing.F) {
	for _, s := range []string{
		`{"k":"ready"}`, `{"k":"event","e":1,"at":5,"srv":0,"text":"<\u2028"}`, `{"k":"event","e":255,"srv":-1}`, `{"k":"call","wants":[24,25],"mark":"m","srv":9}`,
		`{"id":1,"go":{"Zero":1,"Begin":2}}`, `{"id":1,"lead":7}`, `{"clock":{"DriftPPM":-1000000}}`, `{"Endpoints":["a"],"First":3,"Clock":{"DriftPPM":9}}`, `null`, `[]`, `{"k":`,
	} {
		f.Add([]byte(s + "\n" + s))
		f.Add([]byte(s + "\r\n\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		each(t, data, func(m *Up) error {
			const servers = 2
			err := m.Check(servers)
			if err == nil && m.Kind == Event && (m.Server < 0 || m.Server >= servers) {
				t.Fatalf("server %d passes", m.Server)
			}
			var once, twice bytes.Buffer
			must.Do(t, NewConn(socket{nil, &once}).Send(m))
			var back Up
			if readErr := NewConn(socket{bytes.NewReader(once.Bytes()), nil}).Receive(&back); readErr != nil {
				t.Fatalf("%s is not read: %v", &once, readErr)
			}
			if _ = NewConn(socket{nil, &twice}).Send(back); once.String() != twice.String() {
				t.Fatalf("%s became %s", &once, &twice)
			}
			return err
		})
		each(t, data, func(m *Down) error {
			err := m.Check(2)
			if err == nil && m.Clock != nil {
				use(*m.Clock)
			}
			return err
		})
		each(t, data, func(m *Start) error {
			err := m.Check()
			if err == nil {
				use(m.Clock)
				_, _, _ = m.Endpoints[m.First], m.Endpoints[len(m.Known):], m.Endpoints[0]
			}
			return err
		})
	})
}

// each reads all messages of one kind; there cannot be more than lines.
func each[M any](t *testing.T, data []byte, look func(*M) error) {
	t.Helper()
	c := NewConn(socket{bytes.NewReader(data), nil})
	for range bytes.Count(data, []byte("\n")) + 1 {
		var m M
		err := c.Receive(&m)
		if err == nil {
			err = look(&m)
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil && (!errors.Is(err, ErrMessage) || len(err.Error()) > 4000) {
			t.Fatalf("%v", err)
		}
	}
	t.Fatalf("more messages than lines in %q", data)
}

// use divides by numbers that an invalid clock may make zero.
func use(c Clock) {
	_ = c.Lasts(time.Second)
	_ = c.Drifting(time.Hour, 1).Wall(time.Hour)
}

func TestAClockHasAnOffsetAndADrift(t *testing.T) {
	c := Clock{Offset: -time.Hour, DriftPPM: 50_000}
	must.Equalf(t, c.Wall(100*time.Second), 105*time.Second-time.Hour, "the wall clock")
	must.Equalf(t, c.Lasts(105*time.Second), 100*time.Second, "105 s on the clock last")
	must.Equalf(t, c.Mono(3000*time.Hour), 3150*time.Hour, "after months the clock")
}

// An endless message does not fill the memory.
func TestALineThatIsTooLongIsNoMessage(t *testing.T) {
	endless := io.LimitReader(endlessly('x'), 1<<40)
	c := NewConn(socket{endless, nil})
	var m Up
	if err := c.Receive(&m); !errors.Is(err, ErrMessage) || !strings.Contains(err.Error(), "more than 16777216 bytes") {
		t.Errorf("got %v", err)
	}
}

type endlessly byte

func (e endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
