package link

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"lockstep/internal/real/osproc"
)

// Front is one address with a separate link for each caller.
//
// Servers tell each other the addresses of third ones, as a sentinel does with a replica or
// another sentinel, so a server needs one address for all callers. But a partition may cut it
// off from only some of them. A front therefore distinguishes callers by the loopback address
// that they connect from (all of 127/8 is this machine), and connects each to its own link.
type Front struct {
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	links   map[string]*Link // by the caller's IP address
	open    map[net.Conn]bool
	shut    bool
	changed chan struct{} // closed and replaced when shut or closed changes
	closed  bool
}

// OpenFront opens an address on a host of the loopback network. Connections of callers that
// Admit has not named are closed.
func OpenFront(host string) (*Front, error) {
	listener, err := osproc.ListenLow(host)
	if err != nil {
		return nil, fmt.Errorf("no address on "+host+" for servers to find each other: %w", err)
	}
	f := &Front{listener: listener, links: map[string]*Link{}, open: map[net.Conn]bool{}, changed: make(chan struct{})}
	f.running.Go(f.accept)
	return f, nil
}

// Addr is where callers connect to.
func (f *Front) Addr() string { return f.listener.Addr().String() }

// Admit connects callers from an IP address to a link from now on.
func (f *Front) Admit(ip string, to *Link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.links[ip] = to
}

// Shut makes new callers wait until it is called with false, as if a machine were down: they are
// connected as soon as it is back. (If refused, Redis would retry only once per second.)
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

// link waits while the front is shut, and returns the link of a caller; nil for none.
func (f *Front) link(ip string) *Link {
	for {
		f.mu.Lock()
		shut, closed, changed, link := f.shut, f.closed, f.changed, f.links[ip]
		f.mu.Unlock()
		switch {
		case closed:
			return nil
		case !shut:
			return link
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

// serve copies one connection, or closes it if the caller is not admitted.
func (f *Front) serve(caller net.Conn) {
	defer caller.Close()
	ip, _, _ := net.SplitHostPort(caller.RemoteAddr().String())
	link := f.link(ip)
	if link == nil {
		return
	}
	server, err := net.Dial("tcp", link.Addr())
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

// keep registers open connections for Close; false if Close has been called.
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

// Close closes the address and all connections, and returns when no goroutine of the front is
// left. It may be called twice.
func (f *Front) Close() error {
	f.mu.Lock()
	f.closed = true
	f.announce()
	for c := range f.open { // order: all are closed
		_ = c.Close() // its other end may have closed it
	}
	f.mu.Unlock()
	err := f.listener.Close()
	f.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
