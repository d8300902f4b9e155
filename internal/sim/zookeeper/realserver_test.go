//go:build linux

package zookeeper

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sort"
	"testing"
	"time"

	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// startServer starts a ZooKeeper of its own for a test, as the live world does.
func startServer(t *testing.T, tick time.Duration) (addr string) {
	t.Helper()
	realtest.Need(t, "java")
	realtest.Need(t, "zookeeper.jar")
	members, err := servers.StartZooKeeper(t.Context(), servers.ZooKeeperOptions{Tick: tick})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := members[0].Stop(); err != nil {
			t.Error(err)
		}
	})
	return members[0].Addr
}

// Numbers of the wire protocol (ZooDefs.OpCode, KeeperException.Code).
const (
	opCreate, opDelete, opExists, opChildren = 1, 2, 3, 8
	opPing, opSetWatches, opClose            = 11, 101, -11
	xidEvent, xidPing, xidSetWatches         = -1, -2, -8
)

var codes = map[int32]error{
	-101: world.ErrNoNode, -103: world.ErrBadVersion, -110: world.ErrNodeExists,
	-108: ErrEphemeralParent, -111: ErrNotEmpty, -8: ErrBadArguments,
}

// errGone: the server has closed the connection.
var errGone = errors.New("closed by the server")

// realConn is one connection to a real server that speaks its protocol, with
// nothing that a client library would do by itself.
type realConn struct {
	conn     *net.TCPConn
	in       *bufio.Reader
	xid      int32
	session  int64
	password []byte
	zxid     int64   // of the latest reply
	events   []Event // that came before it
}

// passwords are what the server gave with each session.
type passwords map[int64][]byte

// dialReal opens a connection and a session, or takes up a session.
func dialReal(addr string, timeout time.Duration, session int64, known passwords) (*realConn, time.Duration, error) {
	dialled, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, 0, err
	}
	conn := dialled.(*net.TCPConn)
	c := &realConn{conn: conn, in: bufio.NewReader(conn)}
	password := known[session]
	if password == nil {
		password = make([]byte, 16)
	}
	var e encoder
	e.int(0)
	e.long(0)
	e.int(int32(timeout / time.Millisecond))
	e.long(session)
	e.text(string(password))
	e.bool(false)
	reply, err := c.roundTrip(e)
	if err != nil {
		return nil, 0, err
	}
	reply.int()
	granted := time.Duration(reply.int()) * time.Millisecond
	c.session = reply.long()
	if c.session == 0 {
		_, err := c.in.ReadByte()
		if !errors.Is(err, io.EOF) {
			return nil, 0, fmt.Errorf("a refused connection stays open: %v", err)
		}
		return nil, 0, world.ErrSessionExpired
	}
	known[c.session] = []byte(reply.text())
	return c, granted, nil
}

func (c *realConn) roundTrip(e encoder) (*decoder, error) {
	_ = c.conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
	packet := binary.BigEndian.AppendUint32(nil, uint32(len(e)))
	if _, err := c.conn.Write(append(packet, e...)); err != nil {
		return nil, errGone
	}
	return c.read()
}

func (c *realConn) read() (*decoder, error) {
	_ = c.conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // its last request may be long ago
	var size [4]byte
	if _, err := io.ReadFull(c.in, size[:]); err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			return nil, err
		}
		return nil, errGone
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(c.in, body)
	d := decoder(body)
	return &d, err
}

// ask sends a request, and collects the events that come before its reply.
func (c *realConn) ask(op store.Op) (any, error) {
	xid, e := c.encode(op)
	d, err := c.roundTrip(e)
	for {
		if err != nil {
			return nil, err
		}
		got, zxid, code := d.int(), d.long(), d.int()
		if got == xidEvent {
			kind := EventType(d.int())
			d.int()
			c.events = append(c.events, Event{kind, d.text()})
			d, err = c.read()
			continue
		}
		if got != xid {
			return nil, fmt.Errorf("reply to %d, want %d", got, xid)
		}
		c.zxid = zxid
		return decode(op, d, code)
	}
}

func (c *realConn) encode(op store.Op) (xid int32, e encoder) {
	c.xid++
	xid = c.xid
	switch op := op.(type) {
	case Ping:
		xid = xidPing
		e.header(xid, opPing)
	case Create:
		e.header(xid, opCreate)
		e.text(op.Path)
		e.text(op.Data)
		e.int(1) // one rule: anybody may do anything
		e.int(31)
		e.text("world")
		e.text("anyone")
		e.int([...]int32{world.ZKPersistent: 0, world.ZKEphemeral: 1, world.ZKEphemeralSequential: 3}[op.Mode])
	case Delete:
		e.header(xid, opDelete)
		e.text(op.Path)
		e.int(op.Version)
	case Exists:
		e.header(xid, opExists)
		e.text(op.Path)
		e.bool(op.Watch)
	case Children:
		e.header(xid, opChildren)
		e.text(op.Path)
		e.bool(false)
	case SetWatches:
		xid = xidSetWatches
		e.header(xid, opSetWatches)
		e.long(op.Since)
		for _, paths := range [][]string{op.Data, op.Exist, nil} {
			e.int(int32(len(paths)))
			for _, p := range paths {
				e.text(p)
			}
		}
	case Close:
		e.header(xid, opClose)
	}
	return xid, e
}

// decode makes of a reply what the model answers, but for zxids, which are in
// every header, and for the order of children.
func decode(op store.Op, d *decoder, code int32) (any, error) {
	if _, ok := op.(Exists); ok && code == -101 {
		return (*world.ZKStat)(nil), nil
	}
	if code != 0 {
		err := codes[code]
		if err == nil {
			err = fmt.Errorf("code %d", code)
		}
		return nil, err
	}
	switch op.(type) {
	case Create:
		return d.text(), nil
	case Exists:
		s := &world.ZKStat{Czxid: d.long()}
		*d = (*d)[8+8+8:] // mzxid, ctime, mtime
		s.Version = d.int()
		*d = (*d)[4+4:] // cversion, aversion
		s.EphemeralOwner = d.long()
		return s, nil
	case Children:
		names := make([]string, d.int())
		for i := range names {
			names[i] = d.text()
		}
		sort.Strings(names)
		return names, nil
	}
	return nil, nil
}

// encoder and decoder speak jute, the encoding of ZooKeeper's messages.
type encoder []byte

func (e *encoder) int(v int32)  { *e = binary.BigEndian.AppendUint32(*e, uint32(v)) }
func (e *encoder) long(v int64) { *e = binary.BigEndian.AppendUint64(*e, uint64(v)) }

func (e *encoder) bool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	*e = append(*e, b)
}

func (e *encoder) text(s string) {
	e.int(int32(len(s)))
	*e = append(*e, s...)
}

func (e *encoder) header(xid, op int32) {
	e.int(xid)
	e.int(op)
}

type decoder []byte

func (d *decoder) int() int32 {
	v := binary.BigEndian.Uint32(*d)
	*d = (*d)[4:]
	return int32(v)
}

func (d *decoder) long() int64 {
	v := binary.BigEndian.Uint64(*d)
	*d = (*d)[8:]
	return int64(v)
}

func (d *decoder) text() string {
	n := d.int()
	s := string((*d)[:n])
	*d = (*d)[n:]
	return s
}
