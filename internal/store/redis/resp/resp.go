// Package resp speaks the Redis protocol, as little as is needed here: where one
// message ends and the next begins (links tamper with single commands), commands
// to bytes, and replies of package world to bytes and back. The locks of this repository
// speak version 2; libraries that are played as they are speak version 3.
package resp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/store/redis"
)

// ErrMalformed says that bytes are not of this protocol.
var ErrMalformed = errors.New("not a message of the Redis protocol")

// maxDepth bounds the nesting of arrays, so that hostile bytes cannot exhaust
// the stack.
const maxDepth = 32

// maxLen bounds the announced length of a string or an array.
const maxLen = 512 << 20

// AppendCommand appends a command as a client sends it: an array of strings.
func AppendCommand(buf []byte, args ...string) []byte {
	buf = append(buf, '*')
	buf = strconv.AppendInt(buf, int64(len(args)), 10)
	buf = append(buf, '\r', '\n')
	for _, a := range args {
		buf = append(buf, '$')
		buf = strconv.AppendInt(buf, int64(len(a)), 10)
		buf = append(buf, '\r', '\n')
		buf = append(buf, a...)
		buf = append(buf, '\r', '\n')
	}
	return buf
}

// AppendReply appends a reply as a server of a version of the protocol, 2 or 3, sends it.
func AppendReply(buf []byte, r redis.Reply, version int) []byte {
	switch r.Kind {
	case redis.ReplyStatus:
		buf = append(append(buf, '+'), r.Str...)
	case redis.ReplyInt:
		buf = strconv.AppendInt(append(buf, ':'), r.Int, 10)
	case redis.ReplyBulk:
		buf = appendCount(buf, '$', len(r.Str))
		buf = append(buf, r.Str...)
	case redis.ReplyArray:
		buf = appendCount(buf, '*', len(r.Elements()))
		for _, e := range r.Elements() {
			buf = AppendReply(buf, e, version)
		}
		return buf
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

// AppendPush appends what a server says unasked: a word and what it is about. Only version 3
// has such a thing.
func AppendPush(buf []byte, elements ...redis.Reply) []byte {
	buf = appendCount(buf, '>', len(elements))
	for _, e := range elements {
		buf = AppendReply(buf, e, 3)
	}
	return buf
}

// AppendMap appends a map, which is an array of keys and values in version 2.
func AppendMap(buf []byte, version int, keysAndValues ...redis.Reply) []byte {
	if version < 3 {
		return AppendReply(buf, redis.List(keysAndValues), version)
	}
	buf = appendCount(buf, '%', len(keysAndValues)/2)
	for _, e := range keysAndValues {
		buf = AppendReply(buf, e, version)
	}
	return buf
}

// oneLine keeps the text of an error from ending its message early.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

func appendCount(buf []byte, kind byte, n int) []byte {
	buf = strconv.AppendInt(append(buf, kind), int64(n), 10)
	return append(buf, '\r', '\n')
}

// Words identifies a command in all reports: its name and its arguments, of a script only its keys and
// arguments, since clients send its text or its hash.
func Words(args []string) string {
	name, rest := strings.ToUpper(args[0]), args[1:]
	if (name == "EVAL" || name == "EVALSHA") && len(args) > 3 {
		name, rest = "EVAL", args[3:]
	}
	return strings.TrimSpace(name + " " + strings.Join(rest, " "))
}

// Frame returns the length of the first message in buf, 0 when it is not
// complete yet.
func Frame(buf []byte) (int, error) { return frame(buf, 0) }

func frame(buf []byte, depth int) (int, error) {
	kind, num, at, err := header(buf)
	if err != nil || at == 0 {
		return 0, err
	}
	switch kind {
	case '$', '=', '!':
		if num < 0 {
			return at, nil
		}
		if end := at + num + 2; end <= len(buf) {
			return end, nil
		}
		return 0, nil
	case '*', '~', '>', '%':
		if depth == maxDepth {
			return 0, ErrMalformed
		}
		for range num {
			n, err := frame(buf[at:], depth+1)
			if err != nil || n == 0 {
				return 0, err
			}
			at += n
		}
	}
	return at, nil
}

// The types of messages by their first byte: those that are one line, and those whose
// first line says how much follows. Version 3 added null, booleans, doubles, big
// numbers; verbatim strings, long errors, sets, maps, and what a server says unasked.
const (
	plain   = "+-:" + "_#,("
	counted = "$*" + "=!~%>"
)

// IsPush reports whether a message is what a server says unasked, no reply.
func IsPush(message []byte) bool { return len(message) > 0 && message[0] == '>' }

// header reads the first line of a message: its type, how many bytes or messages
// follow (else 0), and where the line ends; 0 when it is not complete. A map is
// twice as long as it says.
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

// Parse reads the one message that buf holds.
func Parse(buf []byte) (redis.Reply, error) {
	n, err := Frame(buf)
	if err == nil && n != len(buf) {
		err = fmt.Errorf("%w: %d bytes where the message has %d", ErrMalformed, len(buf), n)
	}
	if err != nil {
		return redis.Reply{}, err
	}
	reply, _, err := parse(buf)
	return reply, err
}

// parse reads the first message of buf, which Frame has found complete.
func parse(buf []byte) (redis.Reply, int, error) {
	kind, num, at, err := header(buf)
	if err != nil {
		return redis.Reply{}, 0, err
	}
	line := string(buf[1 : at-2])
	switch kind {
	case '+', '#', ',', '(':
		return redis.Reply{Kind: redis.ReplyStatus, Str: line}, at, nil
	case '_':
		return redis.Reply{}, at, nil
	case '-':
		return redis.Failed(redis.ServerError(line)), at, nil
	case ':':
		v, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return redis.Reply{}, 0, ErrMalformed
		}
		return redis.Int(v), at, nil
	}
	if num < 0 {
		return redis.Reply{}, at, nil
	}
	switch kind {
	case '$', '=':
		return redis.Bulk(string(buf[at : at+num])), at + num + 2, nil
	case '!':
		return redis.Failed(redis.ServerError(buf[at : at+num])), at + num + 2, nil
	}
	elements := make([]redis.Reply, num)
	for i := range elements {
		element, n, err := parse(buf[at:])
		if err != nil {
			return redis.Reply{}, 0, err
		}
		elements[i], at = element, at+n
	}
	return redis.List(elements), at, nil
}
