// Package link puts a Toxiproxy proxy between two processes and tampers with its traffic.
//
// Each direction of a link has exactly one toxic, added before the proxy starts and switched by
// state that it shares with the Link. Toxics are never added or removed while connections
// exist: Toxiproxy can deadlock when that coincides with a full buffer or a dying server, and
// its own toxics do not model a partition (removing a timeout closes the connection and loses
// the bytes under way).
//
// Each direction of a link passes bytes on, holds them, or drops them. A link that holds is a
// partition: connections survive, nothing arrives, not even the end of the connection, and
// after the heal the late bytes arrive on the same connection.
//
// Single commands can be tampered with, too: Watch announces one by its mark, and Postpone and
// Lose then delay or lose its request or its reply. For that, the toxics cut the streams into
// messages of the store's protocol.
package link

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"lockstep/internal/faults"
	"lockstep/internal/rng"
	"lockstep/internal/rng/spread"
)

// Mode is what a direction of a link does with bytes.
type Mode uint8

// The modes.
const (
	Pass Mode = iota // bytes pass
	Hold             // bytes wait for the next mode
	Drop             // bytes are lost
)

// Options describes a link.
type Options struct {
	Name     string
	Upstream string       // host:port of the server
	Latency  spread.Range // of each message
	LossPPM  int64        // share of commands that lose one half, in millionths
	Seed     uint64       // of the draws for latency and loss
	Protocol Protocol     // nil: Redis
	// Raw: the bytes are not requests and replies but one stream, such as that of a primary to
	// its replica. Single messages cannot be tampered with.
	Raw bool
	// Reached, if set, is called when a watched command reaches Sends or HasExecuted, and
	// reports whether the message passes. It does not, and the connection ends, if it was still
	// in the buffers of a process that died at this moment.
	Reached func(kind faults.MomentKind, cmd Command) (passes bool)
	// Lost, if set, is called for each half that is lost by Lose or by chance; the call is zero
	// when it was chance.
	Lost func(call faults.Call, half faults.Half)
}

// Link is a running link. Its methods are safe for concurrent use.
type Link struct {
	o     Options
	id    string
	proxy *toxiproxy.Proxy
	done  chan struct{}  // closed when the link closes: toxics drain and end
	pipes sync.WaitGroup // running toxics

	mu      sync.Mutex
	rand    spread.Source
	modes   [2]Mode          // by direction
	held    [2]bool          // by direction, see Held
	delays  [2]time.Duration // by direction, on top of the latency
	changed chan struct{}    // closed and replaced at each change of modes
	watched []*watch
	opening *conn // with one direction started, see NewState
	closed  bool
	changes []*Change // in the order in which they came
	orphan  bool      // see LoseHost
}

// Direction is a direction of a link.
type Direction int

// The two directions. Requests go up, replies come down.
const (
	Up Direction = iota
	Down
)

// Open starts a link to a server.
func Open(o Options) (*Link, error) {
	if o.Protocol == nil {
		o.Protocol = Redis
	}
	l := &Link{
		o: o, done: make(chan struct{}), changed: make(chan struct{}),
		rand: rng.Plain(o.Seed, 0x6c696e6b),
	}
	l.id = enroll(l)
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	l.proxy = toxiproxy.NewProxy(server, o.Name, "127.0.0.1:0", o.Upstream)
	for _, stream := range []string{"upstream", "downstream"} {
		text := fmt.Sprintf(`{"name":%q,"type":%q,"stream":%q,"attributes":{"link":%q,"up":%t}}`,
			stream, toxicType, stream, l.id, stream == "upstream")
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(text)); err != nil {
			dismiss(l.id)
			return nil, fmt.Errorf("link %s: the toxic was not accepted: %w", o.Name, err)
		}
	}
	if err := l.proxy.Start(); err != nil {
		dismiss(l.id)
		return nil, fmt.Errorf("link %s cannot listen on 127.0.0.1: %w", o.Name, err)
	}
	return l, nil
}

// Addr is the address for clients of the server.
func (l *Link) Addr() string { return l.proxy.Listen }

// Switch sets the mode of one direction.
func (l *Link) Switch(d Direction, m Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.orphan {
		return // the caller's machine is lost
	}
	if m == Hold && l.modes[d] != Hold {
		l.held[d] = false
	}
	l.modes[d] = m
	l.announce()
}

// Held reports whether any message has had to wait since a direction was last switched to Hold.
func (l *Link) Held(d Direction) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[d]
}

// LoseHost makes the machine of the caller vanish. Its requests pass, except those that the link
// holds, since no kernel is left to send them again. Replies to it are lost. For the server its
// connections stay open until the link closes.
func (l *Link) LoseHost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.orphan = true
	if l.modes[Down] = Drop; l.modes[Up] == Hold {
		l.modes[Up] = Drop
	}
	l.announce()
}

// Change is a request that may change an entry, and its reply, as bytes of the protocol. The link
// has the reply even if its client does not get it.
type Change struct {
	Name           string // see Message
	Bytes          [2][]byte
	Sent, Answered time.Time // when the first byte of the request and the last of the reply came
}

// Changes is the number of requests that have reached the link and may change an entry.
func (l *Link) Changes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.changes))
}

// Changed returns these requests.
func (l *Link) Changed() (all []Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.changes {
		all = append(all, *c)
	}
	return all
}

func (l *Link) hostLost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.orphan
}

// Delay delays all messages that enter the link in one direction from now on, in addition to the
// latency.
func (l *Link) Delay(d Direction, by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delays[d] = by
}

// announce wakes the waiting toxics; l.mu is held.
func (l *Link) announce() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// mode returns the mode of a direction, and a channel that is closed when it
// may have changed.
func (l *Link) mode(d Direction) (Mode, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.modes[d] == Hold { // the caller has a message
		l.held[d] = true
	}
	return l.modes[d], l.changed
}

// passes reports whether messages in a direction pass.
func (l *Link) passes(d Direction) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.modes[d] == Pass
}

// due returns when a message that arrived at that time is to leave.
func (l *Link) due(d Direction, came time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return came.Add(l.delays[d] + l.o.Latency.Draw(l.rand))
}

func (l *Link) closing() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// closeTime bounds the closing of a link.
const closeTime = 5 * time.Second

// Close closes the link and all its connections, and returns when no goroutine of it is left. It
// may be called twice.
func (l *Link) Close() error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return nil
	}
	close(l.done)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		l.proxy.Stop()
		l.pipes.Wait()
		dismiss(l.id)
	}()
	select {
	case <-stopped:
		return nil
	case <-time.After(closeTime):
		return errors.New("link " + l.o.Name + " did not close within " + closeTime.String() + ": a connection of its proxy hangs")
	}
}
