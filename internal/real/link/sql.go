package link

import (
	"bytes"
	"regexp"
)

// CommentMark is the comment behind a statement of SQL by which a link recognises
// it. Databases read over it.
func CommentMark(number string) string { return "/* " + number + " */" }

var comment = regexp.MustCompile(`/\* \w+ \*/`)

// markOf is the mark of a statement, "" when it has none.
func markOf(query []byte) string { return string(comment.Find(query)) }

// MySQL is the protocol of MySQL and MariaDB, without encryption and compression. A
// packet is a length of three bytes, a number and that much; the numbers begin at 0
// with each command, and a connection has one command at a time.
func MySQL() dissector { return &mysqlStream{} }

type mysqlStream struct{ turns }

// turns are exchanges that follow each other: all that comes back belongs to the
// last request.
type turns struct {
	last    int64
	current int64 // 0: none is going on
	replied bool
}

// ask begins an exchange.
func (t *turns) ask() int64 {
	t.last++
	t.current, t.replied = t.last, false
	return t.current
}

// answer is a message that comes back.
func (t *turns) answer() message {
	m := message{exchange: t.current, begins: t.current != 0 && !t.replied}
	t.replied = true
	return m
}

// withdrawn implements dissector: the rest of the request is withdrawn as well, and
// nothing comes back.
func (t *turns) withdrawn(int64) {}

const (
	mysqlHeader = 4
	mysqlQuery  = 3 // COM_QUERY
)

func (m *mysqlStream) next(d Direction, part []byte) (int, message, error) {
	if len(part) < mysqlHeader {
		return 0, message{}, nil
	}
	n := mysqlHeader + (int(part[0]) | int(part[1])<<8 | int(part[2])<<16)
	if len(part) < n {
		return 0, message{}, nil
	}
	number, body := part[3], part[mysqlHeader:n]
	switch {
	case d == Down:
		return n, m.answer(), nil
	case number == 0 && len(body) > 0:
		out := message{exchange: m.ask(), begins: true}
		if body[0] == mysqlQuery {
			out.mark = markOf(body)
		}
		return n, out, nil
	}
	return n, message{exchange: m.current}, nil // the handshake, or the rest of a long command
}

// Postgres is the protocol of PostgreSQL, version 3, without encryption. A message is
// a letter and a length that includes itself; only the first one of a client has no
// letter.
func Postgres() dissector { return &postgresStream{} }

type postgresStream struct {
	turns
	begun bool // the first message has gone up
}

func (p *postgresStream) next(d Direction, part []byte) (int, message, error) {
	first := d == Up && !p.begun
	header := 5
	if first {
		header = 4
	}
	if len(part) < header {
		return 0, message{}, nil
	}
	size := part[header-4 : header]
	n := header - 4 + (int(size[0])<<24 | int(size[1])<<16 | int(size[2])<<8 | int(size[3]))
	if n < header || n > maxMessage {
		return 0, message{}, errProtocol
	}
	if len(part) < n {
		return 0, message{}, nil
	}
	if first {
		p.begun = true
		return n, message{}, nil
	}
	return n, p.read(d, part[0], part[header:n]), nil
}

// maxMessage is more than anything that a lock sends or is sent.
const maxMessage = 64 << 20

// read says what a message is. A statement is one message, Q, or several that go
// together: P parses it, B, D, E and S have it done.
func (p *postgresStream) read(d Direction, letter byte, body []byte) message {
	switch {
	case d == Up && (letter == 'Q' || letter == 'P'):
		return message{exchange: p.ask(), begins: true, mark: markOf(bytes.TrimRight(body, "\x00"))}
	case d == Up:
		return message{exchange: p.current}
	case letter == 'N' || letter == 'S' || letter == 'A': // may come at any time
		return message{}
	}
	m := p.answer()
	if letter == 'Z' { // ready for the next query
		p.current = 0
	}
	return m
}
