package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"lockstep/internal/real/servers"
)

// Servers of ZooKeeper find each other by their configuration, and each has one of
// its own, so each can be told other addresses of the others. There is one more
// way: of two servers that elect, the one with the higher number makes the
// connection. When the other one calls first, it says its own address and is called
// back there. An introducer stands in the way of such calls and puts the address of
// the route in the place of that one.

// peer is what the servers of an ensemble listen on for each other.
type peer struct{ quorum, election string } // host:port

// configFor is the part of the configuration that says to one server where all of
// them are.
func configFor(self int, peers []peer, known [][]peer) string {
	var out strings.Builder
	for i := range peers {
		at := peers[i]
		if i != self && known != nil {
			at = known[self][i]
		}
		_, election, _ := net.SplitHostPort(at.election)
		fmt.Fprintf(&out, "server.%d=%s:%s\n", numberOf(i, len(peers)), at.quorum, election)
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
			errs = append(errs, in.close())
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
			if at.quorum, err = route(from, to, waits.listener.Addr().String()); err != nil {
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
			at.election = in.listener.Addr().String()
			in.back = func() string { return known[to][from].election }
		}
	}
	for _, in := range open { // who calls wants to know about all of them
		in.accept()
	}
	return known, close, nil
}

// introducer hands connections on, and changes what the caller says of itself.
type introducer struct {
	listener net.Listener
	upstream string
	back     func() string // where the caller is to be called back; nil: it says nothing of that
	running  sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

func openIntroducer(upstream string) (*introducer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no address on 127.0.0.1 for the servers of an ensemble to find each other: %w", err)
	}
	return &introducer{listener: listener, upstream: upstream, open: map[net.Conn]bool{}}, nil
}

// accept begins to serve callers.
func (in *introducer) accept() {
	in.running.Go(func() {
		for {
			caller, err := in.listener.Accept()
			if err != nil {
				return // closed
			}
			in.running.Go(func() { in.serve(caller) })
		}
	})
}

// keep remembers an end of a connection, to be closed with the introducer.
func (in *introducer) keep(end net.Conn) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		_ = end.Close() // it was never used
		return false
	}
	in.open[end] = true
	return true
}

func (in *introducer) drop(end net.Conn) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.open, end)
	_ = end.Close() // it may be closed already
}

func (in *introducer) serve(caller net.Conn) {
	if !in.keep(caller) {
		return
	}
	defer in.drop(caller)
	var hello []byte
	if in.back != nil {
		var err error
		if hello, err = readHello(caller, in.back()); err != nil {
			return
		}
	}
	callee, err := in.call()
	if err != nil || !in.keep(callee) {
		return
	}
	defer in.drop(callee)
	if _, err := callee.Write(hello); err != nil {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{callee, caller}, {caller, callee}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // either end may break it
			_ = way[0].Close()
			_ = way[1].Close()
		})
	}
	both.Wait()
}

// An elected server starts to listen to its followers a moment later; a follower that comes
// too early is refused and calls again. A link has accepted the call by then, and can only
// hang up: the follower would consider its leader dead, and start another election, while the
// leader waits for it. So the call is kept for a while.
const (
	callAgain = 10 * time.Millisecond
	callTime  = time.Second
)

// call calls the server. One that only introduces does so once.
func (in *introducer) call() (net.Conn, error) {
	began := time.Now()
	for {
		callee, err := net.Dial("tcp", in.upstream)
		if err == nil || in.back != nil || time.Since(began) > callTime || in.isClosed() {
			return callee, err
		}
		time.Sleep(callAgain)
	}
}

func (in *introducer) isClosed() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.closed
}

func (in *introducer) close() error {
	in.mu.Lock()
	in.closed = true
	for end := range in.open {
		_ = end.Close() // it may be closed already
	}
	in.mu.Unlock()
	err := in.listener.Close()
	in.running.Wait()
	return err
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
