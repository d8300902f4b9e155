package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"lockstep/internal/real/link"
	"lockstep/internal/world"
)

// Numbers of the wire protocol (ZooDefs.OpCode and the numbers of messages that
// no request has).
const (
	zkOpPing, zkOpSetWatches, zkOpClose = 11, 101, -11
	zkPingNumber                        = -2
)

// zkWire is a connection of go-zookeeper. It looks at what goes over it, because
// the library sends by itself what nobody asked it for, and tells nobody which
// timeout the server has granted.
//
// A message is its length and then, for a request, its number and what it asks
// for; for a reply, the request's number first. The first message in each
// direction has neither: it opens the session.
type zkWire struct {
	net.Conn
	session *zkSession
	server  int    // index of its endpoint
	task    string // in whose name it was made

	mu      sync.Mutex
	opening *call             // until it is answered
	open    bool              // it has been
	own     map[int32][]*call // the library's own requests by number; heartbeats have all the same
	closing int32             // number of the request that ends the session
	closed  bool              // that one was answered
	in      []byte            // of a message that is not complete
}

// errSessionOver tells the library that there is nothing to connect for any more.
var errSessionOver = errors.New("the session is over")

// dial makes a connection for the library.
func (s *zkSession) dial(network, endpoint string, timeout time.Duration) (net.Conn, error) {
	s.mu.Lock()
	over, task := s.over, s.task
	s.mu.Unlock()
	if over {
		return nil, errSessionOver
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(timeout, s.port.w.start.Timeout))
	defer cancel()
	conn, err := s.port.dial(ctx, network, endpoint)
	if err != nil {
		return nil, err
	}
	wire := &zkWire{Conn: conn, session: s, task: task, own: map[int32][]*call{}}
	wire.server = max(0, slices.Index(s.port.endpoints, endpoint))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		_ = conn.Close() // it was not used
		return nil, errSessionOver
	}
	s.wire = wire
	return wire, nil
}

// granted keeps what a server has granted.
func (s *zkSession) granted(id int64, timeout time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.timeout = id, timeout
}

// Write implements net.Conn. The library writes whole messages.
func (c *zkWire) Write(message []byte) (int, error) {
	c.sends(zkMessage(message[min(4, len(message)):]))
	return c.Conn.Write(message)
}

func (c *zkWire) sends(m zkMessage) {
	w := c.session.port.w
	c.mu.Lock()
	first := !c.open && c.opening == nil
	c.mu.Unlock()
	if first {
		m.skip(4 + 8) // the protocol's version, the latest transaction
		timeout, session := m.millis(), m.long()
		opening := w.begin(c.server, c.task, world.ZKConnect{Timeout: timeout, Session: session}, link.ZooKeeperMark("CONNECT", ""))
		c.mu.Lock()
		c.opening = opening
		c.mu.Unlock()
		return
	}
	number, op := m.int(), m.int()
	var own *call
	switch op {
	case zkOpPing:
		own = w.begin(c.server, world.Watchdog, world.ZKPing{}, link.ZooKeeperMark("PING", ""))
	case zkOpSetWatches:
		since := m.long()
		own = w.begin(c.server, world.Watchdog, world.ZKSetWatches{Since: since, Data: m.texts(), Exist: m.texts()}, link.ZooKeeperMark("SETWATCHES", ""))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if own != nil {
		c.own[number] = append(c.own[number], own)
	}
	if op == zkOpClose {
		c.closing = number
	}
}

// Read implements net.Conn.
func (c *zkWire) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.in = append(c.in, into[:n]...)
	for len(c.in) >= 4 {
		end := 4 + int(binary.BigEndian.Uint32(c.in))
		if len(c.in) < end {
			break
		}
		c.receives(zkMessage(c.in[4:end]))
		c.in = c.in[end:]
	}
	return n, err
}

func (c *zkWire) receives(m zkMessage) {
	c.mu.Lock()
	if !c.open {
		opening := c.opening
		c.opening, c.open = nil, true
		c.mu.Unlock()
		c.opened(opening, m)
		return
	}
	number := m.int()
	var answered *call
	if calls := c.own[number]; len(calls) > 0 {
		answered, c.own[number] = calls[0], calls[1:]
	}
	c.closed = c.closed || (c.closing != 0 && number == c.closing)
	c.mu.Unlock()
	if answered != nil {
		answered.answered(world.OKText)
	}
}

// opened is the server's answer to the first message.
func (c *zkWire) opened(opening *call, m zkMessage) {
	m.skip(4)
	timeout, session := m.millis(), m.long()
	if session == 0 {
		if opening != nil {
			opening.answered(errorText(world.ErrSessionExpired))
		}
		return
	}
	c.session.granted(session, timeout)
	if opening != nil {
		opening.answered(world.ZKSessionText(session, timeout))
	}
}

// SetReadDeadline implements net.Conn. The library gives a server ten times as
// long for the first message as for the others.
func (c *zkWire) SetReadDeadline(at time.Time) error {
	if latest := time.Now().Add(2 * c.session.Timeout() / 3); at.After(latest) {
		at = latest
	}
	return c.Conn.SetReadDeadline(at)
}

// Close implements net.Conn; it may be called several times. What the library
// waits for will not come any more.
func (c *zkWire) Close() error {
	err := c.Conn.Close()
	c.mu.Lock()
	lost := c.own
	opening := c.opening
	c.own, c.opening, c.open = map[int32][]*call{}, nil, true
	c.mu.Unlock()
	if opening != nil {
		opening.failed(world.ErrConnection)
	}
	for _, calls := range lost { // order: reports are sorted by their time
		for _, own := range calls {
			own.failed(world.ErrConnection)
		}
	}
	return err
}

func (c *zkWire) hasClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// zkMessage is the rest of a message of the wire; what is missing at its end reads
// as zero.
type zkMessage []byte

func (m *zkMessage) skip(n int) []byte {
	n = min(max(n, 0), len(*m))
	out := (*m)[:n]
	*m = (*m)[n:]
	return out
}

func (m *zkMessage) int() int32 {
	var raw [4]byte
	copy(raw[:], m.skip(4))
	return int32(binary.BigEndian.Uint32(raw[:]))
}

func (m *zkMessage) long() int64 {
	var raw [8]byte
	copy(raw[:], m.skip(8))
	return int64(binary.BigEndian.Uint64(raw[:]))
}

func (m *zkMessage) millis() time.Duration { return time.Duration(m.int()) * time.Millisecond }

// texts is a list of texts.
func (m *zkMessage) texts() []string {
	var out []string
	for range min(int(m.int()), len(*m)) {
		out = append(out, string(m.skip(int(m.int()))))
	}
	return out
}
