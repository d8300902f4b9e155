package worker

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/redis"
)

// connected returns a port whose harness answers every question, and
// whose server is at addr.
func connected(t testing.TB, addr string) *port {
	t.Helper()
	w, _ := alone(t, 200*time.Millisecond)
	w.redis = []*lines{newLines(addr, 200*time.Millisecond)}
	p := &port{w, w.primary}
	t.Cleanup(func() { w.redis[0].Close() })
	return p
}

// answering is a server that gives the same bytes as answer to everything but
// the greeting of the client library; "" stands for silence, "bye" for closing
// the connection.
func answering(t testing.TB, bytes string) (addr string) {
	t.Helper()
	return realtest.Serve(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			answer := bytes
			if strings.Contains(strings.ToLower(string(buf[:n])), "hello") {
				answer = "-ERR unknown command\r\n"
			}
			if answer == "bye" {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	})
}

func TestRepliesAreWhatTheServerSent(t *testing.T) {
	tests := []struct{ give, want string }{
		{"+OK\r\n", "OK"}, {"$2\r\nOK\r\n", `"OK"`}, {"$-1\r\n", "(nil)"}, {":1\r\n", "(integer) 1"},
		{"*2\r\n:1\r\n$1\r\na\r\n", `[(integer) 1 "a"]`},
		{"-READONLY You can't write\r\n", "(error) READONLY You can't write"},
	}
	for _, tt := range tests {
		p := connected(t, answering(t, tt.give))
		if got := p.Do(context.Background(), redis.Get("lock")); got.String() != tt.want {
			t.Errorf("%q became %v, want %s", tt.give, got, tt.want)
		}
	}
	p := connected(t, answering(t, "-ERR x\r\n"))
	var server redis.ServerError
	if err := p.Do(context.Background(), redis.Get("lock")).Err; !errors.As(err, &server) {
		t.Errorf("an error of the server became %T", err)
	}
}

func TestErrorsAreThoseOfThePort(t *testing.T) {
	closed := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	closed.Close()
	always := func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }
	deadline := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), 50*time.Millisecond)
	}
	cancelled := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		return ctx, cancel
	}
	tests := []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
		addr string
		want error
		took time.Duration
	}{
		{"silence", always, answering(t, ""), ports.ErrTimeout, 200 * time.Millisecond},
		{"the deadline comes first", deadline, answering(t, ""), context.DeadlineExceeded, 50 * time.Millisecond},
		{"a cancellation comes first", cancelled, answering(t, ""), context.Canceled, 50 * time.Millisecond},
		{"the connection closes", always, answering(t, "bye"), ports.ErrConnection, 0},
		{"no server listens", always, closed.Addr().String(), ports.ErrConnection, 0},
		{"not Redis", always, answering(t, "HTTP/1.1 400\r\n"), ports.ErrConnection, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := connected(t, tt.addr)
			ctx, cancel := tt.ctx()
			defer cancel()
			began := time.Now()
			err := p.Do(ctx, redis.Get("lock")).Err
			took := time.Since(began)
			must.Equal(t, err, tt.want)
			if took < tt.took-30*time.Millisecond || took > tt.took+100*time.Millisecond {
				t.Errorf("after %v, want %v", took, tt.took)
			}
		})
	}
}
