package live

import (
	"bytes"
	"regexp"

	"lockstep/internal/real/link"
)

// comment is the mark by which a link recognises a statement. Databases ignore it.
var comment = regexp.MustCompile(`/\* \w+ \*/`)

// markOf is the mark of a statement, "" when it has none.
func markOf(query []byte) string { return string(comment.Find(query)) }

// mysqlProtocol is the protocol of MySQL and MariaDB, without encryption and compression. A
// packet is a length of three bytes, a number and that much; the numbers begin at 0
// with each command, and a connection has one command at a time.
func mysqlProtocol() link.Dissector { return &mysqlStream{} }

type mysqlStream struct{ link.Turns }

const (
	mysqlHeader = 4
	mysqlQuery  = 3 // COM_QUERY
)

func (m *mysqlStream) Next(d link.Direction, part []byte) (int, link.Message, error) {
	if len(part) < mysqlHeader {
		return 0, link.Message{}, nil
	}
	n := mysqlHeader + (int(part[0]) | int(part[1])<<8 | int(part[2])<<16)
	if len(part) < n {
		return 0, link.Message{}, nil
	}
	number, body := part[3], part[mysqlHeader:n]
	switch {
	case d == link.Down:
		return n, m.Answer(), nil
	case number == 0 && len(body) > 0:
		out := link.Message{Exchange: m.Ask(), Begins: true}
		if body[0] == mysqlQuery {
			out.Mark = markOf(body)
		}
		return n, out, nil
	}
	return n, link.Message{Exchange: m.Current}, nil // the handshake, or the rest of a long command
}

// postgresProtocol is the protocol of PostgreSQL, version 3, without encryption. A message is
// a letter and a length that includes itself; only the first one of a client has no
// letter.
func postgresProtocol() link.Dissector { return &postgresStream{} }

type postgresStream struct {
	link.Turns
	begun bool // the first message has gone up
}

func (p *postgresStream) Next(d link.Direction, part []byte) (int, link.Message, error) {
	first := d == link.Up && !p.begun
	header := 5
	if first {
		header = 4
	}
	if len(part) < header {
		return 0, link.Message{}, nil
	}
	size := part[header-4 : header]
	n := header - 4 + (int(size[0])<<24 | int(size[1])<<16 | int(size[2])<<8 | int(size[3]))
	if n < header || n > link.MaxMessage {
		return 0, link.Message{}, link.ErrProtocol
	}
	if len(part) < n {
		return 0, link.Message{}, nil
	}
	if first {
		p.begun = true
		return n, link.Message{}, nil
	}
	return n, p.read(d, part[0], part[header:n]), nil
}

// read says what a message is. A statement is one message, Q, or several that go
// together: P parses it, B, D, E and S have it done.
func (p *postgresStream) read(d link.Direction, letter byte, body []byte) link.Message {
	switch {
	case d == link.Up && (letter == 'Q' || letter == 'P'):
		return link.Message{Exchange: p.Ask(), Begins: true, Mark: markOf(bytes.TrimRight(body, "\x00"))}
	case d == link.Up:
		return link.Message{Exchange: p.Current}
	case letter == 'N' || letter == 'S' || letter == 'A': // may come at any time
		return link.Message{}
	}
	m := p.Answer()
	if letter == 'Z' { // ready for the next query
		p.Current = 0
	}
	return m
}
