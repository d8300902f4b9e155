package main

import (
	"fmt"
	"io"
	"os"
)

// screen is stdout, watched: what cannot be printed must not look like success,
// and nobody has to look at the error of every line.
type screen struct {
	w   io.Writer
	err error // the first one
}

func newScreen() *screen { return &screen{w: os.Stdout} }

func (s *screen) Write(data []byte) (int, error) {
	n, err := s.w.Write(data)
	if err != nil && s.err == nil {
		s.err = &environmentError{fmt.Errorf("cannot print: %w; send the output to another place", err)}
	}
	return n, err
}
