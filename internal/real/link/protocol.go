package link

import (
	"errors"
	"net/textproto"
	"slices"
	"strings"

	"lockstep/internal/store/redis/resp"
)

// Protocol makes a dissector for each connection of a store.
type Protocol func() Dissector

// Dissector cuts the two streams of one connection into messages, and groups them into
// exchanges: a request and its reply. Calls are serialized.
type Dissector interface {
	// Next returns the length of the first message of part, the bytes of one direction that have
	// not passed yet; 0 when it is incomplete. An error means that the protocol is another one.
	Next(d Direction, part []byte) (n int, m Message, err error)
	// Withdrawn is called when a request does not pass after all: it has no reply.
	Withdrawn(exchange int64)
}

// Message is what a dissector knows of one message.
type Message struct {
	Exchange int64  // its number on this connection; 0: none, so it is not tampered with
	Begins   bool   // it is the first one of its direction in the exchange
	Mark     string // of a request, to recognise it by; "" for none
	Changes  bool   // it begins a request that may change an entry; unknown with Redis
	Name     string // of such a request, unless its bytes say it
	Instead  []byte // passes in its place when it is lost; nil for nothing
}

// ErrProtocol is the error of a stream in another protocol than the store's.
var ErrProtocol = errors.New("not the expected protocol")

// MaxMessage is longer than any message of a lock, in bytes.
const MaxMessage = 64 << 20

// Turns are exchanges that follow each other: each reply belongs to the last request.
type Turns struct {
	last    int64
	Current int64 // 0: none
	replied bool
}

// Ask begins an exchange.
func (t *Turns) Ask() int64 {
	t.last++
	t.Current, t.replied = t.last, false
	return t.Current
}

// Answer is a message of the server.
func (t *Turns) Answer() Message {
	m := Message{Exchange: t.Current, Begins: t.Current != 0 && !t.replied}
	t.replied = true
	return m
}

// Withdrawn implements Dissector: the rest of the request is lost as well, and has no reply.
func (t *Turns) Withdrawn(int64) {}

// Tagged is a protocol whose replies identify their requests.
type Tagged struct{}

// Withdrawn implements Dissector: a Tagged has no state.
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

// Redis is the protocol of Redis: replies come in the order of the requests, and a request is
// recognised by all of its bytes.
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
	if len(r.awaiting) == 0 || resp.IsPush(part) { // a published message, or a push of version 3
		return n, Message{}, nil
	}
	m := Message{Exchange: r.awaiting[0], Begins: true}
	r.awaiting = r.awaiting[1:]
	return n, m, nil
}

func (r *redisStream) Withdrawn(exchange int64) {
	r.awaiting = slices.DeleteFunc(r.awaiting, func(e int64) bool { return e == exchange })
}
