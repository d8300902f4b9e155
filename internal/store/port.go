package store

import (
	"context"
	"strconv"
	"time"

	"lockstep/internal/ports"
)

// Port is a client's way to its store. A store's package makes of it what its locks call, a method
// for each request, so each request is written down once and is the same value in both worlds.
type Port interface {
	// Send sends a request and waits for the answer, at most for the response timeout (and for the
	// request's Patience) or until ctx ends. The value is of the type that the request's documentation
	// names, nil for none. The error is ErrTimeout, ErrConnection, one of ctx, or one of the store.
	Send(ctx context.Context, r ports.Request) (any, error)
	// Dial opens a connection of its own, for what lives as long as one: a session, a watch.
	Dial(ctx context.Context) (Connection, error)
}

// Connection is one connection to one server.
type Connection interface {
	// Send is Port.Send on this connection; ErrConnection once it is broken.
	Send(ctx context.Context, r ports.Request) (any, error)
	// Next waits for the next message that the store sends by itself; ErrConnection when the
	// connection broke.
	Next(ctx context.Context) (any, error)
	Close()
	// GiveUp closes it because its server has been silent or refused: the next one leads to the next server.
	GiveUp()
}

// Hesitant is a Port whose clients take longer than their library says until they reconnect.
type Hesitant interface{ Hesitates() time.Duration }

// Value is the answer to a request as the type that the request names; the zero value beside an error. It panics
// for an answer of another type: read as none, it could pass for the store's word.
func Value[T any](v any, err error) (T, error) {
	if err != nil {
		typed, _ := v.(T)
		return typed, err
	}
	return v.(T), nil
}

// AnswerText is the text of an answer, for reports. A request that is answered by more than a value can
// say has it made its way (Teller).
func AnswerText(r ports.Request, value any) string {
	if t, ok := r.(Teller); ok {
		return t.AnswerText(value)
	}
	switch v := value.(type) {
	case nil:
		return ports.OKText
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case interface{ Text() string }:
		return v.Text()
	}
	panic("store: the answer to " + r.Name() + " has no text")
}

// Teller is a request that says what its answers read like.
type Teller interface{ AnswerText(value any) string }
