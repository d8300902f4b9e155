package link

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Front is one address behind which every caller has a link of its own.
//
// Servers tell each other where to find third ones: a sentinel tells a replica
// whom to follow, and other sentinels who the primary is. So a server must have
// one address that all callers use. And yet a partition may part it from one caller
// and not from another. A front therefore tells callers apart by the loopback
// address that they call from (all of 127/8 is this machine), and hands each one
// on to the link between the two.
type Front struct {
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	ways    map[string]*Link // by the caller's IP address
	open    map[net.Conn]bool
	shut    bool
	changed chan struct{} // closed and replaced when shut or closed changes
	closed  bool
}

// OpenFront opens an address of that host, one of the loopback network's. It hangs up on
// callers until Admit lets them in.
func OpenFront(host string) (*Front, error) {
	listener, err := listenBelow(host)
	if err != nil {
		return nil, fmt.Errorf("no address on "+host+" for servers to find each other: %w", err)
	}
	f := &Front{listener: listener, ways: map[string]*Link{}, open: map[net.Conn]bool{}, changed: make(chan struct{})}
	f.running.Go(f.accept)
	return f, nil
}

// listenBelow listens on a port that no outgoing connection gets, for a server may have to
// listen on the same one of another address, from which it has calls of its own.
func listenBelow(host string) (listener net.Listener, err error) {
	const lowest, highest, tries = 15000, 32000, 100 // usual systems begin at 32768
	for range tries {
		port := lowest + rand.IntN(highest-lowest)
		if listener, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return listener, nil
		}
	}
	return nil, err
}

// Addr is where callers connect to.
func (f *Front) Addr() string { return f.listener.Addr().String() }

// Admit leads calls that come from an IP address through a link from now on.
func (f *Front) Admit(ip string, way *Link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ways[ip] = way
}

// Shut makes new callers wait until it is called with false, as when a machine is down:
// they are not refused, and get through as soon as it is back. (Redis retries a primary
// that refused it only once per second.)
func (f *Front) Shut(shut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shut = shut
	f.announce()
}

// announce wakes callers that wait; f.mu is held.
func (f *Front) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// way waits until a caller may go on, and returns its link; nil when there is none.
func (f *Front) way(ip string) *Link {
	for {
		f.mu.Lock()
		shut, closed, changed, way := f.shut, f.closed, f.changed, f.ways[ip]
		f.mu.Unlock()
		switch {
		case closed:
			return nil
		case !shut:
			return way
		}
		<-changed
	}
}

func (f *Front) accept() {
	for {
		caller, err := f.listener.Accept()
		if err != nil {
			return // closed
		}
		f.running.Go(func() { f.serve(caller) })
	}
}

// serve carries one connection. It hangs up on callers that are not admitted.
func (f *Front) serve(caller net.Conn) {
	defer caller.Close()
	ip, _, _ := net.SplitHostPort(caller.RemoteAddr().String())
	way := f.way(ip)
	if way == nil {
		return
	}
	server, err := net.Dial("tcp", way.Addr())
	if err != nil {
		return
	}
	defer server.Close()
	if !f.keep(caller, server) {
		return
	}
	defer f.forget(caller, server)
	var up sync.WaitGroup
	up.Go(func() { carry(server, caller) })
	carry(caller, server)
	_ = caller.Close() // the server has hung up: no more reads
	up.Wait()
}

// carry copies until one end is closed, and closes the other one for writing: a
// link that holds its bytes hides from the server that the caller has gone.
func carry(to, from net.Conn) {
	_, _ = io.Copy(to, from) // a broken connection is an end like any other
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// keep remembers open connections for Close; false when it has been called.
func (f *Front) keep(conns ...net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range conns {
		f.open[c] = true
	}
	return !f.closed
}

func (f *Front) forget(conns ...net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range conns {
		delete(f.open, c)
	}
}

// Close closes the address and all connections; it returns when nothing of the
// front runs any more. It may be called twice.
func (f *Front) Close() error {
	f.mu.Lock()
	f.closed = true
	f.announce()
	for c := range f.open { // order: all are closed
		_ = c.Close() // its other end may have been faster
	}
	f.mu.Unlock()
	err := f.listener.Close()
	f.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
