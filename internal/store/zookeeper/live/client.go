package live

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store/zookeeper"
)

// client executes requests in ZooKeeper's own protocol. Heartbeats, changes of the server and
// setting watches again are the work of zookeeper.Client in both worlds.
type client struct {
	c livestore.Client

	mu        sync.Mutex
	passwords map[int64]string // of the sessions of this process
}

func connect(c livestore.Client) (livestore.Executor, error) {
	return &client{c: c, passwords: map[int64]string{}}, nil
}

// Do implements livestore.Executor.
func (*client) Do(_ context.Context, _ int, r ports.Request) (any, error) {
	panic("zookeeper: " + ports.Name(r) + " outside of a session")
}

// Close implements livestore.Executor: all connections are lines.
func (*client) Close() error { return nil }

// Mark implements livestore.Marker. Heartbeats and watches that are set again have no path.
func (*client) Mark(r ports.Request) string {
	op := r.Op()
	return mark(op.Name, op.Key)
}

// line is livestore.Line: a connection, on which a session is opened or taken up again.
type line struct {
	client *client
	conn   net.Conn
	in     livestore.Incoming

	mu      sync.Mutex
	last    int32
	waiting map[int32]chan message // by the number of the request
	closing bool                   // the server closes the connection when it has answered
	broken  bool
}

// message is a message of a server after its length and its header, which the first one lacks.
type message struct {
	in   input
	zxid int64
	code int32
}

// settles is how long a new connection is watched before it is used: the link to a dead server
// accepts it, and closes it at once.
const settles = 5 * time.Millisecond

// Open implements livestore.Opener.
func (c *client) Open(ctx context.Context, server int, in livestore.Incoming) (livestore.Line, error) {
	conn, err := c.c.Dial(ctx, "tcp", c.c.Endpoints[server])
	if err != nil {
		return nil, ports.ErrConnection
	}
	_ = conn.SetReadDeadline(time.Now().Add(settles))
	_, err = conn.Read(make([]byte, 1)) // a server sends nothing before the first request
	if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
		_ = conn.Close()
		return nil, ports.ErrConnection
	}
	_ = conn.SetReadDeadline(time.Time{})
	l := &line{client: c, conn: conn, in: in, waiting: map[int32]chan message{}}
	go l.read()
	return l, nil
}

// Close implements livestore.Line.
func (l *line) Close() { _ = l.conn.Close() } // it may be closed already

// Do implements livestore.Line.
func (l *line) Do(ctx context.Context, r ports.Request) (any, error) {
	number := l.number(r)
	_, closing := r.(zookeeper.Close)
	answer, err := l.send(number, closing, l.client.encode(number, r))
	if err != nil {
		return nil, ports.ErrConnection
	}
	select {
	case m, ok := <-answer:
		if !ok {
			return nil, ports.ErrConnection
		}
		if connect, ok := r.(zookeeper.Connect); ok {
			return l.client.opened(connect, m.in)
		}
		return decode(r, m)
	case <-ctx.Done():
		return nil, ports.ErrConnection
	}
}

// number is that of the next message.
func (l *line) number(r ports.Request) int32 {
	switch r.(type) {
	case zookeeper.Connect:
		return opening
	case zookeeper.Ping:
		return pingNumber
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	return l.last
}

func (l *line) send(number int32, closing bool, body []byte) (<-chan message, error) {
	answer := make(chan message, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return nil, ports.ErrConnection
	}
	l.waiting[number], l.closing = answer, l.closing || closing
	_, err := l.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return answer, err
}

// read hands out what the server sends, until the connection breaks.
func (l *line) read() {
	for first := true; ; first = false {
		body, err := readMessage(l.conn)
		if err != nil {
			break
		}
		m, number := message{in: body}, int32(opening)
		if !first {
			number, m.zxid, m.code = m.in.int(), m.in.long(), m.in.int()
		}
		if number == watchNumber {
			kind := zookeeper.EventType(m.in.int())
			m.in.int() // the state of the session
			l.in.Push(zookeeper.Event{Type: kind, Path: m.in.text()})
			continue
		}
		l.mu.Lock()
		if waits := l.waiting[number]; waits != nil {
			delete(l.waiting, number)
			waits <- m
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.broken = true
	for _, waits := range l.waiting {
		close(waits)
	}
	expected := l.closing
	l.mu.Unlock()
	_ = l.conn.Close() // it may be closed already
	if !expected {
		l.in.Broke()
	}
}

// longestMessage is longer than any answer to a lock.
const longestMessage = 1 << 20

func readMessage(from io.Reader) (input, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > longestMessage {
		return nil, fmt.Errorf("zookeeper: a message of %d bytes", n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(from, body)
	return body, err
}
