package live

import (
	"bytes"
	"strconv"

	"lockstep/internal/real/link"
)

// markHeader is the header by which a link recognises a request. Servers ignore it.
const markHeader = "Lockstep-Call"

// protocol is that of Consul: HTTP/1.1 without encryption. A connection has one request at
// a time, and every message from the server is its reply.
func protocol() link.Dissector { return &stream{} }

type stream struct{ link.Turns }

const endOfHead = "\r\n\r\n"

// Next implements link.Dissector.
func (c *stream) Next(d link.Direction, part []byte) (int, link.Message, error) {
	head, err := httpHead(d, part)
	if head == nil || err != nil {
		return 0, link.Message{}, err
	}
	body, err := httpBody(d, head, part[len(head):])
	if body < 0 || err != nil {
		return 0, link.Message{}, err
	}
	n := len(head) + body
	if d == link.Up {
		return n, link.Message{Exchange: c.Ask(), Begins: true, Mark: link.Header(head, markHeader)}, nil
	}
	m := c.Answer()
	c.Current = 0
	return n, m, nil
}

// httpHead returns the lines before the body, including the empty one; nil if incomplete.
func httpHead(d link.Direction, part []byte) ([]byte, error) {
	const version = "HTTP/1."
	line, _, whole := bytes.Cut(part, []byte("\r\n"))
	switch {
	case d == link.Down && !bytes.HasPrefix(line, []byte(version)[:min(len(line), len(version))]):
		return nil, link.ErrProtocol
	case d == link.Up && whole && !bytes.Contains(line, []byte(" "+version)):
		return nil, link.ErrProtocol
	}
	end := bytes.Index(part, []byte(endOfHead))
	if end < 0 && len(part) > link.MaxMessage || d == link.Down && whole && len(line) < len(version) {
		return nil, link.ErrProtocol
	}
	if end < 0 {
		return nil, nil
	}
	return part[:end+len(endOfHead)], nil
}

// httpBody returns the length of the body, -1 if incomplete. Consul never ends a reply by
// closing its connection.
func httpBody(d link.Direction, head, rest []byte) (int, error) {
	if link.Header(head, "Transfer-Encoding") == "chunked" {
		return httpChunks(rest)
	}
	length := link.Header(head, "Content-Length")
	if length == "" && d == link.Up {
		return 0, nil
	}
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < 0 || n > link.MaxMessage:
		return 0, link.ErrProtocol
	case len(rest) < n:
		return -1, nil
	}
	return n, nil
}

// httpChunks is httpBody for a chunked body: each chunk has its length, and the last is empty.
func httpChunks(rest []byte) (n int, err error) {
	const longest = 16 // digits of a length
	for {
		line, _, whole := bytes.Cut(rest[n:], []byte("\r\n"))
		if !whole && len(line) <= longest+len("\r") {
			return -1, nil
		}
		size, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil || len(line) > longest || size < 0 || size > link.MaxMessage || n > link.MaxMessage {
			return 0, link.ErrProtocol
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
