package bubble

import (
	"io"
	"net"
	"os"
	"sync"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/sim"
	"lockstep/internal/store/redis/resp"
)

// conn is the connection of a client library. It parses the library's commands
// and passes them to the kernel, as messages of the simulated network.
type conn struct {
	client *Client
	id     int64
	local  address
	remote address
	ready  chan struct{} // signals a change for the reader

	mu       sync.Mutex
	sent     []byte // the beginning of a command
	received []byte
	over     error // after the last byte; nil while the connection is open
	closed   bool
	deadline time.Time // of reading

	// Of the kernel.
	socket   *sim.Socket
	version  int // of the protocol
	asked    []encoder
	multi    bool     // MULTI was sent, and neither EXEC nor DISCARD since
	channels []string // subscriptions
}

var _ net.Conn = (*conn)(nil)

// Read implements net.Conn. After a pause it returns the bytes received meanwhile, even if the
// deadline has passed.
func (c *conn) Read(p []byte) (int, error) {
	for {
		if !c.client.gate.pass() {
			return 0, net.ErrClosed
		}
		c.mu.Lock()
		n := copy(p, c.received)
		c.received = c.received[n:]
		closed, over, left := c.closed, c.over, time.Duration(0)
		if !c.deadline.IsZero() {
			left = max(time.Until(c.deadline), 1)
		}
		late := !c.deadline.IsZero() && !c.deadline.After(time.Now())
		c.mu.Unlock()
		switch {
		case n > 0 || len(p) == 0:
			return n, nil
		case closed:
			return 0, net.ErrClosed
		case over != nil:
			return 0, over
		case late:
			c.client.post(func() { c.socket.StopWaiting(ports.ErrTimeout) })
			return 0, os.ErrDeadlineExceeded
		}
		c.await(left)
	}
}

// await waits for a change, at most for the limit unless that is 0.
func (c *conn) await(limit time.Duration) {
	var timeUp <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		timeUp = t.C
	}
	select {
	case <-c.ready:
	case <-timeUp:
	case <-c.client.gate.over:
	}
}

// Write implements net.Conn. It does not wait for the network.
func (c *conn) Write(p []byte) (int, error) {
	if !c.client.gate.pass() {
		return 0, net.ErrClosed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return 0, net.ErrClosed
	case c.over != nil:
		return 0, c.over
	}
	c.sent = append(c.sent, p...)
	for {
		n, err := resp.Frame(c.sent)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return len(p), nil
		}
		message, err := resp.Parse(c.sent[:n])
		if err != nil {
			return 0, err
		}
		c.sent = c.sent[n:]
		args := message.Words()
		c.client.post(func() { c.request(args) })
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	c.look()
	if !was {
		c.client.post(func() { c.socket.Close(ports.ErrConnection) })
	}
	return nil
}

// look wakes the reader.
func (c *conn) look() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// receive appends to the received bytes.
func (c *conn) receive(more func(buf []byte) []byte) {
	c.mu.Lock()
	c.received = more(c.received)
	c.mu.Unlock()
	c.look()
}

// Broken implements sim.Sink.
func (c *conn) Broken() {
	c.mu.Lock()
	c.over = io.EOF
	c.mu.Unlock()
	c.look()
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = t
	c.mu.Unlock()
	c.look()
	return nil
}

// SetWriteDeadline implements net.Conn: no write takes any time.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// address is the address of a node.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
