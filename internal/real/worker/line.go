package worker

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/store/redis"
)

// lines are the connections to one server, each used by one command at a time.
type lines struct {
	timeout time.Duration   // of a request
	shared  *goredis.Client // for connections that a caller keeps
	open    func() *line

	mu   sync.Mutex
	free []*line
}

func newLines(addr string, timeout time.Duration) *lines {
	return &lines{
		timeout: timeout,
		shared:  goredis.NewClient(options(addr, timeout)),
		open:    func() *line { return newLine(addr, timeout) },
	}
}

// do sends one command and returns at the latest when ctx ends. A command that was cut short, by
// ctx or by its timeout, takes its connection with it, so no late reply can be mistaken for that of
// the next command.
func (l *lines) do(ctx context.Context, send sending) redis.Reply {
	one := l.take()
	stop := func() bool { return true }
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, one.cut)
	}
	reply := send(ctx, one.client)
	if stop() && (reply.Kind != redis.ReplyError || serverError(reply.Err)) {
		l.give(one)
	} else {
		_ = one.client.Close() // its reply is not needed
	}
	return reply
}

// warm opens n connections, each of which has greeted the server.
func (l *lines) warm(ctx context.Context, n int) error {
	all := make([]*line, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = l.take()
		wg.Go(func() {
			errs[i] = patiently(ctx, l.timeout, func(patience time.Duration) error {
				return raw("PING")(ctx, all[i].client.WithTimeout(patience)).Err
			})
		})
	}
	wg.Wait()
	for _, one := range all {
		l.give(one)
	}
	return cmp.Or(errs...)
}

func (l *lines) take() *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free) - 1
	if n < 0 {
		return l.open()
	}
	one := l.free[n]
	l.free = l.free[:n]
	return one
}

func (l *lines) give(one *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, one)
}

// Close closes all idle connections.
func (l *lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	errs := []error{l.shared.Close()}
	for _, one := range l.free {
		errs = append(errs, one.client.Close())
	}
	return errors.Join(errs...)
}

// line is a client of go-redis for one command at a time. While go-redis waits for a reply, it
// observes a context's deadline, but not its cancellation. A goroutine that could be abandoned
// would cost more than the rest of a command, so the command's connection is cut instead.
type line struct {
	client *goredis.Client

	mu   sync.Mutex
	conn net.Conn // the latest
	over bool     // cut: every read or write ends at once
}

func newLine(addr string, timeout time.Duration) *line {
	l := &line{}
	o := options(addr, timeout)
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialer := net.Dialer{Timeout: timeout}
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.conn = conn
		return &cuttable{conn, l}, nil
	}
	l.client = goredis.NewClient(o)
	return l
}

// past is a deadline that ends every wait.
var past = time.Unix(1, 0)

// cut ends the command that uses the line.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.conn != nil {
		_ = l.conn.SetDeadline(past) // it fails if no read or write is left to wake
	}
}

// cuttable is a connection of a line. No later deadline undoes a cut.
type cuttable struct {
	net.Conn
	line *line
}

func (c *cuttable) SetDeadline(t time.Time) error      { return c.set(c.Conn.SetDeadline, t) }
func (c *cuttable) SetReadDeadline(t time.Time) error  { return c.set(c.Conn.SetReadDeadline, t) }
func (c *cuttable) SetWriteDeadline(t time.Time) error { return c.set(c.Conn.SetWriteDeadline, t) }

func (c *cuttable) set(how func(time.Time) error, t time.Time) error {
	c.line.mu.Lock()
	defer c.line.mu.Unlock()
	if c.line.over {
		t = past
	}
	return how(t)
}

// SyscallConn lets go-redis check that an idle connection is alive.
func (c *cuttable) SyscallConn() (syscall.RawConn, error) { return rawOf(c.Conn) }

// rawOf returns the file descriptor of a connection.
func rawOf(c net.Conn) (syscall.RawConn, error) {
	conn, ok := c.(syscall.Conn)
	if !ok {
		return nil, errors.New("not a connection of the operating system")
	}
	return conn.SyscallConn()
}
