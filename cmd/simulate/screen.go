package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// screen is stdout, watched: what cannot be printed must not look like success,
// and nobody has to look at the error of every line.
type screen struct {
	w    io.Writer
	gone bool  // whoever read it has closed it, as head does; nothing is printed any more
	err  error // the first other one
}

func newScreen() *screen { return &screen{w: os.Stdout} }

func (s *screen) Write(data []byte) (int, error) {
	if s.gone {
		return len(data), nil
	}
	n, err := s.w.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		s.gone = true
		return len(data), nil
	}
	if err != nil && s.err == nil {
		s.err = &environmentError{fmt.Errorf("cannot print: %w; send the output to another place", err)}
	}
	return n, err
}

// errorForBrokenPipe makes an error of writing out of the signal that would end the program
// in the middle of a run when the reader of its output is gone. It is caught and not
// ignored, since the servers that we start would inherit that.
func errorForBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
