// Package proto is what a harness and its worker processes say to each other:
// one JSON object per line, both ways over a socket that the worker inherits.
//
// Most messages of a worker are reports (events, moments that no fault waits for), after
// which it does not wait. A message that needs an answer has a number, which the answer
// repeats. When a fault waits for a moment, the harness answers only after the fault has
// acted, so a SIGSTOP stops the worker exactly at that moment.
package proto

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// EnvWorker is the environment variable that makes a process a worker.
const EnvWorker = "LOCKSTEP_WORKER"

// Descriptor is that of the socket in a worker: the first after the standard ones.
const Descriptor = 3

// Start is the first message: everything a worker needs to know.
type Start struct {
	Name     string
	Life     int // how often the client was started before in this run
	Lock     string
	Seed     uint64
	Lease    time.Duration
	Timeout  time.Duration  // response timeout
	Replicas int            // of the primary
	Settings store.Settings // of the store
	// Endpoints are the addresses of the links to the servers, in the form that a client of the
	// store expects. The first one leads to the first primary.
	Endpoints []string
	// First is the index of the endpoint to ask first, where every server serves clients.
	First int
	// Known are the addresses that sentinels announce for the first endpoints; the other
	// endpoints are then the sentinels, which announce each other as KnownSentinels. Both are
	// empty without sentinels.
	Known, KnownSentinels []string
	// Nodes are the names by which the nodes of a Redis Cluster redirect to the
	// endpoints; empty without one.
	Nodes []string
	// Program is the command of a lock that is a separate program, nil for others. Store is
	// its store, and Patience how long to wait for its answers.
	Program  []string
	Store    string
	Patience time.Duration
	// IdleTimeout is the idle time after which an SQL server ends a session; 0: never.
	IdleTimeout time.Duration

	Workload plan.Workload
	Clock    Clock
	// Moments are those of the workload that faults wait for. The others are reported
	// without waiting for an answer.
	Moments []faults.MomentKind
	// Wire are the moments of commands that faults wait for. The others are not reported.
	Wire []Want
}

// Want is a moment of the wire that some fault may wait for.
type Want struct {
	Kind    faults.MomentKind
	Command string // the name of a command or of a script, or one of faults.CommandWords
}

// Covers reports whether w is a moment of that command; script is "" for a plain command.
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

// The messages of a worker. The harness answers those of the second group.
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
	Mark    []byte              `json:"mark,omitempty"`  // what its link recognises it by, for CallUp; bytes, since a token need not be valid UTF-8
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

// FencedError stands for ports.ErrFenced.
const FencedError = "fenced"

// Conn is one end of the socket. Send may be called by several goroutines,
// Receive by one.
type Conn struct {
	io.Closer
	mu   sync.Mutex
	enc  *json.Encoder
	scan *bufio.Scanner
}

// Pair makes a socket: the harness's end, and the file that a worker inherits as Descriptor.
func Pair() (ours *Conn, theirs *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return NewConn(os.NewFile(uintptr(ends[0]), "worker")), os.NewFile(uintptr(ends[1]), "harness"), nil
}

// Inherited is the end of a worker.
func Inherited() *Conn {
	unix.CloseOnExec(Descriptor)
	return NewConn(os.NewFile(Descriptor, "harness"))
}

// NewConn makes an end of a connection.
func NewConn(end io.ReadWriteCloser) *Conn {
	c := &Conn{Closer: end, enc: json.NewEncoder(end), scan: bufio.NewScanner(end)}
	c.scan.Buffer(nil, maxMessage)
	c.scan.Split(wholeLine)
	return c
}

// Send writes one message, as one write: a process that is killed leaves a
// whole message or none.
func (c *Conn) Send(message any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.enc.Encode(message)
}

// Receive reads one message. It returns io.EOF when the other end has closed, even within a
// message, and an error that wraps ErrMessage when the input is not a message.
func (c *Conn) Receive(message any) error {
	if !c.scan.Scan() {
		switch err := c.scan.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return fmt.Errorf("%w: it has more than %d bytes", ErrMessage, maxMessage)
		case err != nil:
			return err
		}
		return io.EOF
	}
	line := c.scan.Bytes()
	if err := json.Unmarshal(line, message); err != nil {
		const enough = 200
		return fmt.Errorf("%w: %.*q: %w", ErrMessage, enough, line, err)
	}
	return nil
}

// wholeLine is a bufio.SplitFunc that ignores an incomplete line at the end of the input.
func wholeLine(data []byte, _ bool) (advance int, line []byte, err error) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1, data[:end+1], nil
	}
	return 0, nil, nil
}
