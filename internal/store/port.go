package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"lockstep/internal/ports"
)

// Port connects a client to its store. A store's package wraps it in a client with a method for
// each request, so that both worlds send the same values.
type Port interface {
	// Send sends a request and waits for the answer, at most for the response timeout (and for the
	// request's Patience) or until ctx ends. The type of the value is in the documentation of the
	// request, nil for none. The error is ErrTimeout, ErrConnection, one of ctx, or one of the
	// store.
	Send(ctx context.Context, r ports.Request) (any, error)
	// Dial opens a separate connection, for a session or a watch that lives as long as it.
	Dial(ctx context.Context) (Connection, error)
}

// Connection is one connection to one server.
type Connection interface {
	// Send is Port.Send on this connection; ErrConnection once it is broken.
	Send(ctx context.Context, r ports.Request) (any, error)
	// Next waits for the next unsolicited message of the store; ErrConnection once the
	// connection is broken.
	Next(ctx context.Context) (any, error)
	Close()
	// GiveUp closes it because its server was silent or refused: the next connection is to the next
	// server.
	GiveUp()
}

// Hesitant is a Port whose clients take longer to reconnect than their library says.
type Hesitant interface{ Hesitates() time.Duration }

// Value is the answer to a request as the type that the request documents; the zero value with an
// error. It panics for an answer of another type: a zero value could be mistaken for the store's
// answer.
func Value[T any](v any, err error) (T, error) {
	if err != nil {
		typed, _ := v.(T)
		return typed, err
	}
	return v.(T), nil
}

// AnswerText is the text of an answer, a value or an error of the store, for reports, on one line.
// An AnswerFormatter makes its own of a value, and an error may, too.
func AnswerText(r ports.Request, value any, err error) string {
	var refused interface{ Text() string }
	switch {
	case errors.As(err, &refused):
		return refused.Text()
	case err == ports.ErrConnection: // ZooKeeper's answer to a client whose session has ended
		return "(error) " + err.Error()
	case err != nil:
		return err.Error()
	}
	if t, ok := r.(AnswerFormatter); ok {
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
	panic("store: the answer to " + ports.Name(r) + " has no text")
}

// AnswerFormatter is a request whose answers need more than their value for their text.
type AnswerFormatter interface{ AnswerText(value any) string }
