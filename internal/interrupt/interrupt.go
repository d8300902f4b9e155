// Package interrupt ends what no context ends: reading from a pipe, opening one.
package interrupt

import (
	"context"
	"errors"
	"io"
)

// Unless does something that may take for ever and that no context ends: to
// open a pipe, or to read from one, is to wait for its other end. When ctx ends, it
// returns an error at once and leaves f to itself, as the program is about to end.
func Unless[T any](ctx context.Context, doing string, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errors.New("interrupted while " + doing)
	}
}

// Reader is a reader that ends with its context.
type Reader struct {
	Ctx  context.Context
	From io.Reader
}

// Read reads unless the context has ended.
func (r *Reader) Read(p []byte) (int, error) {
	if err := r.Ctx.Err(); err != nil {
		return 0, err
	}
	return r.From.Read(p)
}
