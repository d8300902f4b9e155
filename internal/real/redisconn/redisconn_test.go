package redisconn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/redisconn"
	"lockstep/internal/store/redis"
)

// said is a server that answers each command of a connection with the next of these texts, and then
// closes it.
func said(t *testing.T, texts ...string) *redisconn.Conn {
	t.Helper()
	addr := realtest.Serve(t, func(c net.Conn) {
		for _, text := range texts {
			if _, err := c.Read(make([]byte, 100)); err != nil {
				return
			}
			_, _ = io.WriteString(c, text)
		}
	})
	conn := must.Get(redisconn.Dial(t.Context(), addr))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// The reply may come when ctx has ended, or at the same moment.
func TestACommandThatWasCutShortCostsItsConnection(t *testing.T) {
	c := said(t, "", ":1\r\n")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the run is over")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := c.Do(ctx, "GET", "a"); !errors.Is(err, why) {
		t.Errorf("%v, want the end of the context", err)
	}
}

func TestARefusalIsTheErrorOfAQuestion(t *testing.T) {
	addr := realtest.Serve(t, func(c net.Conn) { _, _ = io.WriteString(c, "-ERR no\r\n") })
	var refused redis.ServerError
	if _, err := redisconn.Ask(t.Context(), addr, "GET", "a"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}
