// Package proto is what a harness and its worker processes say to each other:
// one JSON object per line over two pipes that the worker inherits.
//
// A worker mostly reports (events, moments that no fault waits for) and does not
// wait. What it needs an answer for carries a number, and the answer repeats
// it. An answer is also how a worker is held back: when a fault waits for a
// moment, the harness answers after the fault has acted, so that a SIGSTOP
// finds the worker exactly there.
package proto

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// EnvWorker is the environment variable that makes a process a worker.
const EnvWorker = "LOCKSTEP_WORKER"

// The file descriptors that a worker inherits.
const (
	FromHarness = 3
	ToHarness   = 4
)

// Start is the first message: all that a worker must know.
type Start struct {
	Name     string
	Life     int // how often the client was started before in this run
	Lock     string
	Seed     uint64
	Lease    time.Duration
	Timeout  time.Duration  // response timeout
	Replicas int            // of the primary
	Settings store.Settings // of the store
	// Endpoints lead to the servers by the links, the first primary's first: addresses,
	// or what else a client of the store wants to be told.
	Endpoints []string
	// First is the index of the endpoint that is asked first, where each server serves.
	First int
	// Known are the addresses by which sentinels call the first endpoints; the others
	// are then the sentinels, which call each other by KnownSentinels. Both are empty
	// where the primary is known without asking.
	Known, KnownSentinels []string
	// Nodes are the names by which the nodes of a Redis Cluster redirect to the
	// endpoints; empty without one.
	Nodes []string
	// Program is the command of a lock that is a program of its own, nil for others; its
	// Store and the Patience with which its answers are waited for.
	Program  []string
	Store    string
	Patience time.Duration
	// IdleTimeout is after how long an SQL server ends an idle session; 0: never.
	IdleTimeout time.Duration

	Workload plan.Workload
	Clock    Clock
	// Moments of the workload that faults wait for; the others are reported
	// without waiting for an answer.
	Moments []faults.MomentKind
	// Wire are the moments of commands that faults wait for; the others are not
	// reported at all.
	Wire []Want
}

// Want is a moment of the wire that some fault may wait for.
type Want struct {
	Kind    faults.MomentKind
	Command string // the name of a command or of a script, or one of faults.CommandWords
}

// Covers reports whether it is a moment of that command; script is "" for a plain one.
func (w Want) Covers(command, script string, part faults.Part) bool {
	return w.Command == faults.AnyCommand || w.Command == command || script != "" && w.Command == script ||
		part != faults.NoPart && w.Command == part.String()
}

// Go tells a worker that has reported Ready when to begin.
type Go struct {
	Zero  time.Duration // true time 0, on osproc.Now's clock
	Begin time.Duration // after Zero
	Epoch time.Time     // what a clock without offset shows at Zero
}

// UpKind is the type of a worker's message.
type UpKind string

// The messages of a worker. Those in the second group are answered.
const (
	Ready  UpKind = "ready"  // connected, waits for Go
	Failed UpKind = "failed" // cannot start: Text
	Event  UpKind = "event"  // Event, Token, Value, Text, Call
	Moment UpKind = "moment" // Moment, Call, Command, Script; answered when ID is set
	Done   UpKind = "done"   // has played all rounds
	Dies   UpKind = "dies"   // the lock's own program crashes now: Text

	CallUp UpKind = "call"  // is about to send a command that faults wait for
	Read   UpKind = "read"  // of the resource: Token
	Write  UpKind = "write" // of the resource: Token, Value is the version it is based on
	Extra  UpKind = "extra" // asks how much longer its work takes
)

