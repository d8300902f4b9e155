// Package monitor listens to the reports of a Redis server about its commands and keys.
//
// A client of a store sees only its own requests and replies. Redis reports the rest:
// MONITOR shows each command when it is executed, with the connection that it came from
// and with the commands that a script runs, and keyspace notifications report each change
// of a key, including expiry. With version 3 of the protocol one connection carries both,
// in the order in which they happened:
//
//	> lock: set                                  changes of the key ...
//	> lock: expire
//	+ 0.439 127.0.0.1:60560 SET lock a NX PX 50  ... by this command
//	> lock: expired                              before the next command
//	+ 0.499 127.0.0.1:60561 GET lock
//
// That holds since Redis 7.0 (call in server.c); earlier servers show a command before
// they execute it, so the command behind a notification is ambiguous.
package monitor

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"lockstep/internal/real/redisconn"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// Settings is the setting that a server needs, name and value.
var Settings = [2]string{"notify-keyspace-events", "KA"}

// keyspace is the prefix of a channel's name before the key.
const keyspace = "__keyspace@0__:"

// oldest is the first major version whose order is known.
const oldest = 7

// Script is the address of commands that a script runs.
const Script = "lua"

// Item is one report of a server: a command, or a change of a key.
type Item struct {
	Read  time.Duration // on the clock of osproc.Now, when it was read
	At    time.Duration // of a command, on the same clock: when it was executed, if the server's clock is right
	Addr  string        // of a command: the connection that it came from, or Script
	Args  []string      // of a command; nil for a change
	Key   string        // of a change
	Event string        // of a change: set, expire, del, expired and so on
}

// Monitor listens to one life of a server.
type Monitor struct {
	addr, keys string
	done       chan struct{} // closed when reading has ended
	latest     census
	counted    int // number of items before latest

	mu     sync.Mutex
	conn   *redisconn.Conn
	closed bool          // by Close
	news   chan struct{} // closed and replaced with each item
	items  []Item
}

// AllKeys is a pattern for Listen.
const AllKeys = "*"

// Listen connects to the server at addr and returns when the server reports all commands, and
// the changes of the keys of a pattern of PSUBSCRIBE. ctx bounds only the connecting.
func Listen(ctx context.Context, addr, keys string) (*Monitor, error) {
	m := &Monitor{addr: addr, keys: keys, done: make(chan struct{}), news: make(chan struct{})}
	now, err := m.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("the server at %s cannot be listened to: %w", addr, err)
	}
	m.latest, m.counted = now, len(m.items)
	go m.listen()
	return m, nil
}

// connect opens a connection for reports, and takes a census on it.
func (m *Monitor) connect(ctx context.Context) (now census, err error) {
	conn, err := redisconn.Dial(ctx, m.addr)
	if err != nil {
		return now, err
	}
	err = conn.Within(ctx, func() (err error) {
		now, err = m.begin(conn)
		return err
	})
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil && !m.use(conn) {
		err = net.ErrClosed
	}
	if err != nil {
		_ = conn.Close() // the error is reported instead
	}
	return now, err
}

// use makes conn the connection that Close closes; false when Close was called before.
func (m *Monitor) use(conn *redisconn.Conn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conn = conn
	return !m.closed
}

// begin subscribes to the reports, and takes a census. All requests are sent at once: after
// an interruption, commands executed between two of them would be missed.
func (m *Monitor) begin(conn *redisconn.Conn) (census, error) {
	requests := [...][]string{
		{"HELLO", "3"}, {"PSUBSCRIBE", keyspace + m.keys}, {"MONITOR"}, {"INFO", "server", "stats", "commandstats"},
	}
	var sent []byte
	for _, r := range requests {
		sent = resp.AppendCommand(sent, r...)
	}
	if _, err := conn.Write(sent); err != nil {
		return census{}, err
	}
	var answers [len(requests)]redis.Reply
	for i := range answers {
		var err error
		if answers[i], err = m.answer(conn); err != nil {
			return census{}, err
		}
		if version := answers[0].Field("version"); !recent(version) {
			return census{}, fmt.Errorf("it is Redis %s, and only since %d.0 is the order of what it tells known", version, oldest)
		}
	}
	return parseCensus(answers[len(answers)-1].Str), nil
}

// answer reads the next answer, and adds the reports before it.
func (m *Monitor) answer(conn *redisconn.Conn) (redis.Reply, error) {
	for {
		message, err := conn.Next()
		if err != nil {
			return redis.Reply{}, err
		}
		if item, ok := parse(message); ok {
			m.add(item)
			continue
		}
		reply, err := resp.Parse(message)
		if err == nil && reply.Kind == redis.ReplyError {
			err = reply.Err
		}
		return reply, err
	}
}

func recent(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= oldest
}

// listen reads until the server's life ends, or until a report is missed.
func (m *Monitor) listen() {
	defer close(m.done)
	for ok := true; ok; ok = m.resume() {
		m.read()
	}
}

// read reads until the connection ends.
func (m *Monitor) read() {
	defer m.conn.Close()
	for {
		message, err := m.conn.Next()
		if err != nil {
			return
		}
		if item, ok := parse(message); ok {
			m.add(item)
		}
	}
}

func (m *Monitor) add(item Item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items = append(m.items, item)
	close(m.news)
	m.news = make(chan struct{})
}

// Items returns the reports so far, in the order of execution.
func (m *Monitor) Items() []Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.items[:len(m.items):len(m.items)]
}

// Settle returns when all reports of commands executed before the call have been read. It
// returns an error when the server does not answer.
func (m *Monitor) Settle(ctx context.Context) error {
	conn, err := redisconn.Dial(ctx, m.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Do(ctx, "PING"); err != nil {
		return err
	}
	return m.until(ctx, conn.LocalAddr().String())
}

// until waits for a command from an address.
func (m *Monitor) until(ctx context.Context, addr string) error {
	seen := 0
	for {
		m.mu.Lock()
		items, news := m.items, m.news
		m.mu.Unlock()
		for ; seen < len(items); seen++ {
			if items[seen].Addr == addr {
				return nil
			}
		}
		select {
		case <-news:
		case <-m.done:
			return io.ErrUnexpectedEOF
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Done is closed after the last report: the server has died, a report was missed, or Close
// was called.
func (m *Monitor) Done() <-chan struct{} { return m.done }

// Close ends the connection. Items remain available.
func (m *Monitor) Close() error {
	m.mu.Lock()
	m.closed = true
	err := m.conn.Close()
	m.mu.Unlock()
	<-m.done
	return err
}
