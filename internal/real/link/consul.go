package link

import (
	"bytes"
	"net/textproto"
	"strconv"
	"strings"
)

// ConsulMark is the header by which a link recognises a request of Consul. Servers read
// over it.
const ConsulMark = "Lockstep-Call"

// Consul is the protocol of Consul: HTTP/1.1 without encryption. A connection has one
// request at a time, and what comes back is its reply.
func Consul() dissector { return &consulStream{} }

type consulStream struct{ turns }

const endOfHead = "\r\n\r\n"

func (c *consulStream) next(d Direction, part []byte) (int, message, error) {
	head, err := httpHead(d, part)
	if head == nil || err != nil {
		return 0, message{}, err
	}
	body, err := httpBody(d, head, part[len(head):])
	if body < 0 || err != nil {
		return 0, message{}, err
	}
	n := len(head) + body
	if d == Up {
		return n, message{exchange: c.ask(), begins: true, mark: httpHeader(head, ConsulMark)}, nil
	}
	m := c.answer()
	c.current = 0
	return n, m, nil
}

// httpHead returns the lines before the body with the empty one behind them; nil when
// they are not complete.
func httpHead(d Direction, part []byte) ([]byte, error) {
	const version = "HTTP/1."
	line, _, whole := bytes.Cut(part, []byte("\r\n"))
	switch {
	case d == Down && !bytes.HasPrefix(line, []byte(version)[:min(len(line), len(version))]):
		return nil, errProtocol
	case d == Up && whole && !bytes.Contains(line, []byte(" "+version)):
		return nil, errProtocol
	}
	end := bytes.Index(part, []byte(endOfHead))
	if end < 0 && len(part) > maxMessage || d == Down && whole && len(line) < len(version) {
		return nil, errProtocol
	}
	if end < 0 {
		return nil, nil
	}
	return part[:end+len(endOfHead)], nil
}

// httpHeader returns a header's value, "" when it is not there.
func httpHeader(head []byte, name string) string {
	for line := range strings.SplitSeq(string(head), "\r\n") {
		if key, value, ok := strings.Cut(line, ":"); ok && textproto.CanonicalMIMEHeaderKey(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// httpBody returns how long the body is, -1 when it is not complete. A reply that ends
// with its connection is none that Consul gives.
func httpBody(d Direction, head, rest []byte) (int, error) {
	if httpHeader(head, "Transfer-Encoding") == "chunked" {
		return httpChunks(rest)
	}
	length := httpHeader(head, "Content-Length")
	if length == "" && d == Up {
		return 0, nil
	}
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < 0 || n > maxMessage:
		return 0, errProtocol
	case len(rest) < n:
		return -1, nil
	}
	return n, nil
}

// httpChunks is httpBody for one whose length nobody knew when it began: pieces with
// their lengths, of which the last is empty.
func httpChunks(rest []byte) (n int, err error) {
	const longest = 16 // digits of a length
	for {
		line, _, whole := bytes.Cut(rest[n:], []byte("\r\n"))
		if !whole && len(line) <= longest+len("\r") {
			return -1, nil
		}
		size, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil || len(line) > longest || size < 0 || size > maxMessage || n > maxMessage {
			return 0, errProtocol
		}
		n += len(line) + 2 + int(size) + 2
		if len(rest) < n {
			return -1, nil
		}
		if size == 0 {
			return n, nil
		}
	}
}
