package sql

import (
	"context"
	"errors"

	"lockstep/internal/store"
)

// Client is a database as one client sees it.
type Client struct{ store.Port }

// Exec runs one statement on any connection of the pool, in autocommit mode.
func (c Client) Exec(ctx context.Context, stmt Stmt) Result { return result(c.Send(ctx, stmt)) }

// Open opens a connection of its own, which is a session with its transactions and named
// locks. The session ends with the connection.
func (c Client) Open(ctx context.Context) (Session, error) {
	own, err := c.Dial(ctx)
	return Session{own}, err
}

// Session is one session with the database.
type Session struct{ own store.Connection }

// Exec runs one statement. After one without an answer the session is closed, as drivers do: a late
// answer would be taken for the answer to the next statement.
func (s Session) Exec(ctx context.Context, stmt Stmt) Result {
	res := result(s.own.Send(ctx, stmt))
	var answered *Error
	if res.Err != nil && !errors.As(res.Err, &answered) {
		s.own.Close()
	}
	return res
}

// Close ends the session.
func (s Session) Close() { s.own.Close() }

// result is a result with the error of the network or the database.
func result(v any, err error) Result {
	res, _ := v.(Result)
	res.Err = err
	return res
}
