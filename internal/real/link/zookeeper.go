package link

import "encoding/binary"

// ZooKeeper is the protocol of ZooKeeper. A message is its length and that much. The
// first one in each direction opens the session. Of the others, a request begins
// with its number and its kind, and a reply with the request's number; heartbeats all
// have the same one, and news of watches has one that no request has.
func ZooKeeper() dissector { return &zkStream{} }

type zkStream struct{ greeted [2]bool } // by direction

// Requests by their kind (ZooDefs.OpCode), in the words of the ports.
var zkNames = map[int32]string{
	1: "CREATE", 2: "DELETE", 3: "EXISTS", 8: "CHILDREN", 12: "CHILDREN", 11: "PING", 101: "SETWATCHES", -11: "CLOSE",
}

const (
	zkWatchNumber = -1
	// zkOpening stands for the number of the message that opens a session.
	zkOpening = 1 << 40
)

// ZooKeeperMark is what a request is recognised by: its name and the path that it is
// about, "" for one without.
func ZooKeeperMark(name, path string) string {
	if path == "" {
		return name
	}
	return name + " " + path
}

func (z *zkStream) next(d Direction, part []byte) (int, message, error) {
	if len(part) < 4 {
		return 0, message{}, nil
	}
	size := binary.BigEndian.Uint32(part)
	if size > maxMessage {
		return 0, message{}, errProtocol
	}
	n := 4 + int(size)
	if len(part) < n {
		return 0, message{}, nil
	}
	body := part[4:n]
	if !z.greeted[d] {
		z.greeted[d] = true
		return n, message{exchange: zkOpening, begins: true, mark: ZooKeeperMark("CONNECT", "")}, nil
	}
	if len(body) < 4 {
		return 0, message{}, errProtocol
	}
	number := int32(binary.BigEndian.Uint32(body))
	if d == Up {
		return n, message{exchange: int64(number), begins: true, mark: zkMark(body[4:])}, nil
	}
	if number == zkWatchNumber {
		return n, message{}, nil
	}
	return n, message{exchange: int64(number), begins: true}, nil
}

// zkMark reads the kind of a request and its path, which comes first.
func zkMark(body []byte) string {
	if len(body) < 4 {
		return ""
	}
	name := zkNames[int32(binary.BigEndian.Uint32(body))]
	if name != "CREATE" && name != "DELETE" && name != "EXISTS" && name != "CHILDREN" || len(body) < 8 {
		return ZooKeeperMark(name, "")
	}
	path := body[8:]
	if size := binary.BigEndian.Uint32(body[4:]); int64(size) <= int64(len(path)) {
		path = path[:size]
	}
	return ZooKeeperMark(name, string(path))
}

// withdrawn implements dissector: replies say whose they are.
func (z *zkStream) withdrawn(int64) {}
