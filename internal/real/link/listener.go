package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"lockstep/internal/real/osproc"
)

// Listener is an address by which servers find each other.
type Listener struct {
	listener net.Listener
	running  sync.WaitGroup
	life     context.Context // ends with Close
	end      context.CancelFunc
}

// Listen opens an address on a host of the loopback network.
func Listen(host string) (*Listener, error) {
	listener, err := osproc.ListenLow(host)
	if err != nil {
		return nil, fmt.Errorf("no address on %s to listen on: %w", host, err)
	}
	l := &Listener{listener: listener}
	l.life, l.end = context.WithCancel(context.Background())
	return l, nil
}

// Addr is where callers connect to.
func (l *Listener) Addr() string { return l.listener.Addr().String() }

// Closed is closed by Close.
func (l *Listener) Closed() <-chan struct{} { return l.life.Done() }

// Serve calls serve for each caller, whose connection is closed when serve returns or the listener
// closes.
func (l *Listener) Serve(serve func(caller net.Conn)) {
	l.running.Go(func() {
		for {
			caller, err := l.listener.Accept()
			if err != nil {
				return // closed
			}
			l.running.Go(func() {
				defer l.own(caller)()
				serve(caller)
			})
		}
	})
}

// own closes a connection with the listener, or when the returned function is called.
func (l *Listener) own(conn net.Conn) (drop func()) {
	stop := context.AfterFunc(l.life, func() { _ = conn.Close() })
	return func() {
		stop()
		_ = conn.Close() // it may be closed already
	}
}

// Join copies between a caller and a server until one of them has closed its connection, and closes
// the server's.
func (l *Listener) Join(caller, server net.Conn) {
	defer l.own(server)()
	var up sync.WaitGroup
	up.Go(func() { carry(server, caller) })
	carry(caller, server)
	_ = caller.Close() // the server has closed its end: no more reads
	up.Wait()
}

// carry copies until one end is closed, and then closes only the writing side of the other one: a
// link may still hold bytes.
func carry(to, from net.Conn) {
	_, _ = io.Copy(to, from) // a broken connection is an end like any other
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// Close closes the address and all connections, and returns when no goroutine of the listener is
// left. It may be called twice.
func (l *Listener) Close() error {
	l.end()
	err := l.listener.Close()
	l.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
