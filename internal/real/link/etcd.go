package link

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/net/http2/hpack"
)

// EtcdMark is the key of the metadata by which a link recognises a request of etcd.
const EtcdMark = "lockstep-call"

// Etcd is the protocol of etcd: gRPC, which is HTTP/2, without encryption. Each
// request is a stream of its own, of which a connection has many at a time. The
// request is the data that its client sends; all that comes back on the stream is
// the reply.
//
// The headers of all streams share one memory of what was said before, at both
// ends. They cannot be taken out: the next ones could not be read. So those of a
// request go on when it is lost, without which no server executes it, and those of a
// reply go on under the number of a stream that its client does not know, and which
// it therefore ignores.
func Etcd() dissector {
	e := &etcdStream{marks: map[int64]string{}, asked: map[int64]bool{}, answered: map[int64]bool{}}
	e.headers = hpack.NewDecoder(4096, nil)
	e.headers.SetAllowedMaxDynamicTableSize(1 << 20)
	return e
}

type etcdStream struct {
	greeted  bool
	headers  *hpack.Decoder
	marks    map[int64]string // by stream: of requests whose data has not come yet
	asked    map[int64]bool   // streams whose request has come in
	answered map[int64]bool   // streams whose reply has begun
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

func (e *etcdStream) next(d Direction, part []byte) (int, message, error) {
	if d == Up && !e.greeted {
		if len(part) < len(h2Preface) {
			return 0, message{}, nil
		}
		if string(part[:len(h2Preface)]) != h2Preface {
			return 0, message{}, errProtocol
		}
		e.greeted = true
		return len(h2Preface), message{}, nil
	}
	if len(part) < h2Header {
		return 0, message{}, nil
	}
	n := h2Header + (int(part[0])<<16 | int(part[1])<<8 | int(part[2]))
	if len(part) < n {
		return 0, message{}, nil
	}
	kind, flags := part[3], part[4]
	stream := int64(binary.BigEndian.Uint32(part[5:]) &^ (1 << 31))
	if d == Up {
		return n, e.up(stream, kind, flags, part[h2Header:n]), nil
	}
	return n, e.down(stream, kind, flags, part[:n]), nil
}

func (e *etcdStream) up(stream int64, kind, flags byte, body []byte) message {
	switch {
	case kind == h2Headers:
		e.marks[stream] = e.readMark(flags, body)
	case kind == h2Reset:
		e.forget(stream)
	case kind == h2Data && !e.asked[stream]:
		m := message{exchange: stream, begins: true, mark: e.marks[stream]}
		e.asked[stream] = true
		delete(e.marks, stream)
		return m
	case kind == h2Data:
		return message{exchange: stream}
	}
	return message{}
}

func (e *etcdStream) down(stream int64, kind, flags byte, frame []byte) message {
	if kind != h2Headers && kind != h2Data && kind != h2Reset || !e.asked[stream] {
		return message{}
	}
	m := message{exchange: stream, begins: !e.answered[stream]}
	e.answered[stream] = true
	if kind == h2Headers {
		m.instead = bytes.Clone(frame)
		binary.BigEndian.PutUint32(m.instead[5:], h2Unknown)
	}
	if kind == h2Reset || flags&h2EndStream != 0 {
		e.forget(stream)
	}
	return m
}

func (e *etcdStream) forget(stream int64) {
	delete(e.marks, stream)
	delete(e.asked, stream)
	delete(e.answered, stream)
}

// readMark reads the headers of a request. All of them have to be read, each is
// needed for those that come later.
func (e *etcdStream) readMark(flags byte, block []byte) (mark string) {
	if flags&h2Padded != 0 && len(block) > 0 {
		block = block[1:max(1, len(block)-int(block[0]))]
	}
	if flags&h2Priority != 0 && len(block) >= 5 {
		block = block[5:]
	}
	fields, err := e.headers.DecodeFull(block)
	if err != nil {
		return ""
	}
	for _, f := range fields {
		if f.Name == EtcdMark {
			mark = f.Value
		}
	}
	return mark
}

// withdrawn implements dissector: replies say whose they are.
func (e *etcdStream) withdrawn(int64) {}
