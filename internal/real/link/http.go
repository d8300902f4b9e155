package link

import (
	"bytes"
	"strconv"
)

// HTTP is HTTP/1.1 without encryption. A connection has one request at a time, and every message
// from the server is its reply. A chunked body is one message for each chunk, since the reply to a
// watch has no end.
type HTTP struct {
	Turns
	Header  string                         // of a request, by which it is recognised; "" for none
	Changes func(method, path string) bool // whether a request may change an entry

	chunks [2]bool // by direction: the next message is a chunk
}

const endOfHead = "\r\n\r\n"

// Next implements Dissector.
func (h *HTTP) Next(d Direction, part []byte) (int, Message, error) {
	if h.chunks[d] {
		n, last, err := httpChunk(part)
		if n == 0 || err != nil {
			return 0, Message{}, err
		}
		h.chunks[d] = !last
		return n, h.goesOn(d, last), nil
	}
	head, err := httpHead(d, part)
	if head == nil || err != nil {
		return 0, Message{}, err
	}
	h.chunks[d] = Header(head, "Transfer-Encoding") == "chunked"
	n := len(head)
	if !h.chunks[d] {
		body, err := httpBody(d, head, part[n:])
		if body < 0 || err != nil {
			return 0, Message{}, err
		}
		n += body
	}
	if d == Down {
		return n, h.goesOn(d, !h.chunks[d]), nil
	}
	method, rest, _ := bytes.Cut(head, []byte(" "))
	path, _, _ := bytes.Cut(rest, []byte(" "))
	m := Message{Exchange: h.Ask(), Begins: true, Changes: h.Changes(string(method), string(path))}
	if h.Header != "" {
		m.Mark = Header(head, h.Header)
	}
	return n, m, nil
}

// goesOn is a message of the server, or the continuation of a request.
func (h *HTTP) goesOn(d Direction, last bool) Message {
	if d == Up {
		return Message{Exchange: h.Current}
	}
	m := h.Answer()
	if last {
		h.Current = 0
	}
	return m
}

// httpHead returns the lines before the body, including the empty one; nil if incomplete.
func httpHead(d Direction, part []byte) ([]byte, error) {
	const version = "HTTP/1."
	line, _, whole := bytes.Cut(part, []byte("\r\n"))
	switch {
	case d == Down && !bytes.HasPrefix(line, []byte(version)[:min(len(line), len(version))]):
		return nil, ErrProtocol
	case d == Up && whole && !bytes.Contains(line, []byte(" "+version)):
		return nil, ErrProtocol
	}
	end := bytes.Index(part, []byte(endOfHead))
	if end < 0 && len(part) > MaxMessage || d == Down && whole && len(line) < len(version) {
		return nil, ErrProtocol
	}
	if end < 0 {
		return nil, nil
	}
	return part[:end+len(endOfHead)], nil
}

// httpBody returns the length of a body that is not chunked, -1 if incomplete. Servers of stores
// never end a reply by closing its connection.
func httpBody(d Direction, head, rest []byte) (int, error) {
	length := Header(head, "Content-Length")
	if length == "" && d == Up {
		return 0, nil
	}
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < 0 || n > MaxMessage:
		return 0, ErrProtocol
	case len(rest) < n:
		return -1, nil
	}
	return n, nil
}

// httpChunk returns the length of a chunk with its line, 0 if incomplete. The last one is empty.
func httpChunk(part []byte) (n int, last bool, err error) {
	const longest = 16 // digits of a length
	line, _, whole := bytes.Cut(part, []byte("\r\n"))
	if !whole && len(line) <= longest+len("\r") {
		return 0, false, nil
	}
	size, err := strconv.ParseInt(string(line), 16, 32)
	if err != nil || len(line) > longest || size < 0 || size > MaxMessage {
		return 0, false, ErrProtocol
	}
	if n = len(line) + 2 + int(size) + 2; len(part) < n {
		return 0, false, nil
	}
	return n, size == 0, nil
}
