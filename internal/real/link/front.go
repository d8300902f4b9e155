package link

import (
	"net"
	"sync"
)

// Front is one address with a separate link for each caller.
//
// Servers tell each other the addresses of third ones, as a sentinel does with a replica or
// another sentinel, so a server needs one address for all callers. But a partition may cut it
// off from only some of them. A front therefore distinguishes callers by the loopback address
// that they connect from (all of 127/8 is this machine), and connects each to its own link.
type Front struct {
	*Listener

	mu      sync.Mutex
	links   map[string]*Link // by the caller's IP address
	shut    bool
	changed chan struct{} // closed and replaced when shut changes
}

// OpenFront opens an address on a host of the loopback network. Connections of callers that
// Admit has not named are closed.
func OpenFront(host string) (*Front, error) {
	listener, err := Listen(host)
	if err != nil {
		return nil, err
	}
	f := &Front{Listener: listener, links: map[string]*Link{}, changed: make(chan struct{})}
	f.Serve(f.serve)
	return f, nil
}

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
	close(f.changed)
	f.changed = make(chan struct{})
}

// link waits while the front is shut, and returns the link of a caller; nil for none.
func (f *Front) link(ip string) *Link {
	for {
		f.mu.Lock()
		shut, changed, link := f.shut, f.changed, f.links[ip]
		f.mu.Unlock()
		if !shut {
			return link
		}
		select {
		case <-changed:
		case <-f.Closed():
			return nil
		}
	}
}

// serve copies one connection, or closes it if the caller is not admitted.
func (f *Front) serve(caller net.Conn) {
	ip, _, _ := net.SplitHostPort(caller.RemoteAddr().String())
	link := f.link(ip)
	if link == nil {
		return
	}
	if server, err := net.Dial("tcp", link.Addr()); err == nil {
		f.Join(caller, server)
	}
}