// Up is a message of a worker.
type Up struct {
	Kind    UpKind              `json:"k"`
	ID      int64               `json:"id,omitempty"`
	At      time.Duration       `json:"at,omitempty"`    // true time
	Clock   int64               `json:"clock,omitempty"` // as in history.Event
	Event   history.Kind        `json:"e,omitempty"`
	Moment  faults.MomentKind   `json:"m,omitempty"`
	Token   int64               `json:"token,omitempty"`
	Value   int64               `json:"v,omitempty"`
	Text    string              `json:"text,omitempty"`
	Call    int64               `json:"call,omitempty"` // number of a command, counted by each worker
	Server  int                 `json:"srv,omitempty"`  // that it goes to, as an index of Start.Endpoints
	Task    string              `json:"task,omitempty"` // that sends it; "" for the business task
	Command string              `json:"cmd,omitempty"`  // its name
	Script  string              `json:"script,omitempty"`
	Op      *history.Op         `json:"op,omitempty"`    // of a request
	Answer  *history.Answer     `json:"ans,omitempty"`   // of an answer
	Words   string              `json:"words,omitempty"` // of a command of Redis, see resp.Words
	Broken  bool                `json:"broke,omitempty"` // its connection ended before an answer came
	Part    faults.Part         `json:"part,omitempty"`  // of the lock, for CallUp and Moment
	Mark    []byte              `json:"mark,omitempty"`  // what its link recognises it by, for CallUp; no text: a token may be any bytes
	Wants   []faults.MomentKind `json:"wants,omitempty"` // for CallUp
}

// Down is what the harness says after Start: an answer, Go, Clock or Lead.
type Down struct {
	ID    int64         `json:"id"`
	Go    *Go           `json:"go,omitempty"`
	Value int64         `json:"v,omitempty"`     // a version
	Extra time.Duration `json:"x,omitempty"`     // more work
	Clock *Clock        `json:"clock,omitempty"` // from now on
	Lead  *int          `json:"lead,omitempty"`  // the primary from now on, as an index of Start.Endpoints
	Error string        `json:"err,omitempty"`   // FencedError or a text
}

// FencedError stands for world.ErrFenced.
const FencedError = "fenced"

// Conn is one end of the pipes. Send may be called by several goroutines,
// Receive by one.
type Conn struct {
	mu  sync.Mutex
	out io.WriteCloser
	enc *json.Encoder
	buf []byte // of the latest *Up

	in   io.ReadCloser
	scan *bufio.Reader
}

// NewConn makes an end from the two pipes.
func NewConn(in io.ReadCloser, out io.WriteCloser) *Conn {
	return &Conn{in: in, out: out, enc: json.NewEncoder(out), scan: bufio.NewReader(in)}
}

// Send writes one message, as one write: a process that is killed leaves a
// whole message or none.
func (c *Conn) Send(message any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	up, ok := message.(*Up)
	if !ok {
		return c.enc.Encode(message)
	}
	var err error
	if c.buf, err = appendUp(c.buf[:0], up); err != nil {
		return err
	}
	_, err = c.out.Write(c.buf)
	return err
}

// Receive reads one message; io.EOF when the other end has gone, also when it
// was killed within a message. The error wraps ErrMessage when what has come is none.
func (c *Conn) Receive(message any) error {
	line, err := c.line()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, message); err != nil {
		const enough = 200
		return fmt.Errorf("%w: %.*q: %w", ErrMessage, enough, line, err)
	}
	return nil
}

// line reads a line, which is valid until the next one is read unless it is long.
func (c *Conn) line() ([]byte, error) {
	var long []byte
	for {
		part, err := c.scan.ReadSlice('\n')
		switch {
		case len(long)+len(part) > maxMessage:
			return nil, fmt.Errorf("%w: it has more than %d bytes", ErrMessage, maxMessage)
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
		case err != nil && len(long)+len(part) > 0:
			return nil, io.EOF
		case err != nil:
			return nil, err
		case len(long) > 0:
			return append(long, part...), nil
		default:
			return part, nil
		}
	}
}

// Close closes both pipes.
func (c *Conn) Close() error { return errors.Join(c.out.Close(), c.in.Close()) }
