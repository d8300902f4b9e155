// Package interrupt ends operations that no context ends, such as opening a pipe or reading from
// one.
package interrupt

import (
	"context"
	"errors"
	"io"
)

// Unless calls f, which may block for ever. When ctx ends, it returns an error at once and
// abandons f, since the program is about to end.
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
