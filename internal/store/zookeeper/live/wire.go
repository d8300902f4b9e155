package live

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/zookeeper"
)

// The messages of ZooKeeper (zookeeper.jute, ZooDefs.OpCode). All numbers are big endian; a text is
// its length and its bytes, a list its length and its elements. A request is its number, its kind
// and what that has; an answer the request's number, the latest transaction, an error code and what
// the request's kind is answered with. The first message in each direction has no such header.
const (
	opCreate, opDelete, opExists, opChildren, opPing, opSetWatches, opClose int32 = 1, 2, 3, 8, 11, 101, -11

	watchNumber = -1
	pingNumber  = -2
	opening     = -1000 // stands for the first message, which has no number
)

// The error codes (KeeperException.Code) that a lock may see.
var problems = map[int32]error{
	-110: zookeeper.ErrNodeExists, -101: zookeeper.ErrNoNode, -103: zookeeper.ErrBadVersion, -112: zookeeper.ErrSessionExpired,
	-108: zookeeper.ErrEphemeralParent, -111: zookeeper.ErrNotEmpty, -8: zookeeper.ErrBadArguments,
}

// flags are what the kinds of nodes are on the wire.
var flags = [...]int32{zookeeper.Persistent: 0, zookeeper.Ephemeral: 1, zookeeper.EphemeralSequential: 3}

// encode is a request as a message.
func (c *client) encode(number int32, r ports.Request) []byte {
	switch r := r.(type) {
	case zookeeper.Connect: // any version of the protocol, and no transaction that the server has to have
		return pack(nil, int32(0), int64(0), int32(r.Timeout/time.Millisecond), r.Session, c.password(r.Session))
	case zookeeper.Ping:
		return pack(nil, number, opPing)
	case zookeeper.Create: // a list says who may do what: all may do everything
		return pack(nil, number, opCreate, r.Path, r.Data, int32(1), int32(31), "world", "anyone", flags[r.Mode])
	case zookeeper.Delete:
		return pack(nil, number, opDelete, r.Path, r.Version)
	case zookeeper.Exists:
		return pack(nil, number, opExists, r.Path, r.Watch)
	case zookeeper.Children:
		return pack(nil, number, opChildren, r.Path, false)
	case zookeeper.SetWatches: // none of children
		return pack(nil, number, opSetWatches, r.Since, r.Data, r.Exist, []string(nil))
	case zookeeper.Close:
		return pack(nil, number, opClose)
	}
	panic("zookeeper: a request of another store: " + ports.Name(r))
}

// password is that of a session; zeros for one that is not open yet.
func (c *client) password(session int64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.passwords[session], strings.Repeat("\x00", 16))
}

// opened reads the answer to the first message. A session that is over has no number.
func (c *client) opened(asked zookeeper.Connect, in input) (any, error) {
	in.int() // the protocol's version
	timeout, session := time.Duration(in.int())*time.Millisecond, in.long()
	if session == 0 {
		return nil, zookeeper.ErrSessionExpired
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked.Session == 0 {
		c.passwords[session] = in.text()
	}
	return zookeeper.ConnectReply{ID: session, Timeout: timeout}, nil
}

// decode is the answer to a request.
func decode(r ports.Request, m message) (any, error) {
	err := problems[m.code]
	if m.code != 0 && err == nil {
		err = fmt.Errorf("zk: error %d", m.code)
	}
	_, exists := r.(zookeeper.Exists)
	switch {
	case exists && err == zookeeper.ErrNoNode:
		return zookeeper.Found{Zxid: m.zxid}, nil
	case err != nil:
		return nil, err
	case exists:
		return zookeeper.Found{Stat: m.in.stat(), Zxid: m.zxid}, nil
	}
	switch r.(type) {
	case zookeeper.Create:
		return zookeeper.Created{Path: m.in.text(), Zxid: m.zxid}, nil
	case zookeeper.Children:
		return m.in.texts(), nil
	}
	return nil, nil
}

// pack appends values to a message.
func pack(out []byte, values ...any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			out = append(pack(out, int32(len(v))), v...)
		case []string:
			out = pack(out, int32(len(v)))
			for _, text := range v {
				out = pack(out, text)
			}
		default:
			out, _ = binary.Append(out, binary.BigEndian, v) // a number or a boolean
		}
	}
	return out
}

// input is the rest of a message that is being read; missing bytes read as zero.
type input []byte

func (in *input) skip(n int) []byte {
	n = min(max(n, 0), len(*in))
	out := (*in)[:n]
	*in = (*in)[n:]
	return out
}

func (in *input) long() int64 {
	var raw [8]byte
	copy(raw[:], in.skip(8))
	return int64(binary.BigEndian.Uint64(raw[:]))
}

func (in *input) int() int32 {
	var raw [4]byte
	copy(raw[:], in.skip(4))
	return int32(binary.BigEndian.Uint32(raw[:]))
}

func (in *input) text() string { return string(in.skip(int(in.int()))) }

func (in *input) texts() (all []string) {
	for range min(int(in.int()), len(*in)) {
		all = append(all, in.text())
	}
	return all
}

// stat is the state of a node: when and by which transactions it was made and changed, its
// versions, its owner.
func (in *input) stat() *zookeeper.Stat {
	s := &zookeeper.Stat{Czxid: in.long()}
	in.skip(3 * 8) // the last transaction, and both times
	s.Version = in.int()
	in.skip(2 * 4) // the versions of the children and of the list of who may do what
	s.EphemeralOwner = in.long()
	return s
}
