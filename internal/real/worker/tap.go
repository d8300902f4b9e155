package worker

import (
	"context"
	"crypto/sha1"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/history"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/ports"
	"lockstep/internal/real/proto"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/redis/resp"
)

// tap is a connection of a library. It parses the traffic: every command that the library
// sends, resends or receives a reply for is reported as it is on the wire, and a fault can wait
// for it, as with a port. Commands that only concern the connection are left out.
type tap struct {
	net.Conn
	w      *worker
	server int
	reads  *libraries.Library // the library whose connection this is

	writing sync.Mutex // one writer at a time
	sent    []byte     // the beginning of a command

	deaf  atomic.Bool // the traffic is not parsed, see split
	mu    sync.Mutex
	heard []byte  // the beginning of a reply
	open  []*call // those without a reply yet, in order; an element is nil if its command is not reported
}

// SyscallConn lets a client library check that an idle connection is alive.
func (t *tap) SyscallConn() (syscall.RawConn, error) { return rawOf(t.Conn) }

// Write reports the commands that it completes, and then sends all of it.
func (t *tap) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.deaf.Load() {
		return t.Conn.Write(p)
	}
	t.sent = t.split(append(t.sent, p...), func(message []byte) {
		if command, err := resp.Parse(message); err == nil {
			c := t.begin(command.Words())
			t.mu.Lock()
			t.open = append(t.open, c)
			t.mu.Unlock()
		}
	})
	return t.Conn.Write(p)
}

// Read reports the replies that it completes. A fault that has waited for one acts before the
// library gets it.
func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if t.deaf.Load() {
		return n, err
	}
	t.mu.Lock()
	var answered []func()
	t.heard = t.split(append(t.heard, p[:n]...), func(message []byte) {
		if report := t.reply(message); report != nil {
			answered = append(answered, report)
		}
	})
	t.mu.Unlock()
	for _, report := range answered {
		report()
	}
	if err != nil {
		t.fail(normal(context.Background(), err))
	}
	return n, err
}

// maxTapped bounds an incomplete message, in bytes: locks send little.
const maxTapped = 1 << 20

// split hands on the messages that have come in whole, and returns the rest. Where message
// boundaries are unknown it stops for good: the server then executes commands that no client is
// known to have sent, so its log of commands is not used.
func (t *tap) split(buf []byte, each func(message []byte)) (rest []byte) {
	for {
		n, err := resp.Frame(buf)
		if err != nil || len(buf) > maxTapped {
			t.deaf.Store(true)
		}
		switch {
		case t.deaf.Load():
			return nil
		case n == 0:
			return buf
		}
		each(buf[:n])
		buf = buf[n:]
	}
}

// CloseWrite is called by link.Listener.Join: a program that has closed its connection gets no reply.
func (t *tap) CloseWrite() error { return t.Close() }

// Close ends the wait for all replies.
func (t *tap) Close() error {
	t.fail(ports.ErrConnection)
	return t.Conn.Close()
}

// reply takes the first command without a reply and returns a function that reports the reply;
// nil for one that is not reported. A push message answers no command.
func (t *tap) reply(message []byte) func() {
	if resp.IsPush(message) || len(t.open) == 0 {
		return nil
	}
	c := t.open[0]
	t.open = t.open[1:]
	reply, err := resp.Parse(message)
	if c == nil || err != nil {
		return nil
	}
	return func() { c.answered(reply.String(), reply.Answer()) }
}

// fail reports that the commands under way will not be answered. Their replies may still come,
// if the library keeps using a connection after a timeout.
func (t *tap) fail(err error) {
	t.mu.Lock()
	open := t.open
	t.open = make([]*call, len(open))
	t.mu.Unlock()
	for _, c := range open {
		if c != nil {
			c.failed(err)
		}
	}
}

// ofTheConnection are commands about the connection or the server, not about a key. They are not
// reported.
var ofTheConnection = map[string]bool{
	"HELLO": true, "AUTH": true, "SELECT": true, "CLIENT": true, "PING": true, "SCRIPT": true,
	"COMMAND": true, "CLUSTER": true, "READONLY": true, "INFO": true, "QUIT": true,
	"ROLE": true,
}

// begin reports a command; nil for one of the connection.
func (t *tap) begin(args []string) *call {
	if len(args) == 0 || ofTheConnection[strings.ToUpper(args[0])] {
		return nil
	}
	up := proto.Up{Server: t.server, Command: strings.ToUpper(args[0])}
	shown := legible(up.Command, args[1:])
	cmd := redis.Command(up.Command, shown...)
	op := cmd.Op()
	if (up.Command == "EVAL" || up.Command == "EVALSHA") && len(args) > 2 {
		sum := args[1]
		if up.Command == "EVAL" {
			sum = fmt.Sprintf("%x", sha1.Sum([]byte(args[1])))
		}
		up.Script = t.reads.Scripts[sum]
		if op, shown = t.script(up.Script, args[2], shown[2:]); up.Script == "" {
			op.Name, op.Trigger = legible("", []string{sum})[0], up.Command
		}
		shown = append([]string{op.Name}, shown...)
	}
	if up.Script != "" && up.Script == t.reads.Renews {
		up.Task = ports.Watchdog
	}
	r := report{text: up.Command + " " + strings.Join(shown, " "), op: op, redis: true, words: resp.Words(args)}
	return t.w.open(up, r, func(int64) string { return redisMark(args) })
}

// script describes a script by its name, the number of its keys, and its keys and arguments.
func (t *tap) script(name, keys string, all []string) (history.Op, []string) {
	op := history.Op{Name: name, Script: true, Frees: (&redis.Script{Name: name}).Frees()}
	n, err := strconv.Atoi(keys)
	if err != nil || n < 0 || n > len(all) {
		return op, all
	}
	op.Key = strings.Join(all[:n], " ")
	if owner := t.reads.Owners[name]; owner > 0 && n+owner <= len(all) {
		op.Owner, op.Does = all[n+owner-1], history.RemovesOwn
	}
	return op, all
}

// legible writes arguments for people: unprintable ones in hexadecimal, the options of SET in
// capitals.
func legible(command string, args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		switch {
		case !utf8.ValidString(a) || strings.ContainsFunc(a, func(r rune) bool { return !unicode.IsGraphic(r) || r == ' ' }):
			out[i] = fmt.Sprintf("0x%x", a)
		case command == "SET" && i >= 2:
			out[i] = strings.ToUpper(a)
		default:
			out[i] = a
		}
	}
	return out
}
