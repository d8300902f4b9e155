package link

import (
	"errors"
	"slices"

	"lockstep/internal/resp"
)

// Protocol is what the clients of a store speak: it makes a dissector for each
// connection. A new one is a file of this package.
type Protocol func() dissector

// dissector cuts the two streams of one connection into messages, and says which of
// them belong to one exchange: a request and its reply. Its methods are not called
// at the same time.
type dissector interface {
	// next looks at what has come in one direction and has not gone on yet, and
	// returns the length of its first message, 0 when that is not complete. An error
	// means that the protocol is another one.
	next(d Direction, part []byte) (n int, m message, err error)
	// withdrawn is told that a request has not gone on after all: it has no reply.
	withdrawn(exchange int64)
}

// message is what a dissector knows of one message.
type message struct {
	exchange int64  // its number on this connection; 0: none, nothing happens to it
	begins   bool   // it is the first one of its direction in the exchange
	mark     string // of a request: what it is recognised by, "" for nothing
	instead  []byte // what goes on when it is lost; nil for nothing
}

var errProtocol = errors.New("another protocol than was expected")

// Redis is the protocol of Redis: replies come in the order of the requests, which
// are recognised by all of their bytes.
func Redis() dissector { return &redisStream{} }

type redisStream struct {
	last     int64
	awaiting []int64 // exchanges whose replies are still to come, in order
}

func (r *redisStream) next(d Direction, part []byte) (int, message, error) {
	n, err := resp.Frame(part)
	if n == 0 || err != nil {
		return 0, message{}, err
	}
	if d == Up {
		r.last++
		r.awaiting = append(r.awaiting, r.last)
		return n, message{exchange: r.last, begins: true, mark: string(part[:n])}, nil
	}
	if len(r.awaiting) == 0 || resp.IsPush(part) { // a message of a subscription, or of version 3
		return n, message{}, nil
	}
	m := message{exchange: r.awaiting[0], begins: true}
	r.awaiting = r.awaiting[1:]
	return n, m, nil
}

func (r *redisStream) withdrawn(exchange int64) {
	r.awaiting = slices.DeleteFunc(r.awaiting, func(e int64) bool { return e == exchange })
}
