// Package link puts a Toxiproxy proxy between two processes and tampers with
// what goes through it.
//
// Each direction of a link carries exactly one toxic, added before the proxy
// starts and switched by state that it shares with the Link. Toxics are never
// added or removed while connections exist: Toxiproxy can deadlock when that
// races with a full buffer or a dying server, and its own toxics do not model a
// partition anyway (removing a timeout closes the connection, and what was
// under way is gone).
//
// A link is in one of three modes per direction: it passes bytes on, it holds
// them, or it drops them. Holding is what a partition looks like from inside:
// connections survive, nothing arrives, not even the news that the other end
// has closed, and after the heal the late bytes arrive on the same connection.
//
// Besides, single commands can be tampered with: Watch names one by its mark,
// Tamper then delays or loses its request or its reply. For that, the toxics
// cut the streams into messages, as the store's protocol has them.
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
	Pass Mode = iota // bytes go on
	Hold             // they wait for the next mode
	Drop             // they are lost
)

// Options describes a link.
type Options struct {
	Name     string
	Upstream string       // host:port of the server
	Latency  spread.Range // is added to each message
	LossPPM  int64        // share of commands that lose one half, in millionths
	Seed     uint64       // of the draws for latency and loss
	// Protocol is what goes over the link, Redis when nil.
	Protocol Protocol
	// Raw: the bytes are not requests and replies but one stream, such as that
	// of a primary to its replica. There is nothing to tamper with one by one.
	Raw bool
	// Reached, if set, is told when a watched command reaches Sends or
	// HasExecuted, and says whether the message goes on: not if it was still in the
	// buffers of a process that died at this moment. Then the connection ends instead.
	Reached func(kind faults.MomentKind, cmd Command) (goesOn bool)
	// Lost, if set, is told of each half that was lost by Tamper or by chance;
	// the call is zero when it was chance.
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
	rand    spread.Luck
	modes   [2]Mode          // by direction
	held    [2]bool          // by direction: a message has met a link that holds
	delays  [2]time.Duration // by direction, on top of the latency
	changed chan struct{}    // closed and replaced at each change of modes
	watched []*watch
	opening *conn // of which the accepting goroutine has started one direction
	closed  bool
	carried int64 // see Carried
	orphan  bool  // the caller's machine is lost
}

// Direction is the way that bytes go.
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

// Addr is where clients of the server connect to.
func (l *Link) Addr() string { return l.proxy.Listen }

// Switch sets the mode of one direction.
func (l *Link) Switch(d Direction, m Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.orphan {
		return // the caller sends and hears nothing any more
	}
	if m == Hold && l.modes[d] != Hold {
		l.held[d] = false
	}
	l.modes[d] = m
	l.announce()
}

// Held reports whether anything has had to wait since the link began to hold what goes in
// a direction, the last time.
func (l *Link) Held(d Direction) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[d]
}

// LoseHost makes the machine of the caller vanish. What it has sent goes on, unless the link
// holds it, since no kernel is left to send it again. What is sent to it is lost. To the
// server its connections seem open until the link closes.
func (l *Link) LoseHost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.orphan = true
	if l.modes[Down] = Drop; l.modes[Up] == Hold {
		l.modes[Up] = Drop
	}
	l.announce()
}

// Carried is how many bytes of requests have reached the link.
func (l *Link) Carried() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.carried
}

func (l *Link) hostLost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.orphan
}

// Delay makes all messages of one direction that enter the link from now on
// later by d, on top of the latency.
func (l *Link) Delay(d Direction, by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delays[d] = by
}

// announce wakes the toxics that wait; l.mu is held.
func (l *Link) announce() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// mode returns the mode of a direction, and a channel that is closed when it
// may have changed.
func (l *Link) mode(d Direction) (Mode, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.modes[d] == Hold { // the caller has something to move
		l.held[d] = true
	}
	return l.modes[d], l.changed
}

// passes reports whether the link lets pass what goes in a direction.
func (l *Link) passes(d Direction) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.modes[d] == Pass
}

// due returns when a message that came in at that time is to go out.
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

// Close closes the link and all its connections; it returns when nothing of it
// runs any more. It may be called twice.
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
