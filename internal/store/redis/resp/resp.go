// Package resp implements the part of the Redis protocol that is needed here: where one
// message ends and the next begins (links tamper with single commands), commands to
// bytes, and replies to bytes and back. The locks of this repository speak version 2;
// unmodified libraries speak version 3.
package resp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"lockstep/internal/store/redis"
)

// ErrMalformed says that bytes are not of this protocol.
var ErrMalformed = errors.New("not a message of the Redis protocol")

// maxDepth bounds the nesting of arrays, so that hostile bytes cannot exhaust the stack.
const maxDepth = 32

// maxLen bounds the announced length of a string or an array.
const maxLen = 512 << 20

// AppendCommand appends a command as a client sends it: an array of strings.
func AppendCommand(buf []byte, args ...string) []byte {
	buf = appendCount(buf, '*', len(args))
	for _, a := range args {
		buf = append(appendCount(buf, '$', len(a)), a...)
		buf = append(buf, '\r', '\n')
	}
	return buf
}

// AppendReply appends a reply as a server sends it in version 2 or 3 of the protocol.
func AppendReply(buf []byte, r redis.Reply, version int) []byte {
	switch r.Kind {
	case redis.ReplyStatus:
		buf = append(append(buf, '+'), r.Str...)
	case redis.ReplyInt:
		buf = strconv.AppendInt(append(buf, ':'), r.Int, 10)
	case redis.ReplyBulk:
		buf = append(appendCount(buf, '$', len(r.Str)), r.Str...)
	case redis.ReplyArray:
		return appendReplies(appendCount(buf, '*', len(r.Elements())), r.Elements(), version)
	case redis.ReplyError:
		buf = append(append(buf, '-'), oneLine.Replace(r.Err.Error())...)
	default:
		if version < 3 {
			return append(buf, "$-1\r\n"...)
		}
		buf = append(buf, '_')
	}
	return append(buf, '\r', '\n')
}

func appendReplies(buf []byte, replies []redis.Reply, version int) []byte {
	for _, r := range replies {
		buf = AppendReply(buf, r, version)
	}
	return buf
}

// AppendPush appends an unsolicited message of a server, which only version 3 has.
func AppendPush(buf []byte, elements ...redis.Reply) []byte {
	return appendReplies(appendCount(buf, '>', len(elements)), elements, 3)
}

// AppendMap appends a map, which is an array of keys and values in version 2.
func AppendMap(buf []byte, version int, keysAndValues ...redis.Reply) []byte {
	if version < 3 {
		return AppendReply(buf, redis.List(keysAndValues), version)
	}
	return appendReplies(appendCount(buf, '%', len(keysAndValues)/2), keysAndValues, version)
}

// oneLine keeps the text of an error from ending its message early.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

func appendCount(buf []byte, kind byte, n int) []byte {
	buf = strconv.AppendInt(append(buf, kind), int64(n), 10)
	return append(buf, '\r', '\n')
}

// Words identifies a command in reports by its name and arguments. Those of a script are its keys
// and arguments, since some clients send its text and some its hash.
func Words(args []string) string {
	name, rest := strings.ToUpper(args[0]), args[1:]
	if (name == "EVAL" || name == "EVALSHA") && len(args) > 3 {
		name, rest = "EVAL", args[3:]
	}
	return strings.TrimSpace(name + " " + strings.Join(rest, " "))
}

// Frame returns the length of the first message in buf, 0 if it is incomplete.
func Frame(buf []byte) (int, error) {
	_, n, err := parse(buf, 0)
	return n, err
}

// Reader cuts what a connection brings into messages.
type Reader struct {
	from io.Reader
	rest []byte
}

// NewReader makes a Reader.
func NewReader(from io.Reader) *Reader { return &Reader{from: from} }

// Next returns the next message, which Parse reads.
func (r *Reader) Next() ([]byte, error) {
	for {
		n, err := Frame(r.rest)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			message := r.rest[:n]
			r.rest = r.rest[n:]
			return message, nil
		}
		chunk := make([]byte, 4<<10)
		k, err := r.from.Read(chunk)
		if k == 0 && err != nil {
			return nil, err
		}
		r.rest = append(r.rest[:len(r.rest):len(r.rest)], chunk[:k]...)
	}
}

// The types of messages by their first byte: those of one line, and those whose first line
// says how much follows. Version 3 added null, booleans, doubles and big numbers; and
// verbatim strings, long errors, sets, maps and unsolicited messages.
const (
	plain   = "+-:" + "_#,("
	counted = "$*" + "=!~%>"
)

// IsPush reports whether a message is unsolicited.
func IsPush(message []byte) bool { return len(message) > 0 && message[0] == '>' }

// header reads the first line of a message: its type, how many bytes or messages
// follow (else 0), and where the line ends (0 if it is incomplete). A map says half
// the number of its messages.
func header(buf []byte) (kind byte, num, end int, err error) {
	if len(buf) == 0 {
		return 0, 0, 0, nil
	}
	kind = buf[0]
	follows := strings.IndexByte(counted, kind) >= 0
	if !follows && strings.IndexByte(plain, kind) < 0 {
		return 0, 0, 0, ErrMalformed
	}
	line := bytes.Index(buf, []byte("\r\n"))
	if line < 0 {
		return kind, 0, 0, nil
	}
	if follows {
		num, err = strconv.Atoi(string(buf[1:line]))
		if err != nil || num < -1 || num > maxLen {
			return 0, 0, 0, ErrMalformed
		}
	}
	if kind == '%' {
		num *= 2
	}
	return kind, num, line + 2, nil
}

// Parse reads the only message in buf.
func Parse(buf []byte) (redis.Reply, error) {
	reply, n, err := parse(buf, 0)
	if err == nil && n != len(buf) {
		err = fmt.Errorf("%w: %d bytes where the message has %d", ErrMalformed, len(buf), n)
	}
	if err != nil {
		return redis.Reply{}, err
	}
	return reply, nil
}

// parse reads the first message of buf and returns its length, 0 if it is incomplete.
func parse(buf []byte, depth int) (r redis.Reply, n int, err error) {
	kind, num, at, err := header(buf)
	if err != nil || at == 0 {
		return r, 0, err
	}
	line := string(buf[1 : at-2])
	switch {
	case kind == '+' || kind == '#' || kind == ',' || kind == '(':
		return redis.Status(line), at, nil
	case kind == '-':
		return redis.Failed(redis.ServerError(line)), at, nil
	case kind == ':':
		v, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return r, 0, ErrMalformed
		}
		return redis.Int(v), at, nil
	case kind == '_' || num < 0:
		return r, at, nil
	case kind == '$' || kind == '=' || kind == '!':
		end := at + num
		if end+2 > len(buf) {
			return r, 0, nil
		}
		text := string(buf[at:end])
		if kind == '!' {
			return redis.Failed(redis.ServerError(text)), end + 2, nil
		}
		return redis.Bulk(text), end + 2, nil
	case depth == maxDepth:
		return r, 0, ErrMalformed
	}
	var elements []redis.Reply // grown step by step: num is not to be trusted
	for range num {
		element, n, err := parse(buf[at:], depth+1)
		if err != nil || n == 0 {
			return r, 0, err
		}
		elements, at = append(elements, element), at+n
	}
	return redis.List(elements), at, nil
}
