package link

import (
	"errors"
	"net/textproto"
	"slices"
	"strings"

	"lockstep/internal/store/redis/resp"
)

// Protocol is what the clients of a store speak: it makes a dissector for each
// connection.
type Protocol func() Dissector

// Dissector cuts the two streams of one connection into messages, and says which of
// them belong to one exchange: a request and its reply. Its methods are not called
// at the same time.
type Dissector interface {
	// Next looks at what has come in one direction and has not gone on yet, and
	// returns the length of its first message, 0 when that is not complete. An error
	// means that the protocol is another one.
	Next(d Direction, part []byte) (n int, m Message, err error)
	// Withdrawn is told that a request has not gone on after all: it has no reply.
	Withdrawn(exchange int64)
}

// Message is what a dissector knows of one message.
type Message struct {
	Exchange int64  // its number on this connection; 0: none, nothing happens to it
	Begins   bool   // it is the first one of its direction in the exchange
	Mark     string // of a request: what it is recognised by, "" for nothing
	Instead  []byte // what goes on when it is lost; nil for nothing
}

// ErrProtocol is the error of a stream that is none of the store's.
var ErrProtocol = errors.New("another protocol than was expected")

// MaxMessage is more than anything that a lock sends or is sent.
const MaxMessage = 64 << 20

// Turns are exchanges that follow each other: all that comes back belongs to the
// last request.
type Turns struct {
	last    int64
	Current int64 // 0: none is going on
	replied bool
}

// Ask begins an exchange.
func (t *Turns) Ask() int64 {
	t.last++
	t.Current, t.replied = t.last, false
	return t.Current
}

// Answer is a message that comes back.
func (t *Turns) Answer() Message {
	m := Message{Exchange: t.Current, Begins: t.Current != 0 && !t.replied}
	t.replied = true
	return m
}

// Withdrawn implements Dissector: the rest of the request is withdrawn as well, and
// nothing comes back.
func (t *Turns) Withdrawn(int64) {}

// Tagged is a protocol whose replies say whose they are.
type Tagged struct{}

// Withdrawn implements Dissector: there is nothing to forget.
func (Tagged) Withdrawn(int64) {}

// Header returns the value of a header among the lines of a message, "" when it is not there.
func Header(head []byte, name string) string {
	for line := range strings.SplitSeq(string(head), "\r\n") {
		if key, value, ok := strings.Cut(line, ":"); ok && textproto.CanonicalMIMEHeaderKey(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Redis is the protocol of Redis: replies come in the order of the requests, which
// are recognised by all of their bytes.
func Redis() Dissector { return &redisStream{} }

type redisStream struct {
	last     int64
	awaiting []int64 // exchanges whose replies are still to come, in order
}

func (r *redisStream) Next(d Direction, part []byte) (int, Message, error) {
	n, err := resp.Frame(part)
	if n == 0 || err != nil {
		return 0, Message{}, err
	}
	if d == Up {
		r.last++
		r.awaiting = append(r.awaiting, r.last)
		return n, Message{Exchange: r.last, Begins: true, Mark: string(part[:n])}, nil
	}
	if len(r.awaiting) == 0 || resp.IsPush(part) { // a message of a subscription, or of version 3
		return n, Message{}, nil
	}
	m := Message{Exchange: r.awaiting[0], Begins: true}
	r.awaiting = r.awaiting[1:]
	return n, m, nil
}

func (r *redisStream) Withdrawn(exchange int64) {
	r.awaiting = slices.DeleteFunc(r.awaiting, func(e int64) bool { return e == exchange })
}
