package live

import (
	"encoding/binary"
	"slices"

	"lockstep/internal/real/link"
)

// protocol is that of ZooKeeper. A message is its length and that much. The
// first one in each direction opens the session. Of the others, a request begins
// with its number and its kind, and a reply with the request's number; heartbeats all
// have the same one, and news of watches has one that no request has.
func protocol() link.Dissector { return &stream{} }

type stream struct {
	link.Tagged
	greeted [2]bool // by direction
}

// Requests by their kind (ZooDefs.OpCode), in the words of the ports.
var names = map[int32]string{
	opCreate: "CREATE", opDelete: "DELETE", opExists: "EXISTS", opChildren: "CHILDREN", 12: "CHILDREN", opPing: "PING", opSetWatches: "SETWATCHES", opClose: "CLOSE",
}

// session stands for the number of the message that opens a session.
const session = 1 << 40

// mark is what a request is recognised by: its name and the path that it is
// about, "" for one without.
func mark(name, path string) string {
	if path == "" {
		return name
	}
	return name + " " + path
}

// Next implements link.Dissector.
func (z *stream) Next(d link.Direction, part []byte) (int, link.Message, error) {
	if len(part) < 4 {
		return 0, link.Message{}, nil
	}
	size := binary.BigEndian.Uint32(part)
	if size > link.MaxMessage {
		return 0, link.Message{}, link.ErrProtocol
	}
	n := 4 + int(size)
	if len(part) < n {
		return 0, link.Message{}, nil
	}
	body := part[4:n]
	if !z.greeted[d] {
		z.greeted[d] = true
		return n, link.Message{Exchange: session, Begins: true, Mark: mark("CONNECT", "")}, nil
	}
	if len(body) < 4 {
		return 0, link.Message{}, link.ErrProtocol
	}
	number := int32(binary.BigEndian.Uint32(body))
	if d == link.Up {
		mark, changes := request(body[4:])
		return n, link.Message{Exchange: int64(number), Begins: true, Mark: mark, Changes: changes}, nil
	}
	if number == watchNumber {
		return n, link.Message{}, nil
	}
	return n, link.Message{Exchange: int64(number), Begins: true}, nil
}

// changing are the requests that may change a node, among them those of no port: setData, multi and
// three more kinds of create.
var changing = []int32{opCreate, opDelete, 5, 14, 15, 19, 21, opClose}

// request reads the kind of a request and its path, which comes first.
func request(in input) (text string, changes bool) {
	kind := in.int()
	switch name := names[kind]; name {
	case "CREATE", "DELETE", "EXISTS", "CHILDREN":
		text = mark(name, in.text())
	default:
		text = mark(name, "")
	}
	return text, slices.Contains(changing, kind)
}
