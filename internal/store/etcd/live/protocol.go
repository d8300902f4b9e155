package live

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"

	"lockstep/internal/real/link"
)

// markKey is the key of the metadata by which a link recognises a request.
const markKey = "lockstep-call"

// protocol is that of etcd: gRPC, which is HTTP/2, without encryption, or HTTP/1.1 for its gateway,
// which takes the same requests as JSON. With gRPC, each
// request is a stream of its own, of which a connection has many at a time. The
// request is the data that its client sends; all that comes back on the stream is
// the reply.
//
// The headers of all streams share one compression table at both ends. They cannot be dropped:
// later headers could not be read. So the headers of a lost request are passed on, without the
// data that a server needs to execute it, and those of a lost reply under the number of a stream
// that its client does not know, and ignores.
func protocol() link.Dissector {
	e := &stream{begun: map[int64]link.Message{}, asked: map[int64]bool{}, answered: map[int64]bool{}}
	e.headers = hpack.NewDecoder(4096, nil)
	e.headers.SetAllowedMaxDynamicTableSize(1 << 20)
	return e
}

type stream struct {
	link.Tagged
	gateway  *link.HTTP // nil with gRPC
	greeted  bool
	headers  *hpack.Decoder
	begun    map[int64]link.Message // by stream: requests whose data has not come yet
	asked    map[int64]bool         // streams whose request has come in
	answered map[int64]bool         // streams whose reply has begun
}

// changing are the requests that may change an entry, by the ends of their paths in gRPC and in the
// gateway, in lower case.
var changing = []string{
	"put", "deleterange", "txn", "leaserevoke", "revoke", "lock", "unlock", "campaign", "proclaim", "resign",
}

func changes(_, path string) bool { return slices.Contains(changing, kindOfPath(path)) }

func kindOfPath(path string) string {
	return strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
}

// The format of HTTP/2 (RFC 9113).
const (
	h2Preface   = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	h2Header    = 9
	h2Data      = 0
	h2Headers   = 1
	h2Reset     = 3
	h2EndStream = 0x1
	h2Padded    = 0x8
	h2Priority  = 0x20
	h2Unknown   = 1<<31 - 1 // a stream that no client opens
)

// Next implements link.Dissector.
func (e *stream) Next(d link.Direction, part []byte) (int, link.Message, error) {
	if d == link.Up && !e.greeted && e.gateway == nil {
		switch {
		case !strings.HasPrefix(h2Preface, string(part[:min(len(part), len(h2Preface))])):
			e.gateway = &link.HTTP{Changes: changes}
		case len(part) < len(h2Preface):
			return 0, link.Message{}, nil
		default:
			e.greeted = true
			return len(h2Preface), link.Message{}, nil
		}
	}
	if e.gateway != nil {
		return e.gateway.Next(d, part)
	}
	if len(part) < h2Header {
		return 0, link.Message{}, nil
	}
	n := h2Header + (int(part[0])<<16 | int(part[1])<<8 | int(part[2]))
	if len(part) < n {
		return 0, link.Message{}, nil
	}
	kind, flags := part[3], part[4]
	number := int64(binary.BigEndian.Uint32(part[5:]) &^ (1 << 31))
	if d == link.Up {
		return n, e.up(number, kind, flags, part[h2Header:n]), nil
	}
	return n, e.down(number, kind, flags, part[:n]), nil
}

func (e *stream) up(number int64, kind, flags byte, body []byte) link.Message {
	switch {
	case kind == h2Headers:
		e.begun[number] = e.read(flags, body)
	case kind == h2Reset:
		e.forget(number)
	case kind == h2Data && !e.asked[number]:
		m := e.begun[number]
		m.Exchange, m.Begins = number, true
		e.asked[number] = true
		delete(e.begun, number)
		return m
	case kind == h2Data:
		return link.Message{Exchange: number}
	}
	return link.Message{}
}

func (e *stream) down(number int64, kind, flags byte, frame []byte) link.Message {
	if kind != h2Headers && kind != h2Data && kind != h2Reset || !e.asked[number] {
		return link.Message{}
	}
	m := link.Message{Exchange: number, Begins: !e.answered[number]}
	e.answered[number] = true
	if kind == h2Headers {
		m.Instead = bytes.Clone(frame)
		binary.BigEndian.PutUint32(m.Instead[5:], h2Unknown)
	}
	if kind == h2Reset || flags&h2EndStream != 0 {
		e.forget(number)
	}
	return m
}

func (e *stream) forget(number int64) {
	delete(e.begun, number)
	delete(e.asked, number)
	delete(e.answered, number)
}

// read reads the headers of a request. All have to be read: later ones refer to them. A request
// whose headers cannot be read may change an entry.
func (e *stream) read(flags byte, block []byte) (m link.Message) {
	if flags&h2Padded != 0 && len(block) > 0 {
		block = block[1:max(1, len(block)-int(block[0]))]
	}
	if flags&h2Priority != 0 && len(block) >= 5 {
		block = block[5:]
	}
	m.Changes = true
	fields, err := e.headers.DecodeFull(block)
	if err != nil {
		return m
	}
	for _, f := range fields {
		switch f.Name {
		case markKey:
			m.Mark = f.Value
		case ":path":
			m.Changes, m.Name = changes("POST", f.Value), f.Value
		}
	}
	return m
}
