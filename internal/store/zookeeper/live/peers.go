package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
)

// Servers of ZooKeeper find each other by their configurations, which may give each server
// other addresses of the others. There is one more way: of two servers that elect, the one with
// the higher number makes the connection. When the other one calls first, it sends its own address
// and is called back there. An introducer intercepts such calls and replaces that address by the
// address of the route.

// peer is what the servers of an ensemble listen on for each other.
type peer struct{ quorum, election string } // host:port

// configFor is the part of one server's configuration with the addresses of all servers.
func configFor(self int, peers []peer, known [][]peer) string {
	var out strings.Builder
	for i := range peers {
		at := peers[i]
		if i != self && known != nil {
			at = known[self][i]
		}
		fmt.Fprintf(&out, "server.%d=%s:%d\n", numberOf(i, len(peers)), at.quorum, servers.Port(at.election))
	}
	return out.String()
}

// numberOf is the number of a server: the higher one wins an election of equals, and
// the first one is to lead.
func numberOf(i, members int) int { return members - i }

// findRoutes asks for the routes of all pairs: known[from][to] is where a server
// finds another one.
func findRoutes(peers []peer, route servers.Route) (known [][]peer, close func() error, err error) {
	var open []*introducer
	close = func() error {
		var errs []error
		for _, in := range open {
			errs = append(errs, in.Close())
		}
		return errors.Join(errs...)
	}
	known = make([][]peer, len(peers))
	for from := range peers {
		known[from] = make([]peer, len(peers))
		for to := range peers {
			if from == to {
				continue
			}
			at := &known[from][to]
			waits, err := openIntroducer(peers[to].quorum)
			if err != nil {
				return nil, close, err
			}
			open = append(open, waits)
			if at.quorum, err = route(from, to, waits.Addr()); err != nil {
				return nil, close, err
			}
			election, err := route(from, to, peers[to].election)
			if err != nil {
				return nil, close, err
			}
			in, err := openIntroducer(election)
			if err != nil {
				return nil, close, err
			}
			open = append(open, in)
			at.election = in.Addr()
			in.back = func() string { return known[to][from].election }
		}
	}
	for _, in := range open { // back reads addresses of all routes
		in.Serve(in.serve)
	}
	return known, close, nil
}

// introducer forwards connections, and replaces the address that the caller sends of itself.
type introducer struct {
	*link.Listener
	upstream string
	back     func() string // where the caller is to be called back; nil: it sends no address
}

func openIntroducer(upstream string) (*introducer, error) {
	listener, err := link.Listen("127.0.0.1")
	return &introducer{Listener: listener, upstream: upstream}, err
}

func (in *introducer) serve(caller net.Conn) {
	var hello []byte
	if in.back != nil {
		var err error
		if hello, err = readHello(caller, in.back()); err != nil {
			return
		}
	}
	callee, err := in.call()
	if err != nil {
		return
	}
	if _, err := callee.Write(hello); err != nil {
		_ = callee.Close()
		return
	}
	in.Join(caller, callee)
}

// An elected server starts to listen to its followers a moment later; a follower that calls
// too early is refused and calls again. A link has already accepted the call by then, and can only
// close it: the follower would consider its leader dead, and start another election, while the
// leader waits for it. So the call is held for a while.
const (
	callAgain = 10 * time.Millisecond
	callTime  = time.Second
)

// call calls the server; for an election only once.
func (in *introducer) call() (net.Conn, error) {
	for began := time.Now(); ; {
		callee, err := net.Dial("tcp", in.upstream)
		if err == nil || in.back != nil || time.Since(began) > callTime {
			return callee, err
		}
		select {
		case <-in.Closed():
			return nil, err
		case <-time.After(callAgain):
		}
	}
}

// readHello reads the first message of a connection between two servers that elect,
// and returns it with another address: the version of the protocol, the caller's
// number, the length of its address and the address (QuorumCnxManager).
func readHello(caller io.Reader, address string) ([]byte, error) {
	const fixed = 8 + 8 + 4
	var head [fixed]byte
	if _, err := io.ReadFull(caller, head[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(head[fixed-4:])
	const longest = 1024
	if length > longest {
		return nil, errors.New("an address of " + strconv.Itoa(int(length)) + " bytes: not the protocol of an election")
	}
	if _, err := io.CopyN(io.Discard, caller, int64(length)); err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(head[fixed-4:], uint32(len(address)))
	return append(head[:], address...), nil
}
